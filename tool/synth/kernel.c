// SPDX-License-Identifier: GPL-2.0-only
/*
 * Describe where the kernel and its modules are in memory, with their build-ids.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "ring/perf_clock.h"
#include "session/buildid.h"
#include "stream/records.h"
#include "stream/build.h"
#include "synth/kernel_range.h"
#include "synth/synth.h"

#define KERNEL_PID	(-1U)

static int add_map(struct session *s, __u64 start, __u64 len, __u64 pgoff,
		   const struct build_id *id, const char *name, __u64 time)
{
	const struct rec_sample_id sample_id = {
		.pid = KERNEL_PID, .tid = 0, .time = time,
		.id = time ? session_sideband_id(s) : 0,
	};
	__u8 id_field[24] = { id->size };
	int err;

	if (id->size)
		memcpy(id_field + 4, id->id, id->size);
	else
		s->missing_build_ids++;
	build_begin(&s->out, PERF_RECORD_MMAP2, PERF_RECORD_MISC_KERNEL |
		    (id->size ? REC_MISC_MMAP_BUILD_ID : 0));
	build_add_u32(&s->out, KERNEL_PID);
	build_add_u32(&s->out, 0);
	build_add_u64(&s->out, start);
	build_add_u64(&s->out, len);
	build_add_u64(&s->out, pgoff);
	/* Without an id, these bytes are the device and inode, 0 for none. */
	build_add(&s->out, id_field, sizeof(id_field));
	build_add_u32(&s->out, PROT_EXEC);
	build_add_u32(&s->out, MAP_PRIVATE);
	build_add_name(&s->out, name);
	if (time)
		build_add(&s->out, &sample_id, sizeof(sample_id));
	else
		build_add_sample_id(&s->out);
	err = build_end(&s->out);
	return err == -E2BIG ? 0 : err;
}

/* A '_' in a module's name can be a '-' in its file's name. */
static bool same_module(const char *file, const char *name)
{
	for (; *name; file++, name++)
		if (*file != *name && !(*file == '-' && *name == '_'))
			return false;
	return !strncmp(file, ".ko", 3);
}

/* Find the file of a module in modules.dep ("path: needs"), or use "[name]". */
static void module_path(const char *deps, const char *dir, const char *name,
			char *path, size_t size)
{
	const char *p = deps;

	while (p && *p) {
		size_t len = strcspn(p, ":\n");
		const char *base = memrchr(p, '/', len);

		base = base ? base + 1 : p;
		if (same_module(base, name)) {
			snprintf(path, size, "%s/%.*s", dir, (int)len, p);
			return;
		}
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	snprintf(path, size, "[%s]", name);
}

/* Set @dir to the directory of modules. Return modules.dep, which the caller frees, or NULL. */
static char *module_deps(char *dir, size_t size)
{
	char *deps, path[1024];
	struct utsname u;

	uname(&u);
	snprintf(dir, size, "/lib/modules/%s", u.release);
	snprintf(path, sizeof(path), "%s/modules.dep", dir);
	return slurp(path, &deps, NULL) ? NULL : deps;
}

int synth_module(struct session *s, const struct perfaux_notice *n,
		 const char *name)
{
	char *deps, dir[256], path[1024];
	struct build_id id = { 0 };
	__u64 time = n->time;
	int err;

	/* The kernel is locked down, and does not tell the module's address. */
	if (!n->start)
		return 0;
	id.size = n->id_size > sizeof(id.id) ? sizeof(id.id) : n->id_size;
	memcpy(id.id, n->id, id.size);
	/* A notice has the time of perf's own clock, because it belongs to no event. */
	if (s->opt->use_clock)
		time = perf_clock_convert(time, s->opt->clock);
	/* Readers have processed all records up to flushed_time, so this record must be later. */
	if (time <= s->flushed_time)
		time = s->flushed_time + 1;
	if (time > s->main.max_time)
		s->main.max_time = time;
	deps = module_deps(dir, sizeof(dir));
	module_path(deps, dir, name, path, sizeof(path));
	err = add_map(s, n->start, n->length, 0, &id, path, time);
	free(deps);
	return err;
}

static int add_modules(struct session *s)
{
	char *text, *deps, *line, *save, dir[256], path[1024];
	int err = 0;

	if (slurp("/proc/modules", &text, NULL))
		return 0;
	deps = module_deps(dir, sizeof(dir));

	for (line = strtok_r(text, "\n", &save); line && !err;
	     line = strtok_r(NULL, "\n", &save)) {
		unsigned long long size, addr;
		struct build_id id;
		char name[128];

		/* name size users needed-by state address */
		if (sscanf(line, "%127s %llu %*s %*s %*s %llx", name, &size,
			   &addr) != 3 || !addr)
			continue;
		snprintf(path, sizeof(path),
			 "/sys/module/%s/notes/.note.gnu.build-id", name);
		build_id_notes(path, &id);
		module_path(deps, dir, name, path, sizeof(path));
		err = add_map(s, addr, size, 0, &id, path, 0);
	}
	free(deps);
	free(text);
	return err;
}

int synth_kernel(struct session *s)
{
	const __u64 page = sysconf(_SC_PAGESIZE);
	struct kernel_range k;
	struct build_id id;
	char name[64];
	__u64 end;
	int err;

	/* If the kernel is not recorded, no record has an address of the kernel. */
	if (!session_records_kernel(s))
		return 0;
	if (kernel_range_find(&k, "/proc/kallsyms", "/proc/iomem")) {
		s->kptr_hidden = true;
		return 0;
	}

	build_id_notes("/sys/kernel/notes", &id);
	end = ALIGN_UP(k.end, page);
	if (end <= k.start)
		end = k.start + page;
	/* Readers relocate by the reference symbol, so its name must fit the address. */
	snprintf(name, sizeof(name), REC_KERNEL_NAME "%s", k.symbol);
	err = add_map(s, k.start, end - k.start, k.start, &id, name, 0);
	return err ? err : add_modules(s);
}
