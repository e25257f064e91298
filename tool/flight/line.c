// SPDX-License-Identifier: GPL-2.0-only
/*
 * Describe a snapshot in one line of JSON: what it is, where it comes from, what it lacks, and
 * which builds the trigger's task ran.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/version.h"
#include "flight/flight.h"
#include "origin/clock_name.h"
#include "origin/identity.h"
#include "origin/setup.h"
#include "stream/records.h"
#include "stream/trigger_kind.h"

#define VERSION		1
#define BUILDS_MAX	64
#define ANCESTORS_MAX	4
#define TRIGGERS_TOLD	16
/*
 * No build begins after BUILDS_END bytes. JSON needs up to 6 bytes for a byte: 32 labels have 60
 * KiB, a path has 24 KiB. So the line without builds is shorter than BUILDS_END, and a build is
 * shorter than the rest of HOOK_LINE_MAX.
 */
#define BUILDS_END	(HOOK_LINE_MAX - (30U << 10))

struct task_ids {		/* FORK */
	struct perf_event_header header;
	__u32 pid, ppid, tid, ptid;
	__u64 time;
};

struct task_name {		/* COMM */
	struct perf_event_header header;
	__u32 pid, tid;
	char name[];
};

struct build {
	char *path;
	__u8 id[20];
	__u8 id_size;
};

/* A task has the maps that its ancestors had when they forked, until it executes a program. */
struct snapshot_task {
	/* the task and its ancestors */
	struct { __u32 pid; __u64 from, until; } line[ANCESTORS_MAX + 1];
	size_t nr_line;
	bool found;		/* the last look has found an ancestor */
	char name[16];
	struct build builds[BUILDS_MAX];
	size_t nr;
	__u64 more;
};

bool snapshot_line_wanted(const struct session *s)
{
	return s->opt->flight.snapshot_log || s->opt->flight.on_snapshot;
}

static __u32 pid_of(const struct flight_wish *w)
{
	return w->trigger->kind == TRIGGER_HANG ? (__u32)w->trigger->hang.pid : w->pid;
}

/* The kernel may have used a pid several times. Find the task's last FORK before its end. */
static int look_for_parent(void *ctx, const struct perf_event_header *rec)
{
	const struct task_ids *ids = (const void *)rec;
	struct snapshot_task *t = ctx;
	const size_t child = t->nr_line - 1;

	if (rec->type != PERF_RECORD_FORK || rec->size < sizeof(*ids) ||
	    rec->misc & REC_MISC_FORK_EXEC || ids->pid == ids->ppid ||
	    ids->pid != t->line[child].pid || ids->time > t->line[child].until ||
	    ids->time < t->line[child].from)
		return 0;
	t->line[child].from = ids->time;
	t->line[t->nr_line].pid = ids->ppid;
	t->line[t->nr_line].until = ids->time;
	t->found = true;
	return 0;
}

/*
 * The state has the maps of all tasks that were forked before the state's time. Find the ancestors
 * of a task that was forked later, because that task inherited its maps.
 */
int snapshot_task_begin(struct session *s)
{
	static struct snapshot_task task;
	const struct flight_wish *w = s->flight->writing;
	__u32 pid;
	int err = 0;

	/* A request, which has no task, may come before the crash that shares its snapshot. */
	while (w->next && !pid_of(w))
		w = w->next;
	pid = pid_of(w);
	if (!snapshot_line_wanted(s) || !pid)
		return 0;
	task = (struct snapshot_task){ .line = { { pid, 0, ~0ULL } }, .nr_line = 1, .found = true };
	s->flight->task = &task;
	while (!err && task.found && task.nr_line <= ANCESTORS_MAX) {
		task.found = false;
		err = recent_emit_sideband(s->flight->recent, look_for_parent, &task);
		task.nr_line += task.found;
	}
	return err;
}

static void forget_builds(struct snapshot_task *t)
{
	while (t->nr)
		free(t->builds[--t->nr].path);
	t->more = 0;
}

static void note_map(struct snapshot_task *t, const struct rec_mmap2 *map)
{
	const char *path = (const char *)(map + 1);
	struct build *b;
	size_t i;

	if (!(map->header.misc & REC_MISC_MMAP_BUILD_ID) || map->id_size > sizeof(b->id))
		return;
	for (i = 0; i < t->nr; i++) {
		b = &t->builds[i];
		if (b->id_size == map->id_size && !memcmp(b->id, map->id, b->id_size) &&
		    !strcmp(b->path, path))
			return;
	}
	t->more++;
	if (t->nr == BUILDS_MAX)
		return;
	b = &t->builds[t->nr];
	b->path = strdup(path);
	if (!b->path)
		return;
	b->id_size = map->id_size;
	memcpy(b->id, map->id, b->id_size);
	t->nr++;
	t->more--;
}

static void note_name(struct snapshot_task *t, const struct task_name *comm)
{
	if (comm->header.misc & PERF_RECORD_MISC_COMM_EXEC)
		forget_builds(t);
	if (comm->pid == comm->tid)
		snprintf(t->name, sizeof(t->name), "%s", comm->name);
}

void snapshot_task_record(struct session *s, const struct perf_event_header *rec)
{
	const struct task_name *comm = (const void *)rec;
	struct snapshot_task *t = s->flight->task;
	struct rec_sample_id id;
	size_t i;

	/* The records have a sample_id at their end, and both types have the pid first. */
	if (!t || (rec->type != PERF_RECORD_MMAP2 && rec->type != PERF_RECORD_COMM) ||
	    rec->size < sizeof(*comm) + sizeof(id))
		return;
	memcpy(&id, (const __u8 *)rec + rec->size - sizeof(id), sizeof(id));
	for (i = 0; i < t->nr_line; i++)
		if (t->line[i].pid == comm->pid && id.time >= t->line[i].from &&
		    id.time <= t->line[i].until)
			break;
	if (i == t->nr_line)
		return;
	if (rec->type == PERF_RECORD_COMM)
		note_name(t, comm);
	else
		note_map(t, (const void *)rec);
}

static void put_time(struct json *j, __u64 ns)
{
	const time_t seconds = ns / NSEC_PER_SEC;
	char day[32], text[64];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s.%09lluZ", day, (unsigned long long)(ns % NSEC_PER_SEC));
	json_string(j, "time", text);
}

/* Prints the labels of the identity, or its other strings. */
struct put_strings {
	struct json *j;
	bool labels;
	bool has_machine, has_boot;
	const char *clock;
};

static void put_string(struct put_strings *p, const char *key, size_t len, const char *value)
{
	const size_t label = sizeof(AUXREC_IDENTITY_LABEL) - 1;
	char name[AUXREC_LABEL_KEY_MAX + 1];

	if (p->labels) {
		if (len <= label || memcmp(key, AUXREC_IDENTITY_LABEL, label))
			return;
		snprintf(name, sizeof(name), "%.*s", (int)(len - label), key + label);
		json_string(p->j, name, value);
	} else if (len == strlen("machine-id") && !memcmp(key, "machine-id", len)) {
		json_string(p->j, "machine_id", value);
		p->has_machine = true;
	} else if (len == strlen("boot-id") && !memcmp(key, "boot-id", len)) {
		json_string(p->j, "boot_id", value);
		p->has_boot = true;
	}
}

static int put_identity(void *ctx, const struct read_record *rec)
{
	const struct rec_clock_data *clock = (const void *)rec->hdr;
	struct put_strings *p = ctx;
	const char *key, *value;
	struct read_bytes b;
	size_t len;

	if (read_identity(rec, &b))
		while (read_identity_next(&b, &key, &len, &value))
			put_string(p, key, len, value);
	if (rec->type == REC_FEATURE && rec->size >= sizeof(*clock) &&
	    clock->feature == REC_FEAT_CLOCK_DATA)
		p->clock = clock_name(clock->clockid);
	return 0;
}

/*
 * Take the ids from the setup and not from this boot, because auxrec recover writes the line after
 * a crash of the machine. Damaged records are left out.
 */
static void put_origin(struct json *j, const struct session *s)
{
	const struct made *setup = &s->flight->setup;
	struct put_strings p = { .j = j };
	char host[HOST_NAME_MAX + 1] = "";

	gethostname(host, sizeof(host) - 1);
	json_string(j, "host", host);
	setup_each(setup->bytes, setup->size, put_identity, &p);
	if (!p.has_machine)
		json_string(j, "machine_id", NULL);
	if (!p.has_boot)
		json_string(j, "boot_id", NULL);
	json_object(j, "labels", JSON_TIGHT);
	p.labels = true;
	setup_each(setup->bytes, setup->size, put_identity, &p);
	json_end_object(j);
	json_string(j, "clock", p.clock ?: "perf");
}

static void put_trigger(struct json *j, const char *key, const struct flight_wish *w,
			const struct snapshot_task *t)
{
	json_object(j, key, JSON_TIGHT);
	json_string(j, "name", w->name);
	json_string(j, "kind", trigger_kind_name(w->trigger->kind));
	json_u64(j, "count", w->triggers);
	json_u64(j, "time", w->time);
	if (pid_of(w))
		json_u64(j, "pid", pid_of(w));
	if (t && t->line[0].pid == pid_of(w))
		json_string(j, "task", t->name);
	json_end_object(j);
}

/* The triggers that share the snapshot, at most TRIGGERS_TOLD. The first is "trigger", too. */
static void put_triggers(struct json *j, const struct flight *f)
{
	const struct flight_wish *w;
	unsigned int nr = 0;

	put_trigger(j, "trigger", f->writing, f->task);
	json_array(j, "triggers", JSON_TIGHT);
	for (w = f->writing; w && nr++ < TRIGGERS_TOLD; w = w->next)
		put_trigger(j, NULL, w, f->task);
	json_end_array(j);
}

static void put_losses(struct json *j, const struct snapshot_losses *l)
{
	__u64 i = l->nr > SNAPSHOT_LOSSES ? l->nr - SNAPSHOT_LOSSES : 0;

	json_object(j, "complete", JSON_TIGHT);
	json_u64(j, "begin", l->facts.complete.begin);
	json_u64(j, "end", l->facts.complete.end);
	json_end_object(j);
	json_u64(j, "lost_records", l->facts.lost);
	json_u64(j, "gaps", l->facts.gaps);
	json_u64(j, "gap_bytes", l->facts.gap_bytes);
	json_array(j, "losses", JSON_TIGHT);
	for (; i < l->nr; i++) {
		const struct snapshot_loss *loss = &l->newest[i % SNAPSHOT_LOSSES];

		json_object(j, NULL, JSON_TIGHT);
		json_string(j, "cause", loss->cause);
		json_u64(j, "begin", loss->begin);
		json_u64(j, "end", loss->end);
		json_u64(j, "bytes", loss->bytes);
		json_u64(j, "records", loss->records);
		json_end_object(j);
	}
	json_end_array(j);
}

/* The first build is the program, because the kernel maps it before all libraries. */
static void put_builds(struct json *j, const struct snapshot_task *t)
{
	__u64 more = t ? t->more : 0;
	size_t i;

	json_array(j, "builds", JSON_TIGHT);
	for (i = 0; t && i < t->nr; i++) {
		if (ftell(j->f) > (long)BUILDS_END) {
			more += t->nr - i;
			break;
		}
		json_object(j, NULL, JSON_TIGHT);
		json_string(j, "path", t->builds[i].path);
		json_hex(j, "build_id", t->builds[i].id, t->builds[i].id_size);
		json_end_object(j);
	}
	json_end_array(j);
	json_u64(j, "more_builds", more);
}

char *snapshot_line(struct session *s, const char *path, __u64 bytes)
{
	const struct flight *f = s->flight;
	char recording[32], *line = NULL;
	size_t size;
	struct json j = { .f = open_memstream(&line, &size) };

	if (!j.f)
		return NULL;
	snprintf(recording, sizeof(recording), "0x%llx", (unsigned long long)s->recording);
	json_object(&j, NULL, JSON_TIGHT);
	json_u64(&j, "version", VERSION);
	json_string(&j, "path", path);
	json_u64(&j, "bytes", bytes);
	put_time(&j, f->writing_since);
	put_origin(&j, s);
	json_string(&j, "recorder", auxrec_version);
	json_string(&j, "recording", recording);
	json_u64(&j, "number", f->number);
	put_triggers(&j, f);
	put_losses(&j, f->losses);
	put_builds(&j, f->task);
	json_end_object(&j);
	if (fclose(j.f)) {
		free(line);
		return NULL;
	}
	/* The writer ends the outermost object with a newline. */
	line[strcspn(line, "\n")] = '\0';
	return line;
}
