// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of which BPF programs with perfaux's kfuncs the kernel accepts: what the
 * verifier refuses, types of programs, and who may load them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/kfunc_lib.h"
#include "lib/produce_prog.h"

FIXTURE(load) {
	struct ring ring;
	struct producer bpf;
	uint64_t handle;
};

FIXTURE_SETUP(load)
{
	int error = producer_start(&self->bpf, &self->ring, 16384, 2, &self->handle);

	if (error == -EOPNOTSUPP)
		SKIP(return, NO_KFUNCS);
	ASSERT_EQ(0, error);
}

FIXTURE_TEARDOWN(load)
{
	producer_close(&self->bpf);
	ring_close(&self->ring);
}

/* --- what the verifier refuses --------------------------------------------- */

/* Reserve a record of 64 bytes, in R9. */
static void reserve(struct kfunc_code *code, const struct producer *b,
		    uint64_t handle)
{
	CODE(code,
	     LOWER(BPF_REG_1, handle), UPPER(handle),
	     SET(BPF_REG_2, 0),
	     SET(BPF_REG_3, 64),
	     KFUNC(b->id[ID_RESERVE]),
	     JUMP_NE(BPF_REG_0, 0, 1),
	     EXIT,
	     MOV(BPF_REG_9, BPF_REG_0));
}

/* Get 64 bytes of the record in R9 into R0, or NULL. */
static void take_data(struct kfunc_code *code, const struct producer *b)
{
	CODE(code,
	     MOV(BPF_REG_1, BPF_REG_9),
	     SET(BPF_REG_2, 64),
	     KFUNC(b->id[ID_DATA]));
}

static void commit(struct kfunc_code *code, const struct producer *b)
{
	CODE(code, MOV(BPF_REG_1, BPF_REG_9), KFUNC(b->id[ID_COMMIT]));
}

/* Load the program and start a new one. Returns the loaded program, or an error. */
static int load_and_forget(struct kfunc_prog *prog, const struct producer *b)
{
	int fd;

	CODE(&prog->code, SET(BPF_REG_0, 0), EXIT);
	prog->btf = &b->btf;
	fd = kfunc_load(prog);
	*prog = syscall_prog;
	return fd;
}

/*
 * Return whether the verifier's last message before its figures has one of these
 * words.
 */
static bool last_words(const char *a, const char *b)
{
	char *end = strstr(kfunc_log, "\nprocessed "), *start;

	if (!end)
		return false;
	*end = 0;
	start = strrchr(kfunc_log, '\n') ?: kfunc_log;
	return strstr(start, a) || (b && strstr(start, b));
}

/* The messages differ between older kernels and 6.12 and later. */
#define EXPECT_REFUSED(older, newer) do {				\
	EXPECT_GT(0, load_and_forget(&prog, b));			\
	EXPECT_TRUE(last_words(older, newer)) {				\
		TH_LOG("%s", kfunc_log);				\
	}								\
} while (0)

TEST_F(load, verifier)
{
	const char *no_record = "pointer type STRUCT perfaux_record must point to";
	const char *no_reference = "perfaux_record_commit expects referenced";
	struct kfunc_prog prog = syscall_prog;
	struct kfunc_code *code = &prog.code;
	struct producer *b = &self->bpf;

	/* The frame may be read. */
	reserve(code, b, self->handle);
	CODE(code, LOAD(BPF_REG_2, BPF_REG_9,
			offsetof(struct perfaux_frame, cookie)));
	commit(code, b);
	b->prog = load_and_forget(&prog, b);
	ASSERT_LE(0, b->prog) {
		TH_LOG("%s", kfunc_log);
	}
	EXPECT_EQ(0, producer_run(b));

	/* The record is not committed. */
	reserve(code, b, self->handle);
	EXPECT_REFUSED("nreleased reference", "reference leak");

	/* The program writes to the frame. */
	reserve(code, b, self->handle);
	CODE(code, STORE_IMM(BPF_REG_9, offsetof(struct perfaux_frame, flags), 7));
	commit(code, b);
	EXPECT_REFUSED("only read is supported", NULL);

	/* The record is committed twice. */
	reserve(code, b, self->handle);
	commit(code, b);
	commit(code, b);
	EXPECT_REFUSED(no_record, no_reference);

	/* The program does not check for NULL. */
	CODE(code, LOWER(BPF_REG_1, self->handle), UPPER(self->handle),
	     SET(BPF_REG_2, 0), SET(BPF_REG_3, 64), KFUNC(b->id[ID_RESERVE]),
	     MOV(BPF_REG_1, BPF_REG_0), KFUNC(b->id[ID_COMMIT]));
	EXPECT_REFUSED("NULL", NULL);

	/* An argument that is no record */
	CODE(code, MOV(BPF_REG_1, BPF_REG_10), ADD(BPF_REG_1, -64),
	     KFUNC(b->id[ID_COMMIT]));
	EXPECT_REFUSED(no_record, no_reference);
	CODE(code, LOWER(BPF_REG_1, self->handle), UPPER(self->handle),
	     KFUNC(b->id[ID_COMMIT]));
	EXPECT_REFUSED(no_record, no_reference);

	CODE(code, MOV(BPF_REG_1, BPF_REG_10), ADD(BPF_REG_1, -64),
	     SET(BPF_REG_2, 64), KFUNC(b->id[ID_DATA]));
	EXPECT_REFUSED(no_record, "R1");

	/* A pointer into a record */
	reserve(code, b, self->handle);
	CODE(code, MOV(BPF_REG_1, BPF_REG_9), ADD(BPF_REG_1, 8),
	     KFUNC(b->id[ID_COMMIT]));
	EXPECT_REFUSED("R1", NULL);

	/* Access beyond the data */
	reserve(code, b, self->handle);
	take_data(code, b);
	CODE(code, JUMP_EQ(BPF_REG_0, 0, 1), STORE_IMM(BPF_REG_0, 60, 1));
	commit(code, b);
	EXPECT_REFUSED("outside of the allowed memory range", NULL);

	/* Write to the data after the record was committed. */
	reserve(code, b, self->handle);
	take_data(code, b);
	CODE(code, MOV(BPF_REG_8, BPF_REG_0));
	commit(code, b);
	CODE(code, JUMP_EQ(BPF_REG_8, 0, 1), STORE_IMM(BPF_REG_8, 0, 1));
	EXPECT_REFUSED("invalid mem access 'scalar'", NULL);
}

/*
 * A pointer that may be NULL is not memory. A record's head is the only part of the
 * frame that can be read.
 */
TEST_F(load, verifier_memory)
{
	struct kfunc_prog prog = syscall_prog;
	struct kfunc_code *code = &prog.code;
	struct producer *b = &self->bpf;

	ASSERT_EQ(0, producer_load(b, 64, WRITE, &prog, self->handle));
	prog = syscall_prog;
	kfunc_code_lookup(code, b->values);
	CODE(code,
	     MOV(BPF_REG_3, BPF_REG_0),
	     LOWER(BPF_REG_1, self->handle), UPPER(self->handle),
	     SET(BPF_REG_2, 0),
	     SET(BPF_REG_4, 64),
	     KFUNC(b->id[ID_WRITE]));
	EXPECT_REFUSED("NULL", NULL);

	reserve(code, b, self->handle);
	CODE(code, LOAD(BPF_REG_2, BPF_REG_9, sizeof(struct perfaux_frame)));
	commit(code, b);
	EXPECT_REFUSED("beyond struct", NULL);
	reserve(code, b, self->handle);
	CODE(code, MOV(BPF_REG_2, BPF_REG_9), ADD(BPF_REG_2, 0x1ffffff0),
	     LOAD(BPF_REG_2, BPF_REG_2, 0));
	commit(code, b);
	EXPECT_REFUSED("beyond struct", NULL);
}

/* --- types of programs ----------------------------------------------------- */

static int load_type(const struct producer *b, enum bpf_prog_type type,
		     uint64_t handle)
{
	struct kfunc_prog prog = { .type = type, .btf = &b->btf };

	if (type == syscall_prog.type)
		prog.flags = syscall_prog.flags;
	CODE(&prog.code,
	     STORE_IMM(BPF_REG_10, -8, 5),
	     LOWER(BPF_REG_1, handle), UPPER(handle),
	     SET(BPF_REG_2, 0),
	     MOV(BPF_REG_3, BPF_REG_10),
	     ADD(BPF_REG_3, -8),
	     SET(BPF_REG_4, 8),
	     KFUNC(b->id[ID_WRITE]),
	     SET(BPF_REG_0, 0),
	     EXIT);
	return kfunc_load(&prog);
}

TEST_F(load, types)
{
	static const enum bpf_prog_type types[] = {
		BPF_PROG_TYPE_KPROBE, BPF_PROG_TYPE_TRACEPOINT,
		BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_PROG_TYPE_PERF_EVENT,
		BPF_PROG_TYPE_XDP, BPF_PROG_TYPE_SCHED_CLS,
		BPF_PROG_TYPE_SOCKET_FILTER,
	};
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		fd = load_type(&self->bpf, types[i], self->handle);
		EXPECT_LE(0, fd) {
			TH_LOG("type %u: %s", types[i], kfunc_log);
		}
		close(fd);
	}
}

/* --- who may load them ----------------------------------------------------- */

#define UNPRIVILEGED	"/proc/sys/kernel/unprivileged_bpf_disabled"
#define USER		1000
#define CAP(name)	(1ULL << CAP_##name)

/*
 * The capabilities that the kernel requires to load a program that calls functions
 * of a module
 */
static const struct {
	enum bpf_prog_type type;
	uint64_t caps;
} rights[] = {
	{ BPF_PROG_TYPE_SOCKET_FILTER, CAP(BPF) },
	{ BPF_PROG_TYPE_SYSCALL, CAP(BPF) },
	{ BPF_PROG_TYPE_KPROBE, CAP(BPF) | CAP(PERFMON) },
	{ BPF_PROG_TYPE_TRACEPOINT, CAP(BPF) | CAP(PERFMON) },
	{ BPF_PROG_TYPE_RAW_TRACEPOINT, CAP(BPF) | CAP(PERFMON) },
	{ BPF_PROG_TYPE_PERF_EVENT, CAP(BPF) | CAP(PERFMON) },
	{ BPF_PROG_TYPE_SCHED_CLS, CAP(BPF) | CAP(NET_ADMIN) },
	{ BPF_PROG_TYPE_XDP, CAP(BPF) | CAP(NET_ADMIN) },
};

/* The results of a child that tried what a user may do: 0 or -errno */
struct rights_seen {
	int load[ARRAY_SIZE(rights)];
	int load_other;		/* a socket filter that calls nothing */
	int types;		/* a descriptor of perfaux's types */
};

static bool become_user(uint64_t caps)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = caps, .permitted = caps },
		{ .effective = caps >> 32, .permitted = caps >> 32 },
	};

	return !prctl(PR_SET_KEEPCAPS, 1) && !setgroups(0, NULL) && !setgid(USER) &&
	       !setuid(USER) && !syscall(SYS_capset, &header, data);
}

static int close_if(int fd)
{
	return fd < 0 ? fd : close(fd);
}

static uint32_t btf_id(int fd)
{
	struct bpf_btf_info info = { };
	union bpf_attr attr = {
		.info.bpf_fd = fd,
		.info.info_len = sizeof(info),
		.info.info = (unsigned long)&info,
	};

	return kfunc_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) ? 0 : info.id;
}

/* Use the descriptor of perfaux's types that root has opened. */
static void try_rights(const struct producer *b, uint64_t handle, uint64_t caps,
		       struct rights_seen *seen)
{
	struct kfunc_prog other = { .type = BPF_PROG_TYPE_SOCKET_FILTER };
	union bpf_attr attr = { .btf_id = btf_id(b->btf.fd) };
	size_t i;

	if (!become_user(caps))
		_exit(1);
	for (i = 0; i < ARRAY_SIZE(rights); i++)
		seen->load[i] = close_if(load_type(b, rights[i].type, handle));
	CODE(&other.code, SET(BPF_REG_0, 0), EXIT);
	seen->load_other = close_if(kfunc_load(&other));
	seen->types = close_if(kfunc_bpf(BPF_BTF_GET_FD_BY_ID, &attr));
	_exit(0);
}

/* @open: users without CAP_BPF may load programs at all. */
static void check_rights(struct __test_metadata *_metadata, FIXTURE_DATA(load) * self,
			 uint64_t caps, bool open)
{
	struct rights_seen *seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t pid;
	size_t i;

	ASSERT_NE(MAP_FAILED, (void *)seen);
	pid = fork();
	if (!pid)
		try_rights(&self->bpf, self->handle, caps, seen);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	for (i = 0; i < ARRAY_SIZE(rights); i++) {
		const bool may = (caps & rights[i].caps) == rights[i].caps;

		EXPECT_EQ(may ? 0 : -EPERM, seen->load[i]) {
			TH_LOG("type %u, capabilities %lx", rights[i].type, caps);
		}
	}
	EXPECT_EQ(open || caps & CAP(BPF) ? 0 : -EPERM, seen->load_other);
	EXPECT_EQ(-EPERM, seen->types);
	munmap(seen, sizeof(*seen));
}

/*
 * Try each set of the capabilities, independent of what the machine allows ordinary
 * users.
 */
TEST_F_TIMEOUT(load, rights, SECONDS)
{
	static const uint64_t all[] = { CAP(BPF), CAP(PERFMON), CAP(NET_ADMIN) };
	char before[16];
	unsigned int set, i;
	uint64_t caps;
	bool open;

	ASSERT_EQ(0, file_read(UNPRIVILEGED, before, sizeof(before)));
	for (set = 0; set < 1U << ARRAY_SIZE(all); set++) {
		for (i = 0, caps = 0; i < ARRAY_SIZE(all); i++)
			caps |= set & 1U << i ? all[i] : 0;
		/* The value 1 cannot be changed any more, 2 can. */
		open = !file_write(UNPRIVILEGED, "0");
		check_rights(_metadata, self, caps, open);
		if (open) {
			EXPECT_EQ(0, file_write(UNPRIVILEGED, "2"));
			check_rights(_metadata, self, caps, false);
		}
	}
	if (open)
		EXPECT_EQ(0, file_write(UNPRIVILEGED, before));
}

TEST_HARNESS_MAIN
