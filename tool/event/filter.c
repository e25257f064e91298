// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address filters: translate perf's grammar (addr_filters__parse_bare_filter()) to
 * the kernel's (perf_event_parse_addr_filter()), which has no symbols.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "event/filter.h"
#include "event/symbol.h"

#define WORD_LEN	512

/* A number or a symbol */
struct place {
	bool number;
	__u64 value;
	char name[WORD_LEN];
	unsigned int index;	/* which symbol of this name; 0: there must be only one */
};

struct filter {
	const char *action;
	bool range;
	struct place start, end;
	bool has_end;
	char file[PATH_MAX];	/* empty: the kernel */
};

static int bad(const char *text, const char *at, const char *what,
	       struct diag *d)
{
	return diag(d, -EINVAL,
		    "--filter: %s at '%s' of '%s'; write filter|start|stop|tracestop START [/ END] [@ FILE], with symbols of FILE, or START an offset in it and END a size",
		    what, at, text);
}

static const char *skip(const char *p, const char *what)
{
	return p + strspn(p, what);
}

/*
 * Copy the word that ends at a character of @ends. Return the character after it, or NULL if the
 * word is empty or too long.
 */
static const char *word(const char *p, const char *ends, char *buf, size_t room)
{
	size_t len = strcspn(p, ends);

	if (!len || len >= room)
		return NULL;
	memcpy(buf, p, len);
	buf[len] = '\0';
	return p + len;
}

static const char *place(const char *p, struct place *to)
{
	unsigned long nr;
	char *end;

	p = skip(p, " ");
	if (isdigit((unsigned char)*p)) {
		errno = 0;
		to->number = true;
		to->value = strtoull(p, &end, 0);
		return errno ? NULL : end;
	}
	p = word(p, " ,", to->name, sizeof(to->name));
	if (!p)
		return NULL;
	p = skip(p, " ");
	if (*p != '#')
		return p;
	p = skip(p + 1, " ");
	if (!isdigit((unsigned char)*p))
		return NULL;
	errno = 0;
	nr = strtoul(p, &end, 0);
	to->index = nr;
	return errno || !nr || nr > UINT_MAX ? NULL : end;
}

static const char *action(const char *p, struct filter *f)
{
	static const struct {
		const char *name;
		const char *kernel;
		bool range;
	} actions[] = {
		{ "filter", "filter", true },
		{ "start", "start", false },
		{ "stop", "stop", false },
		{ "tracestop", "stop", true },
	};
	char name[16];
	size_t i;

	p = word(p, " ,", name, sizeof(name));
	for (i = 0; p && i < ARRAY_LEN(actions); i++) {
		if (strcmp(name, actions[i].name))
			continue;
		f->action = actions[i].kernel;
		f->range = actions[i].range;
		return p;
	}
	return NULL;
}

/* Parse one filter, and set @p to the character after it. */
static int parse(const char *text, const char **p, struct filter *f,
		 struct diag *d)
{
	const char *at = *p, *next;

	next = action(at, f);
	if (!next)
		return bad(text, at, "no action", d);
	at = next;
	next = place(at, &f->start);
	if (!next)
		return bad(text, at, "no START", d);
	at = skip(next, " ");
	if (*at == '/') {
		next = place(at + 1, &f->end);
		if (!next)
			return bad(text, at, "no END", d);
		f->has_end = true;
		f->range = true;
		at = skip(next, " ");
	}
	if (*at == '@') {
		next = word(skip(at + 1, " "), " ,", f->file, sizeof(f->file));
		if (!next)
			return bad(text, at, "no FILE", d);
		at = next;
	}
	*p = skip(at, " ,");
	if (*p == at && *at)
		return bad(text, at, "unexpected text", d);
	return 0;
}

static int whole_file(const struct filter *f, __u64 *start, __u64 *size,
		      struct diag *d)
{
	struct stat st;

	if (!*f->file || f->has_end)
		return diag(d, -EINVAL,
			    "--filter: '*' is all of a file: write filter * @ FILE");
	if (stat(f->file, &st))
		return diag(d, -errno, "--filter: %s: %s", f->file,
			    strerror(errno));
	*start = 0;
	*size = st.st_size;
	return 0;
}

static int find(const struct filter *f, const struct place *p,
		struct symbol *sym, struct diag *d)
{
	unsigned int nr = 0;
	int err;

	if (!*f->file)
		return diag(d, -EINVAL,
			    "--filter: '%s': the symbol has no file: write @ FILE after it (only addresses can be given for the kernel)",
			    p->name);
	err = symbol_find(f->file, p->name, p->index, sym, &nr);
	if (err == -ESRCH && nr)
		return diag(d, err,
			    "--filter: %s has %u symbols '%s': write '%s #1', or up to #%u",
			    f->file, nr, p->name, p->name, nr);
	if (err == -ESRCH)
		return diag(d, err, "--filter: %s has no symbol '%s'", f->file,
			    p->name);
	if (err == -ENOEXEC)
		return diag(d, err, "--filter: %s is not an ELF file", f->file);
	if (err)
		return diag(d, err, "--filter: %s: %s", f->file, strerror(-err));
	return 0;
}

static int resolve(const struct filter *f, __u64 *start, __u64 *size,
		   struct diag *d)
{
	struct symbol sym = { 0 };
	int err;

	if (!f->start.number && !strcmp(f->start.name, "*"))
		return whole_file(f, start, size, d);
	*start = f->start.value;
	*size = 0;
	if (!f->start.number) {
		err = find(f, &f->start, &sym, d);
		if (err)
			return err;
		*start = sym.offset;
		*size = sym.size;
	}
	if (!f->has_end)
		return 0;
	if (f->end.number) {
		*size = f->end.value;
		return 0;
	}
	err = find(f, &f->end, &sym, d);
	if (err)
		return err;
	if (sym.offset + sym.size <= *start)
		return diag(d, -EINVAL, "--filter: '%s' is not after '%s'",
			    f->end.name, f->start.name);
	*size = sym.offset + sym.size - *start;
	return 0;
}

static int print(const struct filter *f, __u64 start, __u64 size, char **to,
		 struct diag *d)
{
	char path[PATH_MAX] = "", end[32] = "", *both;
	int n;

	if (*f->file && !realpath(f->file, path))
		return -errno;
	/* perf_event_parse_addr_filter() ends a filter at these characters. */
	if (strpbrk(path, " ,\n"))
		return diag(d, -EINVAL,
			    "--filter: the kernel accepts no path with a blank or a comma: '%s'",
			    path);
	if (f->range)
		snprintf(end, sizeof(end), "/0x%llx", size);
	n = asprintf(&both, "%s%s%s 0x%llx%s%s%s", *to ?: "", *to ? "," : "",
		     f->action, start, end, *path ? "@" : "", path);
	if (n < 0)
		return -ENOMEM;
	free(*to);
	*to = both;
	return 0;
}

int filter_addresses(const char *text, char **kernel, struct diag *d)
{
	const char *p = skip(text, " ,");
	__u64 start = 0, size = 0;
	int err = 0;

	*kernel = NULL;
	if (!*p)
		return bad(text, p, "nothing", d);
	while (!err && *p) {
		struct filter f = { 0 };

		err = parse(text, &p, &f, d);
		if (!err)
			err = resolve(&f, &start, &size, d);
		if (err)
			break;
		if (f.range && !size)
			err = diag(d, -EINVAL,
				   "--filter: '%s' has no size: write / and a size after it",
				   text);
		else
			err = print(&f, start, size, kernel, d);
		if (err && err != -EINVAL)
			diag(d, err, "--filter: %s: %s", f.file, strerror(-err));
	}
	if (err) {
		free(*kernel);
		*kernel = NULL;
	}
	return err;
}
