// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parsing probes of functions in user space: [probe:]func=NAME[#N]@FILE[%return].
 *
 * The events are those of the kernel's PMU "uprobe", and not of tracefs: each is a probe of its
 * own, which ends with its descriptor. So nothing is left when the recorder is killed.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "event/parse.h"
#include "event/probe.h"
#include "event/symbol.h"

#define RETURN		"%return"

/* The parts of @text. The strings are in a copy of it, with NULs. */
struct parts {
	char *name;
	const char *index;	/* after '#', or NULL */
	unsigned int nr;	/* the number of @index; 0: none */
	char *file;
	bool at_return;
};

static int wrong_form(struct diag *d)
{
	return diag(d, -EINVAL, "a probe is " PROBE_FORM ", as in func=main@./prog");
}

static int split(char *text, struct parts *parts, struct diag *d)
{
	char *at = strchr(text, '@'), *hash, *end;
	size_t len;
	long nr;

	memset(parts, 0, sizeof(*parts));
	if (!at || at == text || *text == '#')
		return wrong_form(d);
	*at = '\0';
	parts->name = text;
	parts->file = at + 1;
	len = strlen(parts->file);
	if (len >= sizeof(RETURN) - 1 &&
	    !strcmp(parts->file + len - (sizeof(RETURN) - 1), RETURN)) {
		parts->at_return = true;
		len -= sizeof(RETURN) - 1;
		parts->file[len] = '\0';
	}
	if (len > 1 && parts->file[0] == '\'' && parts->file[len - 1] == '\'') {
		parts->file[len - 1] = '\0';
		parts->file++;
	}
	if (!*parts->file)
		return wrong_form(d);
	hash = strchr(text, '#');
	if (!hash)
		return 0;
	*hash = '\0';
	parts->index = hash + 1;
	errno = 0;
	nr = strtol(parts->index, &end, 10);
	if (errno || *end || nr < 1 || nr > INT_MAX)
		return diag(d, -EINVAL, "'#%.64s' is not the number of a function: #1 is the first one of this name",
			    parts->index);
	parts->nr = nr;
	return 0;
}

/* Neither the symbol table nor the dynamic one has the function. */
static int no_function(const struct parts *parts, struct diag *d)
{
	struct names names = { 0 };
	struct ev_buf hint = { 0 };
	int err = symbol_names(parts->file, &names);
	const bool none = !err && !names.nr;

	if (!err)
		ev_suggest_from(&names, parts->name, &hint);
	names_free(&names);
	if (none)
		return diag(d, -ESRCH, "%.200s has no symbols: it is stripped; give a build that has them",
			    parts->file);
	return diag(d, -ESRCH, "%.200s has no function '%.200s'%s", parts->file, parts->name,
		    hint.s);
}

static int not_found(const struct parts *parts, unsigned int nr, int err, struct diag *d)
{
	switch (err) {
	case -ESRCH:
		if (!nr)
			return no_function(parts, d);
		if (parts->nr)
			return diag(d, err, "%.200s has %u functions '%.200s', and no #%u",
				    parts->file, nr, parts->name, parts->nr);
		return diag(d, err, "%.200s has %u functions '%.200s': give %.200s#1 for the first one, and so on, in order of their place in the file",
			    parts->file, nr, parts->name, parts->name);
	case -ENOEXEC:
		return diag(d, err, "%.200s is not an ELF file: give a program or a library",
			    parts->file);
	default:
		return diag(d, err, "%.200s: %s", parts->file, strerror(-err));
	}
}

/*
 * To see a return, the kernel puts an address of its own on the stack. A Go program walks its
 * stacks and moves them, and ends when it finds that address.
 */
static bool is_go(const char *file)
{
	struct symbol sym;
	unsigned int nr;

	return !symbol_find(file, "runtime.main", 0, &sym, &nr);
}

static int find(const struct parts *parts, struct probe *probe, struct diag *d)
{
	struct symbol sym;
	unsigned int nr;
	int err;

	err = symbol_find(parts->file, parts->name, parts->nr, &sym, &nr);
	if (err)
		return not_found(parts, nr, err, d);
	if (!sym.code)
		return diag(d, -EINVAL, "'%.200s' of %.200s is not code: programs cannot execute that part of the file",
			    parts->name, parts->file);
	if (sym.indirect)
		return diag(d, -EINVAL, "'%.200s' of %.200s is an indirect function: its symbol is the code that chooses the real one; give that one's name",
			    parts->name, parts->file);
	if (parts->at_return && is_go(parts->file))
		return diag(d, -EOPNOTSUPP, "%.200s is a Go program, which would crash: the kernel changes the return address, and Go checks its stacks",
			    parts->file);
	probe->offset = sym.offset;
	probe->at_return = parts->at_return;
	probe->file = realpath(parts->file, NULL);
	return probe->file ? 0 : diag(d, -errno, "%.200s: %s", parts->file, strerror(errno));
}

int probe_find(const char *text, struct probe *probe, const char **at, struct diag *d)
{
	char *copy = strdup(text);
	struct parts parts;
	int err;

	*at = text;
	if (!copy)
		return diag(d, -ENOMEM, "out of memory");
	err = split(copy, &parts, d);
	if (err && parts.index)
		*at = text + (parts.index - copy);
	if (!err) {
		err = find(&parts, probe, d);
		/* All other errors are about the file. */
		if (err && err != -ESRCH && err != -EINVAL)
			*at = text + (parts.file - copy);
	}
	free(copy);
	return err;
}

static int uprobe_type(struct ev_ctx *ctx, const char *at, __u32 *type)
{
	struct pmu *pmu;
	int err;

	err = ev_read_pmus(ctx);
	if (err)
		return err;
	pmu = pmu_find(&ctx->pmus, "uprobe");
	if (!pmu)
		return ev_fail(ctx, at, -ENOENT,
			       "this kernel has no probes of functions: it lacks CONFIG_UPROBE_EVENTS");
	err = pmu_load(pmu);
	if (err)
		return ev_fail(ctx, at, err, "PMU 'uprobe': cannot read its type: %s",
			       strerror(-err));
	*type = pmu->type;
	return 0;
}

int ev_probe(struct ev_ctx *ctx, const struct ev_item *item)
{
	char *spec = ev_strdup(item->head);
	struct auxrec_event *ev;
	struct probe probe;
	const char *at;
	struct diag d;
	__u32 type = 0;
	int err;

	if (!spec)
		return ev_no_memory(ctx);
	err = probe_find(probe_text(spec), &probe, &at, &d);
	if (err)
		err = ev_fail(ctx, item->head.p + (at - spec), err, "%s", d.msg);
	free(spec);
	if (err)
		return err;
	err = uprobe_type(ctx, item->head.p, &type);
	ev = err ? NULL : ev_new(ctx, type, 0);
	if (!ev) {
		free(probe.file);
		return err ?: -ENOMEM;
	}
	ev->attr.config = probe.at_return ? PROBE_CONFIG_RETURN : 0;
	ev->attr.probe_offset = probe.offset;
	/* Record every hit. */
	ev->attr.sample_period = 1;
	ev->probe_file = probe.file;
	return 0;
}
