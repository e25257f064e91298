// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find out where the kernel is in memory, from /proc/kallsyms and /proc/iomem.
 *
 * The range is that of perf's machine__get_running_kernel_start(): from _text, or else _stext, to
 * _edata, or else _etext. The kernel formats each symbol that is read from /proc/kallsyms, in the
 * order of addresses (sort_symbols() in scripts/kallsyms.c). _text is among the first symbols. More
 * than a hundred thousand lie between _text and _edata, and reading them takes most of the time of
 * a start. So read only up to _text, and take the distance to _edata from /proc/iomem.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "synth/kernel_range.h"

/* Does the distance from "Kernel code" to the end of "Kernel data" equal that of the symbols? */
#ifdef __x86_64__
#define IOMEM_FITS	true
#else
#define IOMEM_FITS	false
#endif

struct symbols {
	__u64 text, stext, etext, edata;
	bool hidden;
};

struct resource {
	const char *name;
	int nr;
	unsigned long long first, last;
};

static void take_resource(struct resource *r, const char *line)
{
	unsigned long long first, last;
	int at = 0;

	/* A line is "first-last : name", after blanks. */
	if (sscanf(line, "%llx-%llx : %n", &first, &last, &at) != 2 || !at)
		return;
	line += at;
	if (strcspn(line, "\n") != strlen(r->name) || strncmp(line, r->name, strlen(r->name)))
		return;
	r->first = first;
	r->last = last;
	r->nr++;
}

/*
 * Return the distance from _text to _edata, or 0 if /proc/iomem does not tell it. x86's
 * setup_arch() makes "Kernel code" begin at _text and "Kernel data" end before _edata. Physical
 * addresses have the same distance as virtual ones, because __pa_symbol() only subtracts a
 * constant. On arm64, "Kernel data" ends at _end (request_standard_resources()). iomem's
 * r_show() prints zeros for users without CAP_SYS_ADMIN.
 */
static __u64 iomem_length(const char *path)
{
	struct resource code = { .name = "Kernel code" };
	struct resource data = { .name = "Kernel data" };
	char line[256];
	FILE *f;

	f = IOMEM_FITS ? fopen(path, "re") : NULL;
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		take_resource(&code, line);
		take_resource(&data, line);
	}
	fclose(f);
	if (code.nr != 1 || data.nr != 1 || data.last <= code.first)
		return 0;
	return data.last + 1 - code.first;
}

static void take_symbol(struct symbols *k, const char *name, __u64 addr)
{
	if (!strcmp(name, "_text")) {
		k->text = addr;
		/* kallsyms prints 0 for all symbols or for none. _text is never 0. */
		k->hidden = !addr;
	} else if (!strcmp(name, "_stext")) {
		k->stext = addr;
	} else if (!strcmp(name, "_etext")) {
		k->etext = addr;
	} else if (!strcmp(name, "_edata")) {
		k->edata = addr;
	}
}

/* Are all needed symbols known? @length: as iomem_length() returns it */
static bool is_enough(const struct symbols *k, __u64 length)
{
	if (k->hidden || (length && k->text))
		return true;
	return k->edata && k->etext && (k->text || k->stext);
}

static int read_symbols(struct symbols *k, const char *path, __u64 length)
{
	char line[512], name[256];
	unsigned long long addr;
	FILE *f;

	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (!is_enough(k, length) && fgets(line, sizeof(line), f)) {
		const char *at = strchr(line, ' ');

		/* A line is "address type name". Skip most lines without the slow sscanf(). */
		if (!at || strlen(at) < 4 || at[3] != '_')
			continue;
		if (sscanf(line, "%llx %*c %255s", &addr, name) == 2)
			take_symbol(k, name, addr);
	}
	fclose(f);
	return k->text || k->stext ? 0 : -EPERM;
}

int kernel_range_find(struct kernel_range *k, const char *kallsyms, const char *iomem)
{
	const __u64 length = iomem_length(iomem);
	struct symbols sym = { .text = 0 };
	int err;

	err = read_symbols(&sym, kallsyms, length);
	if (err)
		return err;
	k->symbol = sym.text ? "_text" : "_stext";
	k->start = sym.text ?: sym.stext;
	if (length && sym.text)
		k->end = sym.text + length;
	else
		k->end = sym.edata > k->start ? sym.edata : sym.etext;
	return 0;
}
