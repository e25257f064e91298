// SPDX-License-Identifier: GPL-2.0-only
/*
 * auxrec list: print what can be recorded on this machine.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command_line.h"
#include "event/list_print.h"
#include "event/parse.h"
#include "event/tracefs.h"
#include "base/util.h"

static const char usage[] =
"Usage: auxrec list [OPTION]... [WHAT]...\n"
"Print the events that can be recorded on this machine.\n"
"\n"
"WHAT is one of these, a pattern (*, ?, [...]) or a part of a name:\n"
"  hw          hardware events that this machine counts\n"
"  sw          software events\n"
"  cache       hardware cache events that this machine counts\n"
"  tracepoint  tracepoints of the kernel\n"
"  pmu         PMUs with their terms and events\n"
"  aux         PMUs with an AUX area\n"
"\n"
"  --json          print JSON, an array with one object per event or PMU\n"
"  --sysfs DIR     read DIR instead of /sys, and do not probe the hardware\n"
"  --tracefs DIR   read DIR instead of the mounted tracefs\n"
"  -h, --help      print this text\n"
"\n"
"Exit status: 0, 1 if there is nothing to print, 2 for wrong usage, or if the output\n"
"cannot be written.\n"
"See auxrec-list(1), which also tells how events are written.\n";

enum kind {
	KIND_HW		= 1 << 0,
	KIND_SW		= 1 << 1,
	KIND_CACHE	= 1 << 2,
	KIND_TRACEPOINT	= 1 << 3,
	KIND_PMU	= 1 << 4,
	KIND_AUX	= 1 << 5,
	KIND_SYNTAX	= 1 << 6,
};

#define KIND_ALL	(KIND_HW | KIND_SW | KIND_CACHE | KIND_TRACEPOINT | \
			 KIND_PMU | KIND_SYNTAX)

static const struct {
	const char *word;
	enum kind kind;
} words[] = {
	{ "hw", KIND_HW },
	{ "hardware", KIND_HW },
	{ "sw", KIND_SW },
	{ "software", KIND_SW },
	{ "cache", KIND_CACHE },
	{ "hwcache", KIND_CACHE },
	{ "tracepoint", KIND_TRACEPOINT },
	{ "pmu", KIND_PMU },
	{ "aux", KIND_AUX },
};

struct request {
	unsigned int kinds;
	const char *pattern;		/* NULL: all events of the kinds */
};

struct list {
	struct auxrec_sysroot root;
	struct list_out out;
	struct pmu_set pmus;
	bool denied;		/* no permission to read tracepoints, already told */
};

static bool matches(const struct request *request, const char *name)
{
	if (!request->pattern)
		return true;
	if (!name)
		return false;
	if (!strpbrk(request->pattern, "*?["))
		return strcasestr(name, request->pattern);
	return !fnmatch(request->pattern, name, FNM_CASEFOLD);
}

/*
 * Does any kind of core count the event? The kernel is asked without a PMU, so
 * it takes the first PMU that counts the event.
 */
static bool supported(struct list *list, __u32 type, __u64 config)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = type, .config = config,
	};

	return list->root.supported(&attr);
}

static void list_symbols(struct list *list, const struct request *request)
{
	for (size_t i = 0; i < ev_nr_symbols; i++) {
		const struct ev_symbol *symbol = &ev_symbols[i];
		bool hw = symbol->type == PERF_TYPE_HARDWARE;

		if (!(request->kinds & (hw ? KIND_HW : KIND_SW)))
			continue;
		if (!matches(request, symbol->name) &&
		    !(symbol->alias && matches(request, symbol->alias)))
			continue;
		if (hw && !supported(list, symbol->type, symbol->config))
			continue;
		list_event(&list->out, hw ? "hardware" : "software",
			   symbol->name, symbol->alias);
	}
}

static void list_cache(struct list *list, const struct request *request)
{
	struct names names = { 0 };
	__u64 config;

	ev_cache_names(&names);
	for (size_t i = 0; i < names.nr; i++) {
		struct ev_text name = { names.list[i], strlen(names.list[i]) };

		if (!matches(request, names.list[i]) ||
		    ev_cache_config(name, &config) ||
		    !supported(list, PERF_TYPE_HW_CACHE, config))
			continue;
		list_event(&list->out, "cache", names.list[i], NULL);
	}
	names_free(&names);
}

/*
 * Without permission nothing is known about tracepoints, not even that there are
 * none.
 */
static void say_denied(struct list *list)
{
	if (!list->denied)
		fprintf(stderr,
			"auxrec list: no permission to read %s, so tracepoints are not listed: run auxrec list as root\n",
			list->root.tracefs);
	list->denied = true;
}

static void list_system(struct list *list, const struct request *request,
			const char *system)
{
	struct names names = { 0 };
	char *name;
	__u64 id;
	int ret;

	tracepoint_events(list->root.tracefs, system, &names);
	for (size_t i = 0; i < names.nr; i++) {
		if (asprintf(&name, "%s:%s", system, names.list[i]) < 0)
			break;
		ret = -ENOENT;
		if (matches(request, name))
			ret = tracepoint_id(list->root.tracefs, system, names.list[i], &id);
		if (!ret)
			list_event(&list->out, "tracepoint", name, NULL);
		else if (ret == -EACCES || ret == -EPERM)
			say_denied(list);
		free(name);
	}
	names_free(&names);
}

static void list_tracepoints(struct list *list, const struct request *request)
{
	struct names systems = { 0 };
	int ret;

	if (!list->root.tracefs) {
		fprintf(stderr,
			"auxrec list: no tracepoints: tracefs is not mounted (mount -t tracefs nodev /sys/kernel/tracing)\n");
		return;
	}
	ret = tracepoint_systems(list->root.tracefs, &systems);
	if (ret == -EACCES || ret == -EPERM)
		say_denied(list);
	else if (ret)
		fprintf(stderr, "auxrec list: no tracepoints: %s/events: %s\n",
			list->root.tracefs, strerror(-ret));
	for (size_t i = 0; i < systems.nr; i++) {
		/*
		 * The events of "ftrace" cannot be recorded, see add_systems()
		 * in event/tracepoint.c.
		 */
		if (strcmp(systems.list[i], "ftrace"))
			list_system(list, request, systems.list[i]);
	}
	names_free(&systems);
}

/*
 * Is this the PMU of tracepoints, breakpoints or software events? Do not list these PMUs: their
 * events have a syntax of their own, without the terms of a PMU.
 */
static bool is_plumbing(const struct pmu *pmu)
{
	return pmu->type == PERF_TYPE_TRACEPOINT ||
	       pmu->type == PERF_TYPE_BREAKPOINT ||
	       pmu->type == PERF_TYPE_SOFTWARE;
}

static void list_aliases(struct list *list, const struct request *request,
			 const struct pmu *pmu)
{
	struct names names = { 0 };
	struct pmu_alias alias;
	char *name;

	pmu_alias_names(pmu, &names);
	for (size_t i = 0; i < names.nr; i++) {
		if (asprintf(&name, "%s/%s/", pmu->name, names.list[i]) < 0)
			break;
		if (matches(request, name) &&
		    !pmu_alias_read(pmu, names.list[i], &alias)) {
			list_alias(&list->out, pmu, name, &alias);
			pmu_alias_free(&alias);
		}
		free(name);
	}
	names_free(&names);
}

static void list_pmus(struct list *list, const struct request *request)
{
	struct request all = { .kinds = KIND_PMU };
	const struct request *inner;
	struct ev_shown shown;
	int ret;

	for (size_t i = 0; i < list->pmus.nr; i++) {
		struct pmu *pmu = &list->pmus.list[i];
		enum pmu_aux aux = pmu_aux(pmu);
		char *name;

		if (!(request->kinds & KIND_PMU) && !aux)
			continue;
		ret = pmu_load(pmu);
		if (ret) {
			fprintf(stderr, "auxrec list: PMU %s: type: %s\n",
				ev_show_string(&shown, pmu->name),
				strerror(-ret));
			continue;
		}
		if (is_plumbing(pmu))
			continue;
		inner = request;
		if (asprintf(&name, "%s//", pmu->name) < 0)
			return;
		if (matches(request, name)) {
			list_pmu(&list->out, pmu, aux);
			inner = &all;
		}
		free(name);
		list_aliases(list, inner, pmu);
	}
}

static void list_syntax(struct list *list, const struct request *request)
{
	if (!(request->kinds & KIND_SYNTAX) || request->pattern ||
	    list->out.is_json)
		return;
	list_event(&list->out, "breakpoint", "mem:ADDR[/LEN][:rwx]", NULL);
	list_event(&list->out, "raw", "rHEX", "TYPE:CONFIG");
}

static size_t list_one(struct list *list, const struct request *request)
{
	size_t before = list->out.nr;

	list_symbols(list, request);
	if (request->kinds & KIND_CACHE)
		list_cache(list, request);
	list_syntax(list, request);
	if (request->kinds & (KIND_PMU | KIND_AUX))
		list_pmus(list, request);
	if (request->kinds & KIND_TRACEPOINT)
		list_tracepoints(list, request);
	return list->out.nr - before;
}

static void parse_word(const char *word, struct request *request)
{
	request->kinds = KIND_ALL;
	request->pattern = word;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strcmp(word, words[i].word))
			continue;
		request->kinds = words[i].kind;
		request->pattern = NULL;
	}
}

static int list_words(struct list *list, int argc, char **argv)
{
	struct request request = { .kinds = KIND_ALL };
	struct ev_shown shown;
	int status = 0;

	if (!argc)
		return list_one(list, &request) ? 0 : 1;
	for (int i = 0; i < argc; i++) {
		parse_word(argv[i], &request);
		if (list_one(list, &request))
			continue;
		status = 1;
		if (list->denied && request.kinds & KIND_TRACEPOINT)
			continue;
		fprintf(stderr, request.pattern ?
			"auxrec list: nothing matches '%s'\n" :
			"auxrec list: this machine has no %s events\n",
			ev_show_string(&shown, argv[i]));
	}
	return status;
}

struct list_command {
	struct list list;
	struct auxrec_sysroot root;
};

static int set_option(void *ctx, char letter, const char *value)
{
	struct list_command *c = ctx;

	switch (letter) {
	case 'j':
		c->list.out.is_json = true;
		break;
	case 's':
		c->root.sysfs = value;
		break;
	case 't':
		c->root.tracefs = value;
		break;
	}
	return COMMAND_GO_ON;
}

static const struct command_option options[] = {
	{ "json", 'j', false, false },
	{ "sysfs", 's', false, true },
	{ "tracefs", 't', false, true },
	{ }
};

static const struct command_line command = {
	.who = "auxrec list", .usage = usage, .brief = true, .options = options, .set = set_option,
};

int auxrec_list_main(int argc, char **argv)
{
	struct list_command c = { .root = { 0 } };
	struct auxrec_sysroot *root = &c.root;
	struct list *list = &c.list;
	char tracefs[PATH_MAX];
	int status;
	int ret;

	status = command_options(&command, argc, argv, &c);
	if (status != COMMAND_GO_ON)
		return status;
	ev_root_init(&list->root, root, tracefs, sizeof(tracefs));
	/*
	 * The sysfs of another machine does not match this machine's
	 * tracepoints.
	 */
	if (root->sysfs && !root->tracefs)
		list->root.tracefs = NULL;
	ret = pmu_set_read(&list->pmus, list->root.sysfs);
	if (ret)
		fprintf(stderr,
			"auxrec list: no PMUs: %s/bus/event_source/devices: %s\n",
			list->root.sysfs, strerror(-ret));
	list->out.file = stdout;
	list_begin(&list->out);
	status = list_words(list, argc - optind, argv + optind);
	list_end(&list->out);
	pmu_set_free(&list->pmus);
	return command_flush(command.who, "the list of events", stdout) ? status : COMMAND_ERROR;
}
