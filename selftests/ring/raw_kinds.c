// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of PERFAUX_ATTACH_RAW for each kind of trace event. The ring gets the same
 * bytes as an event beside it that is not attached; for a task, for a CPU, and for
 * a task on a CPU.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/raw_lib.h"
#include "lib/raw_seen.h"

#define TRACING		"/sys/kernel/tracing/"
#define GROUP		"raw_kinds"
#define HITS		300
#define MIB		(1U << 20)
#define MAIN_SIZE	(4 * MIB)
/* The longest string: more than a page, less than perf's 8 KiB for an event */
#define LONGEST		4000

/* Return a string whose length goes from 1 to LONGEST - 1 with @n. */
static const char *string_of(unsigned int n)
{
	static char text[LONGEST];
	const unsigned int length = 1 + n * 131 % (LONGEST - 1);

	memset(text, 'a' + n % 26, length);
	text[length] = 0;
	return text;
}

/* The uprobe takes the first argument of this function. */
static __attribute__((noinline, noclone)) void probed(const char *text)
{
	asm volatile("" : : "r"(text) : "memory");
}

static int probe_add(const char *kind, const char *definition)
{
	char path[128];
	int fd, ret = 0;

	snprintf(path, sizeof(path), TRACING "%s_events", kind);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, definition, strlen(definition)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* --- the kinds ------------------------------------------------------------- */

static void tracepoint_hit(unsigned int n)
{
	char name[16];

	snprintf(name, sizeof(name), "kind-%u", n);
	prctl(PR_SET_NAME, name);
}

static int tracepoint_open(void)
{
	return raw_tracepoint("task", "task_rename");
}

static void kprobe_hit(unsigned int n)
{
	close(open(string_of(n), O_RDONLY | O_CLOEXEC));
}

static int kprobe_open(void)
{
	static const char definition[] = "p:" GROUP
		"/k do_sys_openat2 dir=$arg1:s32 name=+0($arg2):ustring";
	const int ret = probe_add("kprobe", definition);

	return ret ?: raw_tracepoint(GROUP, "k");
}

static int kretprobe_open(void)
{
	int ret = probe_add("kprobe", "r:" GROUP "/r do_sys_openat2 $retval:s64");

	return ret ?: raw_tracepoint(GROUP, "r");
}

static void uprobe_hit(unsigned int n)
{
	probed(string_of(n));
}

/* Return the offset of @function in the file of this program. */
static long offset_of(const void *function)
{
	const unsigned long at = (unsigned long)function;
	unsigned long start, end, offset;
	long found = -ENOENT;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "re");

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    at >= start && at < end)
			found = at - start + offset;
	if (maps)
		fclose(maps);
	return found;
}

static int uprobe_open(void)
{
	char self[256], definition[512];
	const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int ret;

	if (length < 0)
		return -errno;
	self[length] = 0;
	snprintf(definition, sizeof(definition),
		 "p:" GROUP "/u %s:%#lx text=+0(%%di):string", self,
		 offset_of(probed));
	ret = probe_add("uprobe", definition);
	return ret ?: raw_tracepoint(GROUP, "u");
}

/* struct user_reg of include/uapi/linux/user_events.h, since 6.4 */
struct user_register {
	__u32 size;
	__u8 enable_bit;
	__u8 enable_size;
	__u16 flags;
	__u64 enable_addr;
	__u64 name_args;
	__u32 write_index;
} __attribute__((packed));

#define USER_REGISTER	_IOWR('*', 0, struct user_register *)

static int user_fd = -1;
static __u32 user_enabled, user_index;

static void user_hit(unsigned int n)
{
	const char *text = string_of(n);
	/*
	 * The upper half is the string's length. The lower half is its distance,
	 * which is 0, because the string comes next.
	 */
	__u32 location = (strlen(text) + 1) << 16;
	const struct iovec io[] = {
		{ &user_index, sizeof(user_index) },
		{ &location, sizeof(location) },
		{ (void *)text, strlen(text) + 1 },
	};

	/* Before the event is enabled nobody listens, and the write fails. */
	if (writev(user_fd, io, ARRAY_SIZE(io)) < 0 && errno != EBADF)
		perror("user_events_data");
}

/*
 * Unlike the other kinds, user_events do not pad their data: frames have the true
 * length.
 */
static uint64_t user_length(unsigned int n)
{
	const size_t common = 8;

	return common + sizeof(__u32) + strlen(string_of(n)) + 1;
}

static int user_open(void)
{
	static const char name[] = "raw_kinds_user __rel_loc char[] text";
	struct user_register reg = {
		.size = sizeof(reg),
		.enable_size = sizeof(user_enabled),
		.enable_addr = (uintptr_t)&user_enabled,
		.name_args = (uintptr_t)name,
	};

	user_fd = open(TRACING "user_events_data", O_RDWR | O_CLOEXEC);
	if (user_fd < 0)
		return -errno;
	if (ioctl(user_fd, USER_REGISTER, &reg))
		return -errno;
	user_index = reg.write_index;
	return raw_tracepoint("user_events", "raw_kinds_user");
}

/* --- the test -------------------------------------------------------------- */

/* Scopes of an event: a task, a CPU, a task on a CPU */
#define SCOPES	3

FIXTURE(kinds) {
	struct ring ring;
	struct child child;
	struct raw_event ring_ev[SCOPES];
	struct raw_event plain_ev[SCOPES];
	int cpu;
};

FIXTURE_VARIANT(kinds) {
	int (*open)(void);	/* returns the event's id */
	void (*hit)(unsigned int n);
	uint64_t (*length)(unsigned int n);	/* if perf must pad the data */
};

FIXTURE_VARIANT_ADD(kinds, tracepoint) {
	.open = tracepoint_open, .hit = tracepoint_hit,
};

FIXTURE_VARIANT_ADD(kinds, kprobe) {
	.open = kprobe_open, .hit = kprobe_hit,
};

FIXTURE_VARIANT_ADD(kinds, kretprobe) {
	.open = kretprobe_open, .hit = kprobe_hit,
};

FIXTURE_VARIANT_ADD(kinds, uprobe) {
	.open = uprobe_open, .hit = uprobe_hit,
};

FIXTURE_VARIANT_ADD(kinds, user_events) {
	.open = user_open, .hit = user_hit, .length = user_length,
};

struct task {
	void (*hit)(unsigned int n);
	int cpu;
};

static void task_fn(void *arg)
{
	const struct task *task = arg;
	unsigned int n;

	pin_to(task->cpu);
	for (n = 0; n < HITS; n++)
		task->hit(n);
}

FIXTURE_SETUP(kinds)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.sample_period = 1,
	};
	struct perfaux_create create;
	int cpus[64], i, id;
	struct task task;

	self->ring.fd = -1;
	if (variant->open == user_open && access(TRACING "user_events_data", F_OK))
		SKIP(return, "no CONFIG_USER_EVENTS");
	ASSERT_LT(0, online_cpus(cpus, 64));
	self->cpu = cpus[0];
	ring_params(&create, MIB, 8);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	id = variant->open();
	ASSERT_LT(0, id);
	attr.config = id;
	task = (struct task){ variant->hit, self->cpu };
	ASSERT_EQ(0, child_start(&self->child, task_fn, &task));
	for (i = 0; i < SCOPES; i++) {
		const pid_t pid = i == 1 ? -1 : self->child.pid;
		const int cpu = i == 0 ? -1 : self->cpu;

		ASSERT_EQ(0, raw_open(&self->ring_ev[i], &attr, pid, cpu,
				      MAIN_SIZE));
		ASSERT_EQ(0, raw_open(&self->plain_ev[i], &attr, pid, cpu,
				      MAIN_SIZE));
		ASSERT_EQ(0, raw_attach(&self->ring, self->ring_ev[i].fd, i));
		ASSERT_EQ(0, event_enable(self->ring_ev[i].fd));
		ASSERT_EQ(0, event_enable(self->plain_ev[i].fd));
	}
}

FIXTURE_TEARDOWN(kinds)
{
	int i;

	if (self->ring.fd < 0)
		return;
	for (i = 0; i < SCOPES; i++) {
		raw_close(&self->ring_ev[i]);
		raw_close(&self->plain_ev[i]);
	}
	ring_close(&self->ring);
	/* This fails if the probe does not exist. */
	probe_add("kprobe", "-:" GROUP "/k");
	probe_add("kprobe", "-:" GROUP "/r");
	probe_add("uprobe", "-:" GROUP "/u");
}

/* Same as see(), but for one task */
struct seen_task {
	struct seen seen;
	uint32_t pid;
};

static void see_task(void *ctx, const struct raw_sample *sample)
{
	struct seen_task *of = ctx;

	if (sample->pid == of->pid)
		see(&of->seen, sample);
}

TEST_F_TIMEOUT(kinds, same_as_without, SECONDS)
{
	const uint32_t pid = self->child.pid;
	uint64_t references = 0, bytes = 0;
	int i;

	for (i = 0; variant->length && i < HITS; i++)
		bytes += variant->length(i);
	child_go(&self->child);
	ASSERT_EQ(0, child_wait(&self->child));
	for (i = 0; i < SCOPES; i++) {
		struct seen_task by_ring = {
			{ .ring = &self->ring, .cookie = i }, pid,
		};
		struct seen_task plain = {
			{ .ring = &self->ring }, pid,
		};

		by_ring.seen.room = MAIN_SIZE;
		plain.seen.room = MAIN_SIZE;
		by_ring.seen.pad = variant->length;
		by_ring.seen.copy = calloc(1, MAIN_SIZE);
		plain.seen.copy = calloc(1, MAIN_SIZE);
		ASSERT_NE(NULL, by_ring.seen.copy);
		ASSERT_NE(NULL, plain.seen.copy);
		ASSERT_EQ(0, event_disable(self->ring_ev[i].fd));
		ASSERT_EQ(0, event_disable(self->plain_ev[i].fd));
		ASSERT_EQ(0, raw_read(&self->ring_ev[i], see_task, &by_ring));
		ASSERT_EQ(0, raw_read(&self->plain_ev[i], see_task, &plain));
		EXPECT_STREQ("", wrong_of(&by_ring.seen));
		EXPECT_EQ(0, by_ring.seen.kept);
		EXPECT_EQ(0, by_ring.seen.stale);
		EXPECT_EQ(0, plain.seen.references);
		EXPECT_LE(HITS, plain.seen.kept);
		EXPECT_EQ(plain.seen.kept, by_ring.seen.references);
		EXPECT_LT(0, plain.seen.copied);
		EXPECT_EQ(plain.seen.copied, by_ring.seen.copied);
		EXPECT_EQ(0, memcmp(plain.seen.copy, by_ring.seen.copy,
				    plain.seen.copied));
		if (variant->length)
			EXPECT_EQ(bytes, by_ring.seen.bytes);
		references += by_ring.seen.references;
		free(by_ring.seen.copy);
		free(plain.seen.copy);
	}
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	EXPECT_LE(references, self->ring.ctl->frames);
	EXPECT_EQ(0, ring_lost(&self->ring, PERFAUX_CAUSE_FULL));
}

TEST_HARNESS_MAIN
