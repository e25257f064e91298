// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/event/probe.c: the functions of this program, a probe in the kernel, and errors.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "event/event.h"
#include "event/probe.h"
#include "probe_twin.h"

#define EXE	"/proc/self/exe"
#define TYPE	77
#define IS_INDIRECT \
	" is an indirect function: its symbol is the code that chooses the real one; give that one's name"

/* Not code, although the symbol has no type. */
__asm__(".pushsection .data\nno_code: .long 0\n.popsection");

__attribute__((noinline, noclone)) int probed(int i);
int probed(int i)
{
	__asm__ volatile("" : "+r"(i));
	return i + 1;
}

static __attribute__((noinline, noclone)) int twin(int i)
{
	__asm__ volatile("" : "+r"(i));
	return i + 3;
}

static int (*choose(void))(int)
{
	return probed;
}

int chosen(int i) __attribute__((ifunc("choose")));

/* A sysfs that has a uprobe PMU of type TYPE, if there is one */
FIXTURE(probe) {
	char dir[64];
	char pmu[128];
	struct auxrec_sysroot root;
	struct auxrec_events events;
	char err[1024];
};

static int make(FIXTURE_DATA(probe) *self, bool has_pmu)
{
	char path[256];
	FILE *f;

	snprintf(self->pmu, sizeof(self->pmu), "%s/bus", self->dir);
	mkdir(self->pmu, 0700);
	strcat(self->pmu, "/event_source");
	mkdir(self->pmu, 0700);
	strcat(self->pmu, "/devices");
	mkdir(self->pmu, 0700);
	if (!has_pmu)
		return 0;
	strcat(self->pmu, "/uprobe");
	mkdir(self->pmu, 0700);
	snprintf(path, sizeof(path), "%s/type", self->pmu);
	f = fopen(path, "w");
	return f ? fprintf(f, "%d\n", TYPE) < 0 || fclose(f) : -1;
}

FIXTURE_SETUP(probe)
{
	strcpy(self->dir, "/tmp/test_probe.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	self->root.sysfs = self->dir;
	self->root.tracefs = self->dir;
}

FIXTURE_TEARDOWN(probe)
{
	char command[128];

	auxrec_events_free(&self->events);
	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
}

static int parse(FIXTURE_DATA(probe) *self, const char *spec)
{
	return auxrec_events_parse(&self->events, spec, &self->root, self->err, sizeof(self->err));
}

/* Return the offset of @address of this program in its file, from the map that has it. */
static __u64 offset_of(const void *address)
{
	unsigned long begin, end, offset, at = (unsigned long)address;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 &&
		    at >= begin && at < end) {
			fclose(f);
			return at - begin + offset;
		}
	}
	return 0;
}

TEST_F(probe, place)
{
	char exe[PATH_MAX];
	const struct auxrec_event *ev;

	ASSERT_NE(NULL, realpath(EXE, exe));
	ASSERT_EQ(0, make(self, true));
	ASSERT_EQ(0, parse(self, "func=probed@" EXE ",probe:func=probed@'" EXE "'%return"))
		TH_LOG("%s", self->err);
	ASSERT_EQ(2, self->events.nr);
	ev = self->events.list;
	EXPECT_EQ(TYPE, ev[0].attr.type);
	EXPECT_EQ(0, ev[0].attr.config);
	EXPECT_EQ(offset_of(probed), ev[0].attr.probe_offset);
	/* The stream does not get an address of this process. */
	EXPECT_EQ(0, ev[0].attr.uprobe_path);
	EXPECT_EQ(1, ev[0].attr.sample_period);
	EXPECT_STREQ(exe, ev[0].probe_file);
	EXPECT_STREQ("func=probed@" EXE, ev[0].name);
	EXPECT_EQ(PROBE_CONFIG_RETURN, ev[1].attr.config);
	EXPECT_EQ(offset_of(probed), ev[1].attr.probe_offset);
	EXPECT_STREQ(exe, ev[1].probe_file);
}

/* Between quotes a path has commas and braces, and other events can follow. */
TEST_F(probe, quotes)
{
	char path[128], spec[256];

	ASSERT_EQ(0, make(self, true));
	snprintf(path, sizeof(path), "%s/a,{b}", self->dir);
	ASSERT_EQ(0, symlink(EXE, path));
	snprintf(spec, sizeof(spec), "{cpu-clock,func=probed@'%s'},func=main@" EXE, path);
	ASSERT_EQ(0, parse(self, spec)) TH_LOG("%s", self->err);
	EXPECT_EQ(3, self->events.nr);
	EXPECT_EQ(-EINVAL, parse(self, "func=probed@'x"));
	EXPECT_STREQ("column 13: this ' has no closing '", self->err);
}

TEST_F(probe, twins)
{
	__u64 first, second;

	ASSERT_EQ(0, make(self, true));
	EXPECT_EQ(8, twin(1) + other_twin(1));
	EXPECT_EQ(-ESRCH, parse(self, "func=twin@" EXE));
	EXPECT_STREQ("column 6: " EXE
		     " has 2 functions 'twin': give twin#1 for the first one, and so on, in order of their place in the file",
		     self->err);
	ASSERT_EQ(0, parse(self, "func=twin#1@" EXE ",func=twin#2@" EXE)) TH_LOG("%s", self->err);
	first = self->events.list[0].attr.probe_offset;
	second = self->events.list[1].attr.probe_offset;
	EXPECT_LT(first, second);
	EXPECT_TRUE(first == offset_of(twin) || second == offset_of(twin));
	EXPECT_EQ(-ESRCH, parse(self, "func=twin#3@" EXE));
	EXPECT_STREQ("column 6: " EXE " has 2 functions 'twin', and no #3", self->err);
	EXPECT_EQ(-EINVAL, parse(self, "func=twin#0@" EXE));
	EXPECT_STREQ("column 11: '#0' is not the number of a function: #1 is the first one of this name",
		     self->err);
}

TEST_F(probe, errors)
{
	static const char form[] =
		"column 6: a probe is func=NAME[#N]@FILE[%return], as in func=main@./prog";
	static const struct {
		const char *spec;
		int err;
		const char *text;
	} wrong[] = {
		{ "func=", -EINVAL, form },
		{ "func=main", -EINVAL, form },
		{ "func=@/bin/sh", -EINVAL, form },
		{ "func=main@", -EINVAL, form },
		{ "func=main@%return", -EINVAL, form },
		{ "probe:func=main@/none", -ENOENT, "column 17: /none: No such file or directory" },
		{ "func=main@/", -ENOEXEC,
		  "column 11: / is not an ELF file: give a program or a library" },
		{ "func=probbed@" EXE, -ESRCH,
		  "column 6: " EXE " has no function 'probbed'; did you mean probed?" },
		{ "func=no_code@" EXE, -EINVAL,
		  "column 6: 'no_code' of " EXE
		  " is not code: programs cannot execute that part of the file" },
		{ "func=chosen@" EXE, -EINVAL,
		  "column 6: 'chosen' of " EXE
		  IS_INDIRECT },
	};
	size_t i;

	EXPECT_EQ(2, chosen(1));
	ASSERT_EQ(0, make(self, true));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		EXPECT_EQ(wrong[i].err, parse(self, wrong[i].spec));
		EXPECT_STREQ(wrong[i].text, self->err);
	}
	EXPECT_EQ(0, self->events.nr);
}

TEST_F(probe, no_pmu)
{
	ASSERT_EQ(0, make(self, false));
	EXPECT_EQ(-ENOENT, parse(self, "func=probed@" EXE));
	EXPECT_STREQ("column 1: this kernel has no probes of functions: it lacks CONFIG_UPROBE_EVENTS",
		     self->err);
}

/* The kernel counts each call, and each return. */
TEST_F(probe, counts)
{
	struct perf_event_attr attr;
	long long counts[2] = { 0 };
	int fd[2], i;

	self->root.sysfs = NULL;
	if (geteuid() || access("/sys/bus/event_source/devices/uprobe", F_OK))
		SKIP(return, "needs root and the PMU uprobe");
	ASSERT_EQ(0, parse(self, "func=probed@" EXE ",func=probed@" EXE "%return"))
		TH_LOG("%s", self->err);
	for (i = 0; i < 2; i++) {
		attr = self->events.list[i].attr;
		attr.sample_period = 0;
		attr.uprobe_path = (unsigned long)self->events.list[i].probe_file;
		fd[i] = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd[i] < 0 && (errno == EACCES || errno == EPERM))
			SKIP(return, "no permission to set a probe");
		ASSERT_LE(0, fd[i]) TH_LOG("%s", strerror(errno));
	}
	for (i = 0; i < 5; i++)
		EXPECT_EQ(i + 1, probed(i));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(sizeof(counts[i]), read(fd[i], &counts[i], sizeof(counts[i])));
		EXPECT_EQ(5, counts[i]);
		close(fd[i]);
	}
}

TEST_HARNESS_MAIN
