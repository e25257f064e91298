// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of a user who records its own task, which then executes a program that has
 * more rights, or that the user may not read. perf ends the user's event there, and
 * the ring gets no more data.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "lib/auxgen_check.h"

#define USER		1000
#define TURNS		100
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

/* What the program's ring has counted */
struct counts {
	uint64_t bytes;
	uint64_t seq;		/* seq of spans and gaps */
};

/* What the user has seen */
struct seen {
	int error;		/* the line that failed */
	uid_t euid;
	gid_t egid;
	struct counts begun;	/* when the program began to run */
	struct counts end;
	uint64_t begun_at;
	uint64_t last;		/* t_end of the last span */
	uint32_t others;	/* spans of other tasks */
};

FIXTURE(setuid) {
	struct seen *seen;
	char dir[32];
	char program[64];
	char paranoid[16];
};

FIXTURE_VARIANT(setuid) {
	mode_t mode;
	uid_t euid;
	gid_t egid;
	bool goes_on;
};

FIXTURE_VARIANT_ADD(setuid, ordinary) {
	.mode = 0755, .euid = USER, .egid = USER, .goes_on = true,
};

FIXTURE_VARIANT_ADD(setuid, set_user_id) {
	.mode = 04755, .euid = 0, .egid = USER,
};

FIXTURE_VARIANT_ADD(setuid, set_group_id) {
	.mode = 02755, .euid = USER, .egid = 0,
};

FIXTURE_VARIANT_ADD(setuid, unreadable) {
	.mode = 0711, .euid = USER, .egid = USER,
};

static int copy_program(const char *path, mode_t mode)
{
	int from = open("/bin/cat", O_RDONLY | O_CLOEXEC);
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	char buf[65536];
	ssize_t n;

	if (from < 0 || to < 0)
		return -errno;
	while ((n = read(from, buf, sizeof(buf))) > 0)
		if (write(to, buf, n) != n)
			return -EIO;
	if (n || fchmod(to, mode))
		return -errno;
	close(from);
	close(to);
	return 0;
}

FIXTURE_SETUP(setuid)
{
	struct stat st;

	self->seen = mmap(NULL, sizeof(*self->seen), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->seen);
	strcpy(self->dir, "/tmp/setuid.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, chmod(self->dir, 0755));
	snprintf(self->program, sizeof(self->program), "%s/cat", self->dir);
	ASSERT_EQ(0, copy_program(self->program, variant->mode));
	ASSERT_EQ(0, stat(self->program, &st));
	ASSERT_EQ(variant->mode, st.st_mode & 07777);
	ASSERT_EQ(0, file_read(PARANOID, self->paranoid, sizeof(self->paranoid)));
	ASSERT_EQ(0, file_write(PARANOID, "1"));
}

FIXTURE_TEARDOWN(setuid)
{
	unlink(self->program);
	rmdir(self->dir);
	file_write(PARANOID, self->paranoid);
}

#define CHECK(cond) do {				\
	if (!(cond)) {					\
		seen->error = __LINE__;			\
		_exit(1);				\
	}						\
} while (0)

struct program {
	const char *path;
	int in[2], out[2];
};

static void exec_fn(void *arg)
{
	struct program *p = arg;
	int i;

	/* Record some data while it is allowed. */
	for (i = 0; i < TURNS; i++)
		usleep(1);
	if (dup2(p->in[0], 0) < 0 || dup2(p->out[1], 1) < 0)
		_exit(1);
	execl(p->path, p->path, NULL);
	_exit(1);
}

/* The program returns a byte; it has run and waited in between. */
static bool turn(struct program *p)
{
	char c = 'x';

	return write(p->in[1], &c, 1) == 1 && read(p->out[0], &c, 1) == 1 && c == 'x';
}

static struct counts count(struct ring *ring)
{
	struct counts counts;

	ring_flush(ring, PERFAUX_FLUSH_SPANS);
	counts.bytes = counter(&ring->ctl->bytes);
	counts.seq = counter(&ring->ctl->seq);
	return counts;
}

/* Get the effective ids of a process. */
static bool effective(pid_t pid, uid_t *uid, gid_t *gid)
{
	char path[64], line[256];
	bool have_uid = false, have_gid = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		have_uid |= sscanf(line, "Uid: %*u %u", uid) == 1;
		have_gid |= sscanf(line, "Gid: %*u %u", gid) == 1;
	}
	if (f)
		fclose(f);
	return have_uid && have_gid;
}

static void look_at_spans(struct seen *seen, const struct ring *ring, pid_t pid)
{
	const uint32_t per_segment = ring->ctl->spans_per_segment;
	uint32_t i, k;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		for (k = 0; k < ring->segments[i].nr_spans; k++) {
			const struct perfaux_span *span = ring->spans + i * per_segment + k;

			seen->others += span->pid != (uint32_t)pid;
			if (span->t_end > seen->last)
				seen->last = span->t_end;
		}
	}
}

/* As the user: let the child execute @path, with its event attached to a ring. */
static void record(struct seen *seen, const char *path)
{
	const struct auxgen_config config = { AUXGEN_F_CTX, 0 };
	struct program program = { .path = path };
	struct perfaux_create create;
	struct child child;
	struct ring ring;
	int event, i;

	CHECK(!setgroups(0, NULL) && !setresgid(USER, USER, USER) &&
	      !setresuid(USER, USER, USER) && !prctl(PR_SET_DUMPABLE, 1));
	CHECK(!pipe2(program.in, O_CLOEXEC) && !pipe2(program.out, O_CLOEXEC));
	CHECK(!child_start(&child, exec_fn, &program));
	event = auxgen_open(&config, child.pid, -1, 0);
	CHECK(event >= 0);
	ring_params(&create, 65536, 8);
	CHECK(!ring_open(&ring, &create));
	CHECK(!ring_attach(&ring, event, COOKIE(1)) && !event_enable(event));
	child_go(&child);
	CHECK(turn(&program));
	seen->begun_at = now_ns();
	CHECK(effective(child.pid, &seen->euid, &seen->egid));
	seen->begun = count(&ring);
	for (i = 0; i < TURNS; i++)
		CHECK(turn(&program));
	seen->end = count(&ring);
	look_at_spans(seen, &ring, child.pid);
	close(program.in[1]);
	CHECK(!child_wait(&child));
}

TEST_F(setuid, exec)
{
	struct seen *seen = self->seen;
	pid_t pid = fork();

	if (!pid) {
		record(seen, self->program);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_EQ(0, seen->error);
	EXPECT_EQ(variant->euid, seen->euid);
	EXPECT_EQ(variant->egid, seen->egid);
	EXPECT_LT(0, seen->begun.bytes);
	EXPECT_EQ(0, seen->others);
	if (variant->goes_on) {
		EXPECT_LE(seen->begun.seq + TURNS / 2, seen->end.seq);
		EXPECT_LT(seen->begun.bytes, seen->end.bytes);
		EXPECT_LT(seen->begun_at, seen->last);
	} else {
		EXPECT_EQ(seen->begun.seq, seen->end.seq);
		EXPECT_EQ(seen->begun.bytes, seen->end.bytes);
		EXPECT_GT(seen->begun_at, seen->last);
	}
}

TEST_HARNESS_MAIN
