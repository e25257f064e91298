// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any bytes as a source of build-ids of auxrec. The sources are files and
 * vdsos of any user's processes, and files of notes.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../note.h"
#include "../scratch.h"
#include "session/buildid.h"
#include "ids/elf_id.h"

/* The size of a sparse file, in which large numbers and sizes in the headers are valid. */
#define LONG_FILE	(1ULL << 32)
/* An id can extend into the zeros at the end of the file. */
#define ZEROS		64

static bool is_same(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && a->is_long == b->is_long && !memcmp(a->id, b->id, a->size);
}

static void check(const struct note_bytes *in, int err, const struct build_id *id)
{
	must(err <= 0 && !err == !!id->size && id->size <= BUILD_ID_MAX);
	must(!id->is_long || id->size == BUILD_ID_MAX);
	must(err || note_has_id(in, id->id, id->size, BUILD_ID_MAX));
}

static void try_long_file(const struct note_bytes *in, const char *path)
{
	struct note_bytes begin = *in;
	struct build_id id;
	__u8 *copy;

	copy = calloc(1, in->size + ZEROS);
	must(copy);
	memcpy(copy, in->data, in->size);
	begin.data = copy;
	begin.size += ZEROS;
	must(!truncate(path, LONG_FILE));
	check(&begin, build_id_file(NULL, path, &id, NULL), &id);
	free(copy);
}

static void try_file(const struct note_bytes *in, struct build_id *id)
{
	char path[SCRATCH_PATH];
	const int fd = scratch_file(path, in->data, in->size);
	struct build_id_cache cache = { .list = NULL };
	struct build_id again;
	struct stat st;

	check(in, build_id_file(&cache, path, id, &st), id);
	must(st.st_size == (off_t)in->size);
	/* The second time, the cache has the id. */
	check(in, build_id_file(&cache, path, &again, NULL), &again);
	must(is_same(id, &again));
	build_id_cache_free(&cache);
	try_long_file(in, path);
	close(fd);
}

static void try_notes(struct note_bytes in)
{
	char path[SCRATCH_PATH];
	const int fd = scratch_file(path, in.data, in.size);
	struct build_id id;

	/* Notes of the kernel have the byte order of this machine. */
	in.big_endian = false;
	check(&in, build_id_notes(path, &id), &id);
	close(fd);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	const struct note_bytes in = { data, size, note_big_endian(data, size) };
	struct build_id id, other;

	try_file(&in, &id);
	try_notes(in);
	/* A process can write to its vdso. */
	check(&in, build_id_vdso(getpid(), (unsigned long)data, size, &other), &other);
	must(is_same(&id, &other));
	return 0;
}
