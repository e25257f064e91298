// SPDX-License-Identifier: GPL-2.0-only
/* Tests of BPF programs that write records to a ring with perfaux's kfuncs. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/abi.h"
#include "lib/kfunc_lib.h"
#include "lib/produce_lib.h"
#include "lib/produce_prog.h"
#include "lib/raw_bpf.h"

#define MAX_CPUS	64
#define KIB		1024U
#define MIB		(1024 * KIB)

/* Check the data of producer_set() and the number that the program wrote into it. */
static bool check_data(const void *data, uint64_t cookie, uint32_t length)
{
	uint64_t n;

	return raw_bpf_check(data, length, &n) &&
	       (length < 8 || n == (uint32_t)cookie + 1);
}

/* A stream for each CPU */
#define MOST	4096

struct seen {
	struct stream stream[MAX_CPUS];
	struct streams all;
};

static int seen_init(struct seen *seen, uint32_t size)
{
	int i, ret = 0;

	seen->all = (struct streams){ seen->stream, possible_cpus(), NULL };
	for (i = 0; !ret && i < seen->all.nr; i++) {
		ret = stream_init(&seen->stream[i], (uint64_t)i << 32, MOST, size);
		seen->stream[i].check = check_data;
	}
	return ret;
}

static void seen_free(struct seen *seen)
{
	int i;

	for (i = 0; i < seen->all.nr; i++)
		stream_free(&seen->stream[i]);
}

static uint64_t seen_committed(const struct seen *seen)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < seen->all.nr; i++)
		sum += seen->stream[i].committed;
	return sum;
}

static const char *seen_wrong(const struct seen *seen)
{
	int i;

	for (i = 0; i < seen->all.nr; i++)
		if (!stream_in_order(&seen->stream[i]))
			return "order";
	return seen->all.wrong ?: "";
}

/* --- every length, every way ----------------------------------------------- */

FIXTURE(length) {
	struct ring ring;
	struct producer bpf;
	uint64_t handle;
};

FIXTURE_VARIANT(length) {
	uint32_t size;
	uint32_t each;		/* records on each CPU */
};

FIXTURE_VARIANT_ADD(length, bytes_1) { .size = 1, .each = 300 };
FIXTURE_VARIANT_ADD(length, bytes_7) { .size = 7, .each = 300 };
FIXTURE_VARIANT_ADD(length, bytes_64) { .size = 64, .each = 300 };
FIXTURE_VARIANT_ADD(length, kib_8) { .size = 8 * KIB, .each = 100 };
FIXTURE_VARIANT_ADD(length, kib_64_less_1) { .size = 64 * KIB - 1, .each = 50 };
FIXTURE_VARIANT_ADD(length, kib_64) { .size = 64 * KIB, .each = 50 };
FIXTURE_VARIANT_ADD(length, mib_1) { .size = MIB, .each = 10 };

FIXTURE_SETUP(length)
{
	int error = producer_start(&self->bpf, &self->ring, 2 * MIB, 16, &self->handle);

	if (error == -EOPNOTSUPP)
		SKIP(return, NO_KFUNCS);
	ASSERT_EQ(0, error);
}

FIXTURE_TEARDOWN(length)
{
	producer_close(&self->bpf);
	ring_close(&self->ring);
}

static void run_everywhere(struct __test_metadata *_metadata,
			   FIXTURE_DATA(length) * self,
			   const FIXTURE_VARIANT(length) * variant, enum producer_way way)
{
	struct seen seen;
	struct kfunc_prog prog = syscall_prog;
	int cpus[MAX_CPUS], nr, i;
	struct producer_value v;
	uint64_t sum;
	uint32_t n;

	ASSERT_EQ(0, seen_init(&seen, variant->size));
	ASSERT_EQ(0, producer_load(&self->bpf, variant->size, way, &prog,
				   self->handle)) {
		TH_LOG("%s", kfunc_log);
	}
	nr = online_cpus(cpus, MAX_CPUS);
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, pin_to(cpus[i]));
		for (n = 0; n < variant->each; n++) {
			ASSERT_EQ(0, producer_run(&self->bpf));
			if (n % 4 == 3)
				raw_read_ready(&self->ring, stream_see, &seen.all);
		}
		ASSERT_EQ(0, producer_get(&self->bpf, cpus[i], &v));
		EXPECT_EQ(0, v.result);
		EXPECT_EQ(variant->each, v.written);
	}
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	raw_read_ready(&self->ring, stream_see, &seen.all);
	EXPECT_STREQ("", seen_wrong(&seen));
	sum = seen_committed(&seen);
	EXPECT_EQ((uint64_t)nr * variant->each, sum);
	EXPECT_EQ(sum, self->ring.ctl->frames);
	EXPECT_EQ(sum * variant->size, self->ring.ctl->frame_bytes);
	seen_free(&seen);
}

TEST_F_TIMEOUT(length, write, SECONDS)
{
	run_everywhere(_metadata, self, variant, WRITE);
}

TEST_F_TIMEOUT(length, record, SECONDS)
{
	run_everywhere(_metadata, self, variant, RECORD);
}

TEST_F_TIMEOUT(length, dynptr, SECONDS)
{
	run_everywhere(_metadata, self, variant, DYNPTR);
}

/* --- errors ---------------------------------------------------------------- */

FIXTURE(errors) {
	struct ring ring;
	struct producer bpf;
	uint64_t handle;
};

FIXTURE_SETUP(errors)
{
	int error = producer_start(&self->bpf, &self->ring, 16 * KIB, 2, &self->handle);

	if (error == -EOPNOTSUPP)
		SKIP(return, NO_KFUNCS);
	ASSERT_EQ(0, error);
	ASSERT_EQ(0, pin_to(0));
}

FIXTURE_TEARDOWN(errors)
{
	producer_close(&self->bpf);
	ring_close(&self->ring);
}

TEST_F(errors, handle)
{
	struct {
		struct perfaux_handle arg;
		uint64_t more;
	} a = { .arg = { .size = sizeof(a) } };
	struct perfaux_create create;
	struct ring other;
	uint64_t handle = 0;

	EXPECT_NE(0, self->handle);
	EXPECT_EQ(0, ring_handle(&self->ring, &handle));
	EXPECT_EQ(self->handle, handle);
	ring_params(&create, 16 * KIB, 2);
	ASSERT_EQ(0, ring_open(&other, &create));
	EXPECT_EQ(0, ring_handle(&other, &handle));
	EXPECT_NE(self->handle, handle);
	ring_close(&other);

	EXPECT_EQ(0, call(self->ring.fd, PERFAUX_IOC_HANDLE, &a));
	EXPECT_EQ(self->handle, a.arg.handle);
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_HANDLE, &a));
	a.arg.handle = 0;
	a.arg.flags = 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_HANDLE, &a));
	a.arg.flags = 0;
	a.more = 1;
	EXPECT_EQ(-E2BIG, call(self->ring.fd, PERFAUX_IOC_HANDLE, &a));
	a.arg.size = PERFAUX_HANDLE_SIZE_V0 - 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_HANDLE, &a));
	EXPECT_EQ(-EFAULT, call(self->ring.fd, PERFAUX_IOC_HANDLE, (void *)8));
}

/* If the kernel cannot write the answer, the next call gets the same handle. */
TEST_F(errors, handle_without_answer)
{
	struct perfaux_handle *arg = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct perfaux_create create;
	uint64_t first = 0, again = 0;
	struct ring other;

	ASSERT_NE(MAP_FAILED, (void *)arg);
	ring_params(&create, 16 * KIB, 2);
	ASSERT_EQ(0, ring_open(&other, &create));
	arg->size = sizeof(*arg);
	ASSERT_EQ(0, mprotect(arg, 4096, PROT_READ));
	EXPECT_EQ(-EFAULT, call(other.fd, PERFAUX_IOC_HANDLE, arg));
	EXPECT_EQ(0, ring_handle(&other, &first));
	EXPECT_NE(0, first);
	EXPECT_NE(self->handle, first);
	EXPECT_EQ(-EFAULT, call(other.fd, PERFAUX_IOC_HANDLE, arg));
	EXPECT_EQ(0, ring_handle(&other, &again));
	EXPECT_EQ(first, again);
	ring_close(&other);
	munmap(arg, 4096);
}

static int64_t run_with(struct producer *b, uint64_t handle)
{
	const struct producer_value v = { .handle = handle };
	struct producer_value after;
	int ret = producer_set(b, 0, &v) ?: producer_run(b) ?: producer_get(b, 0, &after);

	return ret ? ret : after.result;
}

TEST_F(errors, wrong_handle)
{
	struct kfunc_prog prog = syscall_prog;

	ASSERT_EQ(0, producer_load(&self->bpf, 100, WRITE, &prog, self->handle));
	EXPECT_EQ(0, run_with(&self->bpf, self->handle));
	EXPECT_EQ(-ENOENT, run_with(&self->bpf, 0));
	EXPECT_EQ(-ENOENT, run_with(&self->bpf, self->handle ^ 1ULL << 63));
	EXPECT_EQ(-ENOENT, run_with(&self->bpf, self->handle ^ 1ULL << 20));
	EXPECT_EQ(-ENOENT, run_with(&self->bpf, self->ring.ctl->key));
	ring_close(&self->ring);
	EXPECT_EQ(-ENOENT, run_with(&self->bpf, self->handle));
}

/* Try a record for which there is no room now, and one for which there is never enough room. */
static void no_room(struct __test_metadata *_metadata,
		    FIXTURE_DATA(errors) * self, enum producer_way way)
{
	struct lost lost = { .count_cookies = 1 };
	struct kfunc_prog prog = syscall_prog;
	const uint32_t size = 5000;
	struct seen seen;
	int i;

	ASSERT_EQ(0, seen_init(&seen, size));
	/* run_with() begins anew each time. */
	seen.stream[0].same_cookie = true;
	ASSERT_EQ(0, producer_load(&self->bpf, size, way, &prog, self->handle));
	for (i = 0; i < 6; i++)
		EXPECT_EQ(0, run_with(&self->bpf, self->handle));
	for (i = 0; i < 10; i++)
		EXPECT_EQ(way == RECORD ? 1 : -ENOSPC,
			  run_with(&self->bpf, self->handle));
	EXPECT_EQ(10, ring_lost(&self->ring, PERFAUX_CAUSE_FULL));
	EXPECT_EQ(10 * size, self->ring.ctl->lost_bytes[PERFAUX_CAUSE_FULL]);
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	raw_read_ready(&self->ring, stream_see, &seen.all);
	EXPECT_EQ(6, seen_committed(&seen));
	EXPECT_STREQ("", seen_wrong(&seen));
	seen_free(&seen);
	ring_read(&self->ring, lost_see, &lost);
	EXPECT_EQ(10, lost.count[PERFAUX_CAUSE_FULL]);
	EXPECT_EQ(10 * size, lost.bytes[PERFAUX_CAUSE_FULL]);
	EXPECT_EQ(0, run_with(&self->bpf, self->handle));

	producer_close(&self->bpf);
	ASSERT_EQ(0, producer_open(&self->bpf));
	ASSERT_EQ(0, producer_load(&self->bpf, 16 * KIB, way, &prog, self->handle));
	EXPECT_EQ(way == RECORD ? 1 : -E2BIG,
		  run_with(&self->bpf, self->handle));
	EXPECT_EQ(1, ring_lost(&self->ring, PERFAUX_CAUSE_TOO_LARGE));
}

TEST_F(errors, write_no_room)
{
	no_room(_metadata, self, WRITE);
}

TEST_F(errors, record_no_room)
{
	no_room(_metadata, self, RECORD);
}

TEST_F(errors, dynptr_no_room)
{
	no_room(_metadata, self, DYNPTR);
}

/* A program cannot get more data than it reserved. */
TEST_F(errors, longer_than_reserved)
{
	struct kfunc_prog prog = syscall_prog;
	struct seen seen;

	ASSERT_EQ(0, seen_init(&seen, 96));
	ASSERT_EQ(0, producer_load(&self->bpf, 96, RECORD, &prog, self->handle));
	close(self->bpf.prog);
	prog.code.nr = 0;
	self->bpf.prog = producer_load_record(&self->bpf, &prog, 97);
	ASSERT_LE(0, self->bpf.prog);
	EXPECT_EQ(2, run_with(&self->bpf, self->handle));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	raw_read_ready(&self->ring, stream_see, &seen.all);
	EXPECT_EQ(1, seen.stream[0].discarded);
	EXPECT_EQ(0, seen_committed(&seen));
	EXPECT_STREQ("", seen_wrong(&seen));
	seen_free(&seen);
}

/* Parts of a dynptr: only those within it are accepted. */
TEST_F(errors, dynptr_part)
{
	static const struct {
		uint32_t offset, length;
		int64_t result;
	} parts[] = {
		{ 0, 100, 0 }, { 20, 80, 0 }, { 20, 81, -EINVAL },
		{ 100, 0, 0 }, { 101, 0, -EINVAL }, { 50, -1, -EINVAL },
		{ -1, 50, -EINVAL },
	};
	struct kfunc_prog prog = syscall_prog;
	size_t i;

	ASSERT_EQ(0, producer_load(&self->bpf, 100, WRITE, &prog, self->handle));
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		close(self->bpf.prog);
		prog.code.nr = 0;
		self->bpf.prog = producer_load_dynptr(&self->bpf, &prog, parts[i].offset,
						      parts[i].length);
		ASSERT_LE(0, self->bpf.prog) {
			TH_LOG("%s", kfunc_log);
		}
		EXPECT_EQ(parts[i].result,
			  run_with(&self->bpf, self->handle)) {
			TH_LOG("part %zu", i);
		}
	}
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	EXPECT_EQ(3, self->ring.ctl->frames);
	EXPECT_EQ(180, self->ring.ctl->frame_bytes);
}

/* A program that can call the kfuncs keeps the module. */
TEST_F(errors, keeps_module)
{
	struct kfunc_prog prog = syscall_prog;

	ASSERT_EQ(0, producer_load(&self->bpf, 8, WRITE, &prog, self->handle));
	ring_close(&self->ring);
	close(self->bpf.btf.fd);
	self->bpf.btf.fd = -1;
	EXPECT_EQ(-EAGAIN, module_remove("perfaux"));
	close(self->bpf.prog);
	self->bpf.prog = -1;
	EXPECT_EQ(0, module_remove_wait("perfaux"));
	EXPECT_EQ(0, module_insert("perfaux", ""));
}

/* --- contexts -------------------------------------------------------------- */

#define RENAMES		300

/* At a tracepoint, on all CPUs at the same time. */
TEST_F_TIMEOUT(length, tracepoint, SECONDS)
{
	const struct perf_event_attr attr = raw_rename_attr();
	struct kfunc_prog prog = { .type = BPF_PROG_TYPE_TRACEPOINT };
	struct seen seen;
	int cpus[MAX_CPUS], nr = online_cpus(cpus, MAX_CPUS), i, n, left = nr;
	uint64_t written = 0;
	struct raw_event ev;
	struct producer_value v;

	ASSERT_EQ(0, seen_init(&seen, variant->size));
	ASSERT_EQ(0, producer_load(&self->bpf, variant->size, RECORD, &prog,
				   self->handle)) {
		TH_LOG("%s", kfunc_log);
	}
	ASSERT_EQ(0, raw_open(&ev, &attr, -1, cpus[0], 0));
	/* A program at a tracepoint runs for every task that hits the tracepoint. */
	ASSERT_EQ(0, ioctl(ev.fd, PERF_EVENT_IOC_SET_BPF, self->bpf.prog));
	ASSERT_EQ(0, event_enable(ev.fd));
	for (i = 0; i < nr; i++) {
		if (fork())
			continue;
		pin_to(cpus[i]);
		for (n = 0; n < RENAMES; n++)
			prctl(PR_SET_NAME, "produce");
		_exit(0);
	}
	while (left) {
		left -= waitpid(-1, NULL, WNOHANG) > 0;
		raw_read_ready(&self->ring, stream_see, &seen.all);
	}
	raw_close(&ev);
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	raw_read_ready(&self->ring, stream_see, &seen.all);
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, producer_get(&self->bpf, cpus[i], &v));
		EXPECT_EQ(v.written, seen.stream[cpus[i]].committed);
		written += v.written;
	}
	EXPECT_LT(0, written);
	EXPECT_EQ(written, seen_committed(&seen));
	EXPECT_EQ(written, self->ring.ctl->frames);
	EXPECT_LE((uint64_t)nr * RENAMES,
		  written + ring_lost(&self->ring, PERFAUX_CAUSE_FULL));
	EXPECT_STREQ("", seen_wrong(&seen));
}

/* At a function that runs in NMI and also writes a record of its own. */
TEST_F_TIMEOUT(length, nmi, SECONDS)
{
	struct kfunc_prog prog = {
		.type = BPF_PROG_TYPE_TRACING,
		.attach_type = BPF_TRACE_FENTRY,
	};
	struct rawprod_run run = {
		.context = RAWPROD_NMI,
		.count = variant->each,
		.length = 10,
		.pause_us = 200,
		.end = RAWPROD_DISCARD,
		.cookie = 1ULL << 60,
	};
	struct seen seen;
	union bpf_attr attr = { };
	struct kfunc_btf rawprod;
	struct producer_value v;
	int dev, link;

	ASSERT_EQ(0, seen_init(&seen, variant->size));
	/* The records of the function, beside those of the program */
	seen.all.nr = 2;
	stream_free(&seen.stream[1]);
	ASSERT_EQ(0, stream_init(&seen.stream[1], run.cookie, 1, run.length));
	module_remove_wait("rawprod");
	ASSERT_EQ(0, module_insert("rawprod", ""));
	ASSERT_EQ(0, kfunc_btf_open(&rawprod, "rawprod"));
	prog.attach_btf = &rawprod;
	prog.attach_id = kfunc_btf_find(&rawprod, BTF_KIND_FUNC,
					"rawprod_write");
	ASSERT_LT(0, prog.attach_id);
	ASSERT_EQ(0, producer_load(&self->bpf, variant->size, RECORD, &prog,
				   self->handle)) {
		TH_LOG("%s", kfunc_log);
	}
	attr.raw_tracepoint.prog_fd = self->bpf.prog;
	link = kfunc_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	ASSERT_LE(0, link);
	dev = rawprod_open(self->ring.fd);
	ASSERT_LE(0, dev);
	while (run.count) {
		const uint32_t left = run.count - 1;

		run.count = 1;
		ASSERT_EQ(0, rawprod_run(dev, &run));
		run.count = left;
		raw_read_ready(&self->ring, stream_see, &seen.all);
	}
	close(dev);
	close(link);
	ASSERT_EQ(0, producer_get(&self->bpf, 0, &v));
	EXPECT_EQ(0, v.result);
	EXPECT_EQ(variant->each, v.written);
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	raw_read_ready(&self->ring, stream_see, &seen.all);
	EXPECT_EQ(variant->each, seen.stream[0].committed);
	EXPECT_EQ(variant->each, seen.stream[1].discarded);
	EXPECT_STREQ("", seen_wrong(&seen));
	seen_free(&seen);
	kfunc_btf_close(&rawprod);
	close(self->bpf.prog);
	self->bpf.prog = -1;
	EXPECT_EQ(0, module_remove_wait("rawprod"));
}

TEST_HARNESS_MAIN
