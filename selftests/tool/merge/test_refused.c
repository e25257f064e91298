// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of auxrec merge: files that it refuses, with a message. OUT then stays as it was, and no
 * other file is left beside it.
 *
 * test_refused [SEED]
 *
 * If KEEP_DAMAGED=DIR is set, damaged files about which merge and check disagree are copied to
 * DIR.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../rounds.h"
#include "../../tap.h"
#include "check/check.h"
#include "merge/main.h"
#include "merge/merge.h"
#include "../flight/wrap.h"
#include "scratch.h"
#include "world.h"

#define OLD	"what was there"
#define CUTS	300
#define DAMAGES	1000

static char dir[64];
static char path[3][128], out[128];
static struct world *world;

static size_t load(const char *name, uint8_t **data)
{
	FILE *f = fopen(name, "rb");
	size_t len;

	*data = malloc(1 << 20);
	if (!f || !*data)
		abort();
	len = fread(*data, 1, 1 << 20, f);
	fclose(f);
	return len;
}

static void store(const char *name, const void *data, size_t len)
{
	FILE *f = fopen(name, "wb");

	if (!f || fwrite(data, 1, len, f) != len || fclose(f))
		abort();
}

/* Replace each @from in the file, or the first one, by @to, of the same length. */
static void change(const char *name, const void *from, const void *to, size_t len, bool all)
{
	uint8_t *data;
	const size_t size = load(name, &data);
	size_t at, nr = 0;

	for (at = 0; at + len <= size && (all || !nr); at++)
		if (!memcmp(data + at, from, len)) {
			memcpy(data + at, to, len);
			nr++;
		}
	if (!nr)
		abort();
	store(name, data, size);
	free(data);
}

/* Make two snapshots of one recording. */
static void make_of(enum world_aux aux)
{
	static const struct recent_limits limits = { .memory = 100000 };
	int i;

	memset(world, 0, sizeof(*world));
	world->aux = aux;
	world->limits = limits;
	history_seed = 7;
	world_begin(world);
	for (i = 0; i < 2; i++) {
		world_pass(world);
		world_pass(world);
		world_snapshot(world, path[i]);
	}
	world_end(world);
	store(out, OLD, sizeof(OLD));
}

static void make(void)
{
	make_of(AUX_TASKS);
}

static bool is_clean(void)
{
	uint8_t *data;
	const size_t len = load(out, &data);
	bool clean = len == sizeof(OLD) && !memcmp(data, OLD, len);
	struct dirent *e;
	DIR *d = opendir(dir);

	while (d && (e = readdir(d)))
		clean &= !strstr(e->d_name, ".tmp");
	closedir(d);
	free(data);
	return clean;
}

/*
 * Find the first record that begins at @from or later. Return its size with its data; 0: there is
 * none.
 */
static size_t record_at(const uint8_t *data, size_t len, size_t from, size_t *at)
{
	size_t pos = REC_HEADER_SIZE;

	while (pos + sizeof(struct perf_event_header) <= len) {
		struct perf_event_header h;
		size_t size;

		memcpy(&h, data + pos, sizeof(h));
		size = h.size;
		if (h.type == REC_AUXTRACE)
			size += ((const struct rec_auxtrace *)(data + pos))->size;
		if (h.size < sizeof(h) || pos + size > len)
			break;
		if (pos >= from) {
			*at = pos;
			return size;
		}
		pos += size;
	}
	return 0;
}

/* Return where the last record of @type begins. */
static size_t last_of(const uint8_t *data, size_t len, uint32_t type)
{
	size_t at = 0, size, last = 0;

	for (size = record_at(data, len, 0, &at); size;
	     size = record_at(data, len, at + size, &at))
		if (!memcmp(data + at, &type, sizeof(type)))
			last = at;
	if (!last)
		abort();
	return last;
}

/* Change the type of the last record of type @from to @to. */
static void retype(const char *name, uint32_t from, uint32_t to)
{
	uint8_t *data;
	const size_t len = load(name, &data);

	memcpy(data + last_of(data, len, from), &to, sizeof(to));
	store(name, data, len);
	free(data);
}

/* Add @by bytes of zeros to the end of the last record of @type, or remove -@by bytes. */
static void resize(const char *name, uint32_t type, int by)
{
	struct perf_event_header h;
	size_t len, at, end;
	uint8_t *data;

	len = load(name, &data);
	at = last_of(data, len, type);
	memcpy(&h, data + at, sizeof(h));
	end = at + h.size;
	h.size += by;
	memcpy(data + at, &h, sizeof(h));
	memmove(data + end + by, data + end, len - end);
	if (by > 0)
		memset(data + end, 0, by);
	store(name, data, len + by);
	free(data);
}

static void refuse(const char *what, int err, const char *name, const char *says,
		   const char *to)
{
	char *const list[] = { path[0], path[1] };
	struct diag d = { "" };
	struct merge_summary sum;
	const int rc = merge_streams(list, 2, to, &sum, &d);
	const bool right = rc == err && strstr(d.msg, name) && strstr(d.msg, says);

	merge_summary_free(&sum);
	if (!right)
		printf("# returned %d, said: %s\n", rc, d.msg);
	tap_report(right && is_clean(), "%s", what);
}

static void test_files(void)
{
	const uint64_t recording = WORLD_RECORDING, other = WORLD_RECORDING + 1, none = 0;
	const uint64_t period = 1, more = 2;

	make();
	store(path[1], "", 0);
	refuse("an empty file", -EBADMSG, path[1], "is empty", out);
	store(path[1], "# some text, not a stream", 25);
	refuse("a text", -EINVAL, path[1], "is no snapshot", out);
	unlink(path[1]);
	refuse("no file", -ENOENT, path[1], "No such file", out);
	mkdir(path[1], 0700);
	refuse("a directory", -EINVAL, path[1], "is not a regular file", out);
	rmdir(path[1]);
	if (mkfifo(path[1], 0600))
		abort();
	refuse("a pipe", -EINVAL, path[1], "is not a regular file", out);
	unlink(path[1]);
	make();
	change(path[1], &recording, &other, 8, true);
	refuse("another recording", -EINVAL, path[1], "only snapshots of one recording", out);
	make();
	change(path[1], &recording, &none, 8, false);
	refuse("no snapshot", -EINVAL, path[1], "is no snapshot", out);
	make();
	change(path[1], "signal=USR1", "signal=USR\n", 11, false);
	refuse("a damaged sample", -EBADMSG, path[1], "not printable", out);
	make();
	change(path[1], &period, &more, 8, false);
	refuse("other events", -EINVAL, path[1], "other events", out);
	make();
	retype(path[1], PERF_RECORD_MMAP, REC_EVENT_TYPE);
	refuse("a valid stream that is no snapshot", -EBADMSG, path[1],
	       "a valid stream, but no snapshot", out);
	make();
	retype(path[1], PERF_RECORD_SAMPLE, REC_FINISHED_INIT);
	refuse("an invalid stream", -EBADMSG, path[1], "see auxrec check", out);
}

/* Records of these types must have a certain size. merge tells which record is wrong. */
static void test_sizes(void)
{
	make();
	resize(path[1], REC_AUXTRACE, 8);
	refuse("an AUXTRACE that is too long", -EBADMSG, path[1], "an impossible AUXTRACE at", out);
	make();
	resize(path[1], REC_AUXTRACE, -8);
	refuse("an AUXTRACE that is too short", -EBADMSG, path[1], "an impossible AUXTRACE at",
	       out);
	make();
	resize(path[1], PERF_RECORD_AUX, 8);
	refuse("an AUX that is too long", -EBADMSG, path[1], "an impossible AUX at", out);
	make();
	resize(path[1], REC_AUXTRACE_ERROR, 8);
	refuse("an AUXTRACE_ERROR that is too long", -EBADMSG, path[1],
	       "an impossible AUXTRACE_ERROR at", out);
	make();
	resize(path[1], REC_AUXTRACE_ERROR, -REC_AUXTRACE_MSG);
	refuse("an AUXTRACE_ERROR without a message", -EBADMSG, path[1],
	       "an impossible AUXTRACE_ERROR at", out);
}

static void test_number(void)
{
	uint8_t *data;
	size_t len;

	make();
	len = load(path[0], &data);
	store(path[1], data, len);
	free(data);
	change(path[1], "signal=USR1", "signal=USR2", 11, false);
	refuse("two that have one number", -EINVAL, path[1], "both have snapshot 1", out);
}

static void test_out(void)
{
	char link[160], text[192];

	make();
	snprintf(link, sizeof(link), "%s/link", dir);
	if (symlink(path[0], link))
		abort();
	refuse("OUT is one of the files", -EEXIST, path[0], "one of the files", path[0]);
	refuse("OUT is one of the files, by a link", -EEXIST, link, "one of the files", link);
	unlink(link);
	snprintf(text, sizeof(text), "%s/none/out", dir);
	refuse("OUT's directory is missing", -ENOENT, text, "cannot create", text);
	refuse("no space", -ENOSPC, "/dev/full", "no space left", "/dev/full");
}

/* Run `auxrec merge -o -` with a terminal as stdout. Return its exit status and its message. */
static int merge_to_terminal(char text[256])
{
	char *argv[6] = { "merge", "-o", "-", path[0], path[1], NULL };
	const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int messages[2], status = 0;
	ssize_t len;
	pid_t pid;

	if (master < 0 || grantpt(master) || unlockpt(master) || pipe(messages))
		abort();
	pid = fork();
	if (!pid) {
		const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);

		if (terminal < 0 || dup2(terminal, STDOUT_FILENO) < 0 ||
		    dup2(messages[1], STDERR_FILENO) < 0)
			_exit(100);
		_exit(auxrec_merge_main(ARRAY_LEN(argv) - 1, argv));
	}
	waitpid(pid, &status, 0);
	/* A message is shorter than a pipe. */
	close(messages[1]);
	len = read(messages[0], text, 255);
	text[len > 0 ? len : 0] = '\0';
	close(messages[0]);
	close(master);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_terminal(void)
{
	char text[256];
	int status;

	make();
	status = merge_to_terminal(text);
	if (!tap_report(status == 2 && strstr(text, "stdout is a terminal") && is_clean(),
			"OUT is a terminal: wrong usage"))
		printf("# status %d: %s\n", status, text);
}

static int disk_err;

int __wrap_fdatasync(int fd)
{
	errno = disk_err;
	return disk_err ? -1 : __real_fdatasync(fd);
}

static void test_disk(void)
{
	make();
	disk_err = EIO;
	refuse("the disk could not write it", -EIO, out, "Input/output error; nothing was merged",
	       out);
	disk_err = 0;
}

static void test_cut(void)
{
	char *const list[] = { path[0], path[1] };
	const char *wrong = NULL;
	uint8_t *data;
	size_t len, at = 0;
	const int nr = rounds(CUTS);
	int i;

	make();
	len = load(path[1], &data);
	for (i = 0; i < nr && !wrong; i++) {
		struct diag d = { "" };
		struct merge_summary sum;

		at = history_rnd(len);
		store(path[1], data, at);
		if (merge_streams(list, 2, out, &sum, &d) != -EBADMSG)
			wrong = "it was merged";
		else if (!strstr(d.msg, path[1]))
			wrong = "it is not said which file";
		else if (!is_clean())
			wrong = "something was left";
		merge_summary_free(&sum);
	}
	if (wrong)
		printf("# cut at %zu of %zu: %s\n", at, len, wrong);
	tap_report(!wrong, "files that are cut short anywhere");
	free(data);
}

/* Damage @data, which has room for twice @len. Return its new length. */
static size_t damage(uint8_t *data, size_t len)
{
	const unsigned int how = history_rnd(6);
	size_t at = 0, size = record_at(data, len, history_rnd(len), &at);
	int j;

	if (how == 0 && size) {
		/* Remove a record. */
		memmove(data + at, data + at + size, len - at - size);
		return len - size;
	}
	if (how == 1 && size) {
		/* Double a record. */
		memmove(data + at + size, data + at, len - at);
		return len + size;
	}
	if (how == 2 && size) {
		/* Flip a bit of a record. */
		data[at + history_rnd(size)] ^= 1 << history_rnd(8);
		return len;
	}
	for (j = history_rnd(4); j >= 0; j--)
		data[history_rnd(len)] ^= 1 << history_rnd(8);
	return len;
}

static int check_file(const char *name)
{
	struct check *c = calloc(1, sizeof(*c));
	int fd = open(name, O_RDONLY | O_CLOEXEC), rc;

	if (!c || fd < 0)
		abort();
	c->quiet = true;
	rc = check_stream(c, read_fill_fd, &fd);
	check_free(c);
	close(fd);
	free(c);
	return rc;
}

/* Compare what merge did with what check says about the two files. Return NULL if they agree. */
static const char *judge(int rc, const struct diag *d)
{
	const bool valid = check_file(path[1]) == CHECK_VALID;

	if (rc) {
		if (!d->msg[0])
			return "refused without a word";
		if (!is_clean())
			return "something was left";
		return valid && strstr(d->msg, "auxrec check") ?
		       "refused, see auxrec check, which says valid" : NULL;
	}
	if (!valid)
		return "an invalid file was merged";
	return check_file(out) == CHECK_VALID ? NULL : "an invalid stream was made";
}

/* Damage files at random: whatever merge does with them must agree with what check says. */
static void test_damage(uint64_t seed, enum world_aux aux)
{
	char *const list[] = { path[0], path[1] };
	const int nr = rounds(DAMAGES);
	int i, refused = 0, wrong = 0;
	size_t len, size = 0;
	uint8_t *data;

	make_of(aux);
	len = load(path[1], &data);
	history_seed = seed;
	for (i = 0; i < nr; i++) {
		uint8_t *copy = malloc(2 * len);
		struct diag d = { "" };
		struct merge_summary sum;
		const char *bad;
		int rc;

		if (!copy)
			abort();
		memcpy(copy, data, len);
		size = damage(copy, len);
		store(path[1], copy, size);
		rc = merge_streams(list, 2, out, &sum, &d);
		refused += !!rc;
		bad = judge(rc, &d);
		if (bad && ++wrong <= 3)
			printf("# damage %d: %s: %s\n", i, bad, d.msg);
		if (bad && getenv("KEEP_DAMAGED")) {
			char name[300];

			snprintf(name, sizeof(name), "%s/%d-%llu-%d", getenv("KEEP_DAMAGED"),
				 aux, (unsigned long long)seed, i);
			store(name, copy, size);
		}
		store(out, OLD, sizeof(OLD));
		merge_summary_free(&sum);
		free(copy);
	}
	printf("# SEED=%llu: %d of %d were refused\n", (unsigned long long)seed, refused,
	       nr);
	if (wrong)
		printf("# %d were wrong\n", wrong);
	tap_report(refused && !wrong, "files that are damaged, AUX data %d", aux);
	free(data);
}

static void clean(void)
{
	int i;

	for (i = 0; i < 3; i++)
		unlink(path[i]);
	unlink(out);
	rmdir(dir);
}

int main(int argc, char **argv)
{
	int i;

	world = malloc(sizeof(*world));
	if (!world || scratch_dir(dir, sizeof(dir), "test_refused"))
		return 2;
	for (i = 0; i < 3; i++)
		snprintf(path[i], sizeof(path[i]), "%s/snapshot%d", dir, i);
	snprintf(out, sizeof(out), "%s/out", dir);
	test_files();
	test_sizes();
	test_disk();
	test_number();
	test_out();
	test_terminal();
	test_cut();
	for (i = AUX_TASKS; i <= AUX_SAMPLES; i++)
		test_damage(argc > 1 ? strtoull(argv[1], NULL, 0) : 1, i);
	clean();
	free(world);
	return tap_end();
}
