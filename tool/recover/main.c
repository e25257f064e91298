// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line of auxrec recover.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/command_line.h"
#include "helper/append.h"
#include "recover/main.h"
#include "recover/recording.h"
#include "recover/region.h"
#include "snapfile/write.h"

enum {
	RECOVER_OK	= 0,
	RECOVER_NOTHING	= 1,
	RECOVER_ERROR	= 2,
};

#define WHO		"auxrec recover"
#define PATTERN		"%o.crash.%t"

static const char usage[] =
"Usage: auxrec recover [OPTION]...\n"
"After a crash of the machine, make a snapshot of what a flight recorder\n"
"with --survive-crash had recorded until then. auxrec, perf and auxview read\n"
"it as any snapshot. Then wipe the reserved memory, so that a new recorder can\n"
"use it.\n"
"\n"
"  -o, --output FILE   the snapshot; -: standard output; with --name: the name\n"
"                      for %o in PATTERN (default: perf.data)\n"
"      --name PATTERN  name of the snapshot, as that of a flight recorder's\n"
"                      snapshots (without -o: " PATTERN ")\n"
"      --log-snapshots FILE\n"
"                      append a line of JSON about the snapshot, as a flight\n"
"                      recorder does\n"
"      --keep          do not wipe the memory\n"
"      --save FILE     only copy the memory to FILE, which --region FILE reads later\n"
"      --region FILE   read such a copy, and not the memory\n"
"      --wipe          only wipe the memory: what was kept is lost\n"
"  -q, --quiet         print nothing if nothing was kept\n"
"  -h, --help          print this text\n"
"\n"
"Exit status: 0 a snapshot is written (or the memory copied or wiped), 1\n"
"nothing was kept, 2 usage or I/O error, or nothing can be recovered.\n"
"See auxrec-recover(8).\n";

struct recover_command {
	const char *output;
	const char *name;
	const char *region;
	const char *save;
	const char *log_snapshots;
	bool keep;
	bool wipe;
	bool quiet;
};

static int set_option(void *ctx, char letter, const char *value)
{
	struct recover_command *c = ctx;

	switch (letter) {
	case 'o':
		c->output = value;
		break;
	case 'n':
		c->name = value;
		break;
	case 'r':
		c->region = value;
		break;
	case 's':
		c->save = value;
		break;
	case 'l':
		c->log_snapshots = value;
		break;
	case 'k':
		c->keep = true;
		break;
	case 'w':
		c->wipe = true;
		break;
	case 'q':
		c->quiet = true;
		break;
	}
	return COMMAND_GO_ON;
}

static const struct command_option options[] = {
	{ "output", 'o', true, true },
	{ "name", 'n', false, true },
	{ "region", 'r', false, true },
	{ "save", 's', false, true },
	{ "log-snapshots", 'l', false, true },
	{ "keep", 'k', false, false },
	{ "wipe", 'w', false, false },
	{ "quiet", 'q', true, false },
	{ }
};

static const struct command_line command = {
	.who = WHO, .usage = usage, .options = options, .set = set_option,
};

/* --- the snapshot ----------------------------------------------------------- */

static int write_stream(void *ctx)
{
	return crash_write(ctx);
}

static bool may_go(void *ctx)
{
	(void)ctx;
	return false;
}

static bool no_space(void *ctx, const struct keep_new *new)
{
	(void)ctx;
	(void)new;
	return false;
}

static int write_named(struct recording *r, const struct recover_command *c,
		       const struct crash *crash, char *path, size_t size, struct diag *d)
{
	static struct snapfile file;
	struct timespec now;
	struct snapfile_job job = {
		.pattern = c->name ? c->name : PATTERN,
		.base = c->output ? c->output : FLIGHT_DEFAULT_FILE,
		.trigger = crash->wish.name,
		.number = r->flight.number,
		.out = &r->session.out,
		.write = write_stream, .may_go = may_go, .no_space = no_space, .ctx = r,
	};
	int err;

	clock_gettime(CLOCK_REALTIME, &now);
	job.time = now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
	err = snapfile_write(&file, &job, d);
	if (!err)
		snprintf(path, size, "%s", file.path);
	return err;
}

/* The memory is wiped after this, so the data must be on disk. */
static int write_output(struct recording *r, const char *output, struct diag *d)
{
	struct stream *out = &r->session.out;
	int err = stream_open(out, output, d), fd;

	if (err)
		return err;
	if (write_frames_name(output))
		err = stream_compress(out, WRITE_FRAMES_LEVEL, d);
	fd = dup(out->fd);
	err = err ?: crash_write(r);
	err = stream_close(out) ?: err;
	if (!err && fd >= 0 && fsync(fd) && errno != EINVAL && errno != EROFS)
		err = -errno;
	if (fd >= 0)
		close(fd);
	return err ? diag(d, err, "cannot write the snapshot to %s: %s",
			  strcmp(output, "-") ? output : "standard output", strerror(-err)) : 0;
}

/* --- the line of --log-snapshots -------------------------------------------- */

static const struct session_mode mode = { .gap = snapshot_losses_gap };

/* Call this before the snapshot is written. The time in its line is that of the recovery. */
static void line_begin(struct recording *r, const struct recover_command *c)
{
	static struct snapshot_losses losses;
	struct timespec now;

	if (!c->log_snapshots)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	r->options.flight.snapshot_log = c->log_snapshots;
	r->session.mode = &mode;
	r->flight.losses = &losses;
	r->flight.writing_since = now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

/* The snapshot stays on disk even if its line cannot be written. */
static void line_end(struct recording *r, const struct recover_command *c, const char *path)
{
	char real[PATH_MAX], *line;
	struct diag d = { "out of memory" };

	if (!c->log_snapshots)
		return;
	if (!realpath(path, real))
		snprintf(real, sizeof(real), "%s", path);
	line = snapshot_line(&r->session, real, r->session.out.stored);
	if (!line || append_line(c->log_snapshots, line, &d))
		fprintf(stderr, WHO ": --log-snapshots: %s has no line: %s\n", real, d.msg);
	free(line);
}

static void tell(const struct recording *r, const struct kept *k, const char *path)
{
	const struct kept_ring *ring = &r->ring;
	const struct journal_found *found = &r->journal;
	const char *message = k->stopped ? (const char *)k->stop.message : "";

	fprintf(stderr, WHO ": %s: %s%s%s\n", path, crash_how(k), *message ? ": " : "", message);
	fprintf(stderr,
		WHO ": boot %s: %llu records, %llu spans (%llu had not ended) and %llu frames of %.1f MiB\n",
		r->boot_id, (unsigned long long)r->records, (unsigned long long)ring->nr_spans,
		(unsigned long long)ring->open, (unsigned long long)ring->frames,
		ring->bytes / 1048576.0);
	if (k->stopped && k->stop.time > r->settled.looked)
		fprintf(stderr, WHO ": the recorder had read its records up to %.1f ms before the stop; AUX data and raw data have no such gap\n",
			(k->stop.time - r->settled.looked) / 1e6);
	if (found->lost || found->holes || ring->damaged)
		fprintf(stderr,
			WHO ": lost: %llu records did not fit into the memory, %llu places (%llu bytes) of the records and %llu spans, frames or gaps were damaged\n",
			(unsigned long long)found->lost, (unsigned long long)found->holes,
			(unsigned long long)found->hole_bytes, (unsigned long long)ring->damaged);
	/* A writer first claims a segment, then counts the overwritten data: pa_segment_claim(). */
	if (ring->taken)
		fprintf(stderr,
			WHO ": writers had just claimed %u segments at the stop: up to %llu KiB of older data may have been overwritten without being counted\n",
			ring->taken, (unsigned long long)ring->taken * k->head.segment_size >> 10);
}

static int recover(const struct recover_command *c, const struct region *region, struct diag *d)
{
	const bool exact = c->output && !c->name;
	struct recording *r;
	char path[PATH_MAX];
	struct crash crash;
	struct kept k;
	int err;

	err = kept_check(&k, region->memory, region->size, d);
	if (err)
		return err;
	r = calloc(1, sizeof(*r));
	if (!r)
		return diag(d, -ENOMEM, "out of memory");
	err = recording_make(r, &k, d);
	if (!err) {
		crash_init(&crash, &k, r);
		snprintf(path, sizeof(path), "%s", exact ? c->output : "");
		line_begin(r, c);
		err = exact ? write_output(r, c->output, d) :
			      write_named(r, c, &crash, path, sizeof(path), d);
	}
	if (!err) {
		line_end(r, c, path);
		tell(r, &k, path);
	}
	recording_free(r);
	free(r);
	return err;
}

/* With -q, do not say that nothing was kept. */
static int fail(const struct recover_command *c, int err, const struct diag *d)
{
	if (c->quiet && err == -ENODATA)
		return RECOVER_NOTHING;
	fprintf(stderr, WHO ": %s\n", d->msg);
	return err == -ENODATA ? RECOVER_NOTHING : RECOVER_ERROR;
}

/* Return whether the module is missing. With -q, this counts as if nothing was kept. */
static bool is_no_device(const struct recover_command *c, int err)
{
	return err == -ENOENT && !c->region;
}

static int run(const struct recover_command *c)
{
	struct region region;
	struct diag d = { "" };
	int err;

	if (c->wipe) {
		err = region_wipe(&d);
		if (c->quiet && is_no_device(c, err))
			return RECOVER_NOTHING;
		return err ? fail(c, err, &d) : RECOVER_OK;
	}
	err = region_open(&region, c->region, &d);
	if (c->quiet && is_no_device(c, err))
		return RECOVER_NOTHING;
	if (err)
		return fail(c, err, &d);
	err = c->save ? region_save(&region, c->save, &d) : recover(c, &region, &d);
	region_close(&region);
	if (err == -ENODATA && !c->keep && !c->region) {
		/* The memory has no recording, and the next recorder needs it. */
		fail(c, err, &d);
		err = region_wipe(&d);
		return err ? fail(c, err, &d) : RECOVER_NOTHING;
	}
	if (!err && !c->keep && !c->region)
		err = region_wipe(&d);
	return err ? fail(c, err, &d) : RECOVER_OK;
}

int auxrec_recover_main(int argc, char **argv)
{
	struct recover_command c = { .output = NULL };
	struct diag d;
	const int rc = command_options(&command, argc, argv, &c);

	if (rc != COMMAND_GO_ON)
		return rc;
	if (optind != argc) {
		fprintf(stderr, WHO ": '%s': recover takes no arguments: give -o FILE\n",
			argv[optind]);
		return command_usage(&command);
	}
	if (c.wipe && (c.output || c.name || c.keep || c.region || c.save)) {
		fprintf(stderr, WHO ": --wipe goes alone\n");
		return command_usage(&command);
	}
	if (c.save && (c.output || c.name || c.region)) {
		fprintf(stderr, WHO ": --save writes no snapshot: leave out -o, --name and --region\n");
		return command_usage(&command);
	}
	if (c.name && snapfile_check(c.name, &d)) {
		fprintf(stderr, WHO ": --name %s\n", d.msg);
		return command_usage(&command);
	}
	return run(&c);
}
