// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of [vdso] in programs of both ABIs: the id in its record is that of the
 * program's memory.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>

#include "kselftest_harness.h"
#include "../ring/lib/ring_lib.h"
#include "ids_lib.h"

#define VDSO_MAX	65536

FIXTURE(vdso) {
	struct elf_set set;
	struct map_ring ring;
	struct child child;
	char program[256];
};

FIXTURE_VARIANT(vdso) {
	const char *program;	/* a program of the ELF files */
};

FIXTURE_VARIANT_ADD(vdso, of_64_bit) { .program = "exe-static" };
FIXTURE_VARIANT_ADD(vdso, of_32_bit) { .program = "exe-32" };

static void exec_fn(void *arg)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	execl(arg, arg, NULL);
	_exit(errno);
}

/*
 * Run a child until it has executed the program. Returns 0, or the error why it
 * cannot run.
 */
static int exec_traced(FIXTURE_DATA(vdso) *self)
{
	int status, ret;

	ret = child_start(&self->child, exec_fn, self->program);
	if (!ret)
		ret = map_ring_open(&self->ring, self->child.pid);
	if (ret)
		return ret;
	child_go(&self->child);
	if (waitpid(self->child.pid, &status, 0) != self->child.pid)
		return -errno;
	return WIFSTOPPED(status) ? 0 : -WEXITSTATUS(status);
}

static void end(FIXTURE_DATA(vdso) *self)
{
	child_kill(&self->child);
	map_ring_close(&self->ring);
}

/* Return the id of the first build-id note in @image. */
static struct id find_id(const uint8_t *image, size_t size)
{
	static const uint8_t name[] = { 3, 0, 0, 0, 'G', 'N', 'U', 0 };
	struct id id = { 0 };
	size_t i;

	for (i = 8; i + 8 < size; i += 4) {
		if (memcmp(image + i, name, sizeof(name)) ||
		    image[i - 8] != 4 || image[i - 4] > ID_RECORD_MAX)
			continue;
		id.size = image[i - 4];
		memcpy(id.data, image + i + 8, id.size);
		return id;
	}
	return id;
}

static struct id id_in_memory(pid_t pid, uint64_t start, uint64_t length)
{
	uint8_t image[VDSO_MAX];
	struct id none = { 0 };
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || length > sizeof(image))
		return none;
	n = pread(fd, image, length, start);
	close(fd);
	return n < 0 ? none : find_id(image, n);
}

/*
 * Get the record of the program's [vdso]; the first record was for the test's own
 * [vdso].
 */
static bool vdso_record(FIXTURE_DATA(vdso) *self, struct map_record *record)
{
	bool found = false;

	while (!found && map_ring_next(&self->ring, record))
		found = !strcmp(map_record_name(record), "[vdso]");
	return found;
}

FIXTURE_SETUP(vdso)
{
	int ret;

	ids_insert(NO_HURRY_US);
	ASSERT_EQ(0, elf_set_read(&self->set));
	snprintf(self->program, sizeof(self->program), "%s/%s", self->set.dir,
		 variant->program);
	ret = exec_traced(self);
	end(self);
	if (ret == -ENOEXEC)
		SKIP(return, "this kernel runs no 32-bit programs");
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(vdso)
{
}

TEST_F(vdso, id)
{
	struct map_record record;
	struct id expected;
	int fd, i;

	fd = ids_open(0);
	ASSERT_LE(0, fd);
	/* The second id comes from the cache. */
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, exec_traced(self));
		ASSERT_TRUE(vdso_record(self, &record));
		expected = id_in_memory(self->child.pid, record.start,
					record.length);
		EXPECT_LT(0, expected.size);
		EXPECT_TRUE(id_equal(&expected, &record.id))
			TH_LOG("%s, not %s", id_text(&record.id),
			       id_text(&expected));
		end(self);
	}
	close(fd);
}

TEST_F(vdso, counted)
{
	struct map_record record;
	uint64_t found;
	int fd, records = 0;

	ASSERT_EQ(0, exec_traced(self));
	end(self);
	fd = ids_open(0);
	ASSERT_LE(0, fd);
	found = ids_result(fd, PERFAUX_ID_FOUND);
	ASSERT_EQ(0, exec_traced(self));
	while (map_ring_next(&self->ring, &record))
		records += !!record.id.size;
	/* Records of the program itself and of [vdso]; the program has no loader. */
	EXPECT_EQ(2, records);
	EXPECT_EQ(found + 2, ids_result(fd, PERFAUX_ID_FOUND));
	end(self);
	close(fd);
}

TEST_F(vdso, without_session)
{
	struct map_record record;

	ASSERT_EQ(0, exec_traced(self));
	ASSERT_TRUE(vdso_record(self, &record));
	EXPECT_EQ(0, record.id.size);
	end(self);
}

TEST_HARNESS_MAIN
