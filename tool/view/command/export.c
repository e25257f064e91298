// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command auxrec export.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/command_line.h"
#include "view/bundle/bundle.h"
#include "view/command/command.h"
#include "view/folded/folded.h"
#include "view/json/json_lines.h"
#if VIEW_HAS_PERFETTO
#include "view/perfetto/perfetto.h"
#endif
#if VIEW_HAS_PERFDATA
#include "perfdata/perfdata.h"
#endif

#define WHO	"auxrec export"

static const char usage[] =
"Usage: auxrec export FORMAT [OPTION]... FILE|-\n"
"Write what is in a recording in another format.\n"
"\n"
"Formats:\n"
"  --folded       call stacks, one on each line, for flame graph tools. If calls\n"
"                 were decoded from Intel PT, the number is the time in ns that\n"
"                 passed in the last function, also while the thread did not run;\n"
"                 otherwise it is the weight of the samples (their period)\n"
"  --json         everything, as JSON: one object on each line\n"
#if VIEW_HAS_PERFETTO
"  --perfetto     a trace of Perfetto, for ui.perfetto.dev\n"
#endif
#if VIEW_HAS_PERFDATA
"  --perf-data    a file of perf, for programs that do not read its pipe format;\n"
"                 needs -o FILE\n"
#endif
"  --lldb         a directory, -o DIR, with a trace of Intel PT for LLDB\n"
"  --ptxed        a directory, -o DIR, with Intel PT and its sideband for libipt's\n"
"                 ptxed, and a script, decode, that runs it\n"
"\n"
"Options:\n"
"  -o, --output FILE\n"
"                 the output (default: standard output)\n"
CONVERT_USAGE;

struct export {
	struct convert convert;
	bool perf_data;
	int nr_formats;
};

static int set_option(void *ctx, char letter, const char *value)
{
	struct export *e = ctx;

	switch (letter) {
	case 'f':
		e->convert.new = folded_new;
		break;
	case 'j':
		e->convert.new = json_lines_new;
		break;
#if VIEW_HAS_PERFETTO
	case 'p':
		e->convert.new = perfetto_new;
		break;
#endif
	case 'd':
		e->perf_data = true;
		break;
	case 'l':
		e->convert.bundle = bundle_lldb;
		break;
	case 'x':
		e->convert.bundle = bundle_ptxed;
		break;
	default:
		return convert_option(&e->convert, letter, value);
	}
	e->nr_formats++;
	return COMMAND_GO_ON;
}

static const struct command_option options[] = {
	{ "folded", 'f', false, false },
	{ "json", 'j', false, false },
#if VIEW_HAS_PERFETTO
	{ "perfetto", 'p', false, false },
#endif
#if VIEW_HAS_PERFDATA
	{ "perf-data", 'd', false, false },
#endif
	{ "lldb", 'l', false, false },
	{ "ptxed", 'x', false, false },
	{ "output", 'o', true, true },
	{ "symfs", 's', false, true },
	{ "kcore", 'k', false, true },
	{ "threads", 't', false, true },
	{ }
};

static const struct command_line command = {
	.who = WHO, .usage = usage, .options = options, .set = set_option,
};

#if VIEW_HAS_PERFDATA
/* No data is decoded for this format. */
static int perf_data(const struct export *e, const char *path)
{
	struct perf_data_summary sum;
	struct diag d = { "" };
	const int fd = command_open(WHO, path);
	int rc;

	if (fd < 0)
		return VIEW_ERROR;
	rc = perf_data_write(fd, path, e->convert.out, &sum, &d);
	command_close(fd);
	if (rc)
		fprintf(stderr, WHO ": %s\n", d.msg);
	else if (sum.cut)
		fprintf(stderr, WHO ": %s: cut within a record at offset %llu; what comes before is in the output\n",
			path, sum.cut_at);
	return !rc ? (sum.cut ? VIEW_BROKEN : VIEW_OK) : rc == -EBADMSG ? VIEW_BROKEN :
									   VIEW_ERROR;
}
#else
static int perf_data(const struct export *e, const char *path)
{
	(void)e;
	(void)path;
	return VIEW_ERROR;
}
#endif

int export_main(int argc, char **argv)
{
	struct export e = { .convert = { .who = WHO, .out = "-" } };
	bool written;
	int rc;

	convert_begin(&e.convert);
	rc = command_options(&command, argc, argv, &e);
	if (rc != COMMAND_GO_ON)
		return rc;
	if (e.nr_formats != 1) {
		fprintf(stderr, WHO ": give one format, for example --json\n");
		return command_usage(&command);
	}
	if (optind != argc - 1) {
		fprintf(stderr, WHO ": FILE, or - for standard input, is needed\n");
		return command_usage(&command);
	}
	if (e.perf_data && !strcmp(e.convert.out, "-")) {
		fprintf(stderr, WHO ": --perf-data needs -o FILE, because the header is written last\n");
		return VIEW_ERROR;
	}
	if (e.convert.bundle && !strcmp(e.convert.out, "-")) {
		fprintf(stderr, WHO ": --lldb and --ptxed need -o DIR, because they write several files\n");
		return VIEW_ERROR;
	}
	if (e.perf_data)
		return perf_data(&e, argv[optind]);
	return convert(&e.convert, argv[optind], &written);
}
