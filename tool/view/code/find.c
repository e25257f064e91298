// SPDX-License-Identifier: GPL-2.0-only
/*
 * Search files by path and build-id: under --symfs, at the recorded path, in perf's cache of
 * build-ids, and in debuginfod's cache. No file of another build-id is taken.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "view/code/find.h"
#include "view/code/object.h"

#define HEX_SIZE	(2 * OBJECT_ID_MAX + 1)

Elf *find_open(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	if (fd < 0)
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		elf = NULL;
	}
	/* From here on libelf does not need the descriptor. */
	if (elf)
		elf_cntl(elf, ELF_C_FDREAD);
	close(fd);
	return elf;
}

static size_t id_of_notes(Elf_Data *data, __u8 *id)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while ((at = gelf_getnote(data, at, &note, &name, &desc)))
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp((char *)data->d_buf + name, "GNU", sizeof("GNU"))) {
			const size_t size = note.n_descsz < OBJECT_ID_MAX ? note.n_descsz :
									   OBJECT_ID_MAX;

			memcpy(id, (char *)data->d_buf + desc, size);
			return size;
		}
	return 0;
}

size_t find_id(Elf *elf, __u8 *id)
{
	size_t nr = 0, i, size = 0;
	Elf_Data *data;
	GElf_Phdr p;

	if (elf_getphdrnum(elf, &nr))
		return 0;
	for (i = 0; i < nr && !size; i++) {
		if (!gelf_getphdr(elf, i, &p) || p.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(elf, p.p_offset, p.p_filesz,
					    p.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		size = data ? id_of_notes(data, id) : 0;
	}
	return size;
}

static const char *hex(const __u8 *id, size_t size, char text[HEX_SIZE])
{
	size_t i;

	for (i = 0; i < size; i++)
		sprintf(text + 2 * i, "%02x", id[i]);
	text[2 * size] = '\0';
	return text;
}

enum fits {
	FITS_NOT_THERE,
	FITS_OTHER,		/* it has another build-id, or none */
	FITS_YES,
};

static enum fits fits(const char *path, const __u8 *id, size_t id_size)
{
	Elf *elf = find_open(path);
	__u8 found[OBJECT_ID_MAX];
	size_t size;

	if (!elf)
		return FITS_NOT_THERE;
	size = find_id(elf, found);
	elf_end(elf);
	if (!id_size)
		return FITS_YES;
	/* Ids that are longer than those of mmap records are recorded in part. */
	return size >= id_size && !memcmp(found, id, id_size) ? FITS_YES : FITS_OTHER;
}

/* Take @path if it fits. Free it otherwise. */
static char *take(char *path, const __u8 *id, size_t id_size, enum fits *result)
{
	const enum fits got = path ? fits(path, id, id_size) : FITS_NOT_THERE;

	if (got > *result)
		*result = got;
	if (got == FITS_YES)
		return path;
	free(path);
	return NULL;
}

static char *text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *text(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	return s;
}

/* Return the path of a file in perf's cache of build-ids: "elf", "vdso" or "debug". */
static char *in_perf_cache(const char *id, const char *name)
{
	const char *home = getenv("HOME");

	return home ? text("%s/.debug/.build-id/%.2s/%s/%s", home, id, id + 2, name) : NULL;
}

static char *in_debuginfod(const char *id, const char *name)
{
	const char *path = getenv("DEBUGINFOD_CACHE_PATH");
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (path)
		return text("%s/%s/%s", path, id, name);
	if (cache)
		return text("%s/debuginfod_client/%s/%s", cache, id, name);
	return home ? text("%s/.cache/debuginfod_client/%s/%s", home, id, name) : NULL;
}

/* Return the vdso of this process, if it fits, as a file that exists as long as the process. */
static char *own_vdso(const __u8 *id, size_t id_size, enum fits *result)
{
	const unsigned long address = getauxval(AT_SYSINFO_EHDR);
	const char *vdso = (const char *)address;
	const long page = sysconf(_SC_PAGESIZE);
	Elf64_Ehdr head;
	char *found;
	size_t size;
	int fd;

	if (!vdso || !id_size)
		return NULL;
	memcpy(&head, vdso, sizeof(head));
	/* The section headers are the last part of a vdso. */
	size = head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
	size = (size + page - 1) / page * page;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (write(fd, vdso, size) != (ssize_t)size) {
		close(fd);
		return NULL;
	}
	found = take(text("/proc/self/fd/%d", fd), id, id_size, result);
	if (!found)
		close(fd);
	return found;
}

/* Return the vdso of an installed kernel, if one fits. */
static char *installed_vdso(const char *root, const __u8 *id, size_t id_size, enum fits *result)
{
	char *pattern = text("%s/lib/modules/*/vdso/*.so", root), *found = NULL;
	glob_t names;
	size_t i;

	if (!pattern || !id_size || glob(pattern, 0, NULL, &names)) {
		free(pattern);
		return NULL;
	}
	for (i = 0; i < names.gl_pathc && !found; i++)
		found = take(strdup(names.gl_pathv[i]), id, id_size, result);
	globfree(&names);
	free(pattern);
	return found;
}

static char *search_vdso(const struct object *o, const char *id, enum fits *result)
{
	const char *root = o->objects->places.symfs ?: "";
	char *found = NULL;

	if (o->objects->places.symfs)
		found = take(text("%s/[vdso]", root), o->id, o->id_size, result);
	if (!found)
		found = own_vdso(o->id, o->id_size, result);
	if (!found && o->id_size)
		found = take(in_perf_cache(id, "vdso"), o->id, o->id_size, result);
	return found ?: installed_vdso(root, o->id, o->id_size, result);
}

static char *search_file(const struct object *o, const char *id, enum fits *result)
{
	const char *symfs = o->objects->places.symfs;
	char *found = take(symfs ? text("%s%s", symfs, o->path) : strdup(o->path), o->id,
			   o->id_size, result);

	if (found || !o->id_size)
		return found;
	found = take(in_perf_cache(id, "elf"), o->id, o->id_size, result);
	return found ?: take(in_debuginfod(id, "executable"), o->id, o->id_size, result);
}

static char *explain(const struct object *o, const char *id, enum fits result)
{
	const char *root = o->objects->places.symfs ?: "";

	if (o->kind == OBJECT_VDSO)
		return text("[vdso] with build-id %s was not found: view the recording on the machine where it was made, or copy the vdso to DIR/[vdso] and give --symfs DIR",
			    *id ? id : "(none)");
	if (result == FITS_OTHER)
		return text("%s%s does not have the recorded build-id %s: the file has changed. Copy the old file to DIR%s and give --symfs DIR",
			    root, o->path, id, o->path);
	return text("%s%s is not there, or is no ELF file: copy it to DIR%s from the machine where the recording was made, and give --symfs DIR",
		    root, o->path, o->path);
}

void find_file(struct object *o)
{
	enum fits result = FITS_NOT_THERE;
	char id[HEX_SIZE];

	hex(o->id, o->id_size, id);
	switch (o->kind) {
	case OBJECT_FILE:
		o->file = search_file(o, id, &result);
		break;
	case OBJECT_VDSO:
		o->file = search_vdso(o, id, &result);
		break;
	case OBJECT_KERNEL:
		o->why = text("the kernel's code is not there: give --kcore DIR, a copy that perf record --kcore or perf buildid-cache --kcore made");
		return;
	case OBJECT_MEMORY:
		o->why = text("%s is no file: the program made this code itself", o->path);
		return;
	}
	if (!o->file)
		o->why = explain(o, id, result);
}

char *find_debug_file(const struct object *o, const __u8 *id, size_t id_size, const char *link)
{
	const char *root = o->objects->places.symfs ?: "";
	enum fits result = FITS_NOT_THERE;
	char *found = NULL, name[HEX_SIZE];
	const char *slash;

	if (id_size > 1) {
		hex(id, id_size, name);
		found = take(text("%s/usr/lib/debug/.build-id/%.2s/%s.debug", root, name, name + 2),
			     id, id_size, &result);
		if (!found)
			found = take(in_perf_cache(name, "debug"), id, id_size, &result);
		if (!found)
			found = take(in_debuginfod(name, "debuginfo"), id, id_size, &result);
	}
	slash = o->file ? strrchr(o->file, '/') : NULL;
	if (found || !link || !*link || !slash)
		return found;
	found = take(text("%.*s/%s", (int)(slash - o->file), o->file, link), id, id_size, &result);
	if (!found)
		found = take(text("%.*s/.debug/%s", (int)(slash - o->file), o->file, link), id,
			     id_size, &result);
	return found ?: take(text("/usr/lib/debug%.*s/%s", (int)(slash - o->file), o->file, link),
			     id, id_size, &result);
}
