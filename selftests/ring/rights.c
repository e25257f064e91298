// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the rights for the calls that make the module patch the kernel's code:
 * they check what perf_event_open() checks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/abi.h"
#include "lib/kfunc_lib.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define LSMS		"/sys/kernel/security/lsm"
#define USER		1000

/* A child reports by its exit status: 0 is success, else the line that failed. */
#define CHECK(cond) do { if (!(cond)) _exit(__LINE__ % 255 + 1); } while (0)

FIXTURE(rights) {
	struct ring ring;
	char paranoid[16];
	int clock;		/* an event that may be a trigger */
	int output;		/* an event with raw samples */
	int aux;
};

static int open_event(uint32_t type, uint64_t config)
{
	const struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.config = config,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_RAW,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

FIXTURE_SETUP(rights)
{
	struct perfaux_create create;

	module_insert("perfaux", "");
	ring_params(&create, 4096, 2);
	create.flags = PERFAUX_RING_OVERWRITE;
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	self->clock = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	ASSERT_LE(0, self->clock);
	self->output = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT);
	ASSERT_LE(0, self->output);
	self->aux = open_event(auxgen_type(), 0);
	ASSERT_LE(0, self->aux);
	ASSERT_EQ(0, file_read(PARANOID, self->paranoid, sizeof(self->paranoid)));
}

FIXTURE_TEARDOWN(rights)
{
	file_write(PARANOID, self->paranoid);
	close(self->clock);
	close(self->output);
	close(self->aux);
	ring_close(&self->ring);
}

static int ids(void)
{
	const struct perfaux_ids arg = { .size = sizeof(arg) };
	int dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	int ret = call(dev, PERFAUX_IOC_IDS, &arg);

	close(dev);
	if (ret >= 0)
		close(ret);
	return ret < 0 ? ret : 0;
}

static int attach(struct ring *ring, int event, uint32_t flags)
{
	const struct perfaux_attach arg = {
		.size = sizeof(arg), .fd = event, .flags = flags,
	};
	int ret = call(ring->fd, PERFAUX_IOC_ATTACH, &arg);

	return ret ?: ring_detach(ring, event);
}

/* Make all calls, which must return the same value, and return this value. */
static int all_calls(FIXTURE_DATA(rights) *self)
{
	int ret = ids();

	CHECK(attach(&self->ring, self->clock, PERFAUX_ATTACH_TRIGGER) == ret);
	CHECK(attach(&self->ring, self->output, PERFAUX_ATTACH_RAW) == ret);
	/* Attaching an AUX event patches no code, so it needs no such right. */
	CHECK(attach(&self->ring, self->aux, 0) == 0);
	return ret;
}

/* Return what perf_event_open() itself returns. */
static int perf_says(void)
{
	int event = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);

	if (event < 0)
		return -errno;
	close(event);
	return 0;
}

/*
 * Return 0 if all calls of @uid return the same as perf_event_open(), which is
 * @expected.
 */
static int as_user(FIXTURE_DATA(rights) *self, uid_t uid, int expected)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		CHECK(!uid || !become_uid(uid));
		CHECK(perf_says() == expected);
		CHECK(all_calls(self) == expected);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST_F(rights, paranoid)
{
	const bool debian = !file_write(PARANOID, "3");

	ASSERT_TRUE(debian);
	EXPECT_EQ(0, as_user(self, USER, -EACCES));
	EXPECT_EQ(0, as_user(self, 0, 0));
	ASSERT_EQ(0, file_write(PARANOID, "4"));
	EXPECT_EQ(0, as_user(self, USER, -EACCES));
	ASSERT_EQ(0, file_write(PARANOID, "2"));
	EXPECT_EQ(0, as_user(self, USER, 0));
	ASSERT_EQ(0, file_write(PARANOID, "-1"));
	EXPECT_EQ(0, as_user(self, USER, 0));
}

/* Load a BPF program that, as an LSM, refuses everything that perf_event_open() asks for. */
static int load_refuser(struct kfunc_btf *btf)
{
	struct kfunc_prog prog = {
		.type = BPF_PROG_TYPE_LSM,
		.attach_type = BPF_LSM_MAC,
		.attach_btf = btf,
	};
	union bpf_attr attr = { };
	int ret = kfunc_btf_open(btf, "vmlinux");

	if (ret)
		return ret;
	ret = kfunc_btf_find(btf, BTF_KIND_FUNC, "bpf_lsm_perf_event_open");
	if (ret < 0)
		return ret;
	prog.attach_id = ret;
	CODE(&prog.code, SET(BPF_REG_0, -EPERM), EXIT);
	ret = kfunc_load(&prog);
	if (ret < 0)
		return ret;
	attr.raw_tracepoint.prog_fd = ret;
	ret = kfunc_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	close(attr.raw_tracepoint.prog_fd);
	return ret;
}

TEST_F(rights, lsm)
{
	struct kfunc_btf btf;
	char lsms[256] = "";
	int link;

	file_read(LSMS, lsms, sizeof(lsms));
	if (!strstr(lsms, "bpf"))
		SKIP(return, "no LSM can refuse here: bpf is not among them");
	link = load_refuser(&btf);
	ASSERT_LE(0, link) {
		TH_LOG("%s", kfunc_log);
	}
	EXPECT_EQ(0, as_user(self, 0, -EPERM));
	close(link);
	EXPECT_EQ(0, as_user(self, 0, 0));
	kfunc_btf_close(&btf);
}

TEST_HARNESS_MAIN
