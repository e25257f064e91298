// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command auxrec merge.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/command_line.h"
#include "merge/merge.h"
#include "merge/main.h"
#include "base/text.h"

enum {
	MERGE_OK	= 0,
	MERGE_REFUSED	= 1,
	MERGE_ERROR	= 2,
};

static const char usage[] =
"Usage: auxrec merge [OPTION]... FILE... -o OUT\n"
"Make one stream from snapshots of one flight recording, given in any order. Records\n"
"that several snapshots have are in it once. Merged streams can be merged again.\n"
"\n"
"  -o, --output OUT  write to OUT; '-' is stdout. A file is replaced when all is\n"
"                    written, and must not be one of FILE\n"
"  -q, --quiet       print only errors: no summary\n"
"  -h, --help        print this text\n"
"\n"
"The summary, on stderr, tells the times between snapshots of which there are no\n"
"records, or of which data of the raw ring is missing.\n"
"\n"
"Exit status: 0 merged, 1 a FILE is damaged, cut short or not a snapshot of the\n"
"same recording, 2 usage or I/O error. Unless it is 0, OUT stays as it was.\n"
"See auxrec-merge(1).\n";

static void print_summary(const struct merge_summary *sum, const char *out)
{
	char a[32], b[32], d[32];
	size_t i;

	say("%s: %zu snapshot%s, %s, %llu records", out, sum->snapshots,
	    sum->snapshots == 1 ? "" : "s",
	    read_print_size(a, sizeof(a), sum->bytes),
	    (unsigned long long)sum->records);
	if (sum->spans)
		say("%llu spans of AUX data; %llu were there more than once",
		    (unsigned long long)sum->spans, (unsigned long long)sum->repeated);
	if (sum->left_out)
		say("%zu file%s had nothing that the others do not have", sum->left_out,
		    sum->left_out == 1 ? "" : "s");
	say("all records from %s to %s%s",
	    sum->begin ? read_print_time(a, sizeof(a), sum->begin) : "the first one",
	    read_print_time(b, sizeof(b), sum->end), sum->nr_holes ? ", but:" : "");
	for (i = 0; i < sum->nr_holes; i++) {
		const struct merge_hole *h = &sum->holes[i];

		say("there are no records from %s to %s (%s), between snapshots %llu and %llu, except for the last records of the first",
		    read_print_time(a, sizeof(a), h->begin),
		    read_print_time(b, sizeof(b), h->end),
		    read_print_duration(d, sizeof(d), h->end - h->begin + 1),
		    (unsigned long long)h->before, (unsigned long long)h->after);
	}
	for (i = 0; i < sum->nr_raw_holes; i++) {
		const struct merge_hole *h = &sum->raw_holes[i];

		say("data of the raw ring is missing from %s to %s (%s), between snapshots %llu and %llu",
		    read_print_time(a, sizeof(a), h->begin),
		    read_print_time(b, sizeof(b), h->end),
		    read_print_duration(d, sizeof(d), h->end - h->begin),
		    (unsigned long long)h->before, (unsigned long long)h->after);
	}
}

static int run(char **files, size_t nr, const char *out, bool quiet)
{
	struct merge_summary sum;
	struct diag d = { "" };
	const int err = merge_streams(files, nr, out, &sum, &d);

	if (err)
		say("merge: %s", d.msg);
	else if (!quiet)
		print_summary(&sum, strcmp(out, "-") ? out : "stdout");
	merge_summary_free(&sum);
	if (err == -EINVAL || err == -EBADMSG)
		return MERGE_REFUSED;
	return err ? MERGE_ERROR : MERGE_OK;
}

struct merge_command {
	const char *out;
	bool quiet;
};

static int set_option(void *ctx, char letter, const char *value)
{
	struct merge_command *c = ctx;

	if (letter == 'o')
		c->out = value;
	else
		c->quiet = true;
	return COMMAND_GO_ON;
}

static const struct command_option options[] = {
	{ "output", 'o', true, true },
	{ "quiet", 'q', true, false },
	{ }
};

static const struct command_line command = {
	.who = "auxrec merge", .usage = usage, .options = options, .set = set_option,
};

int auxrec_merge_main(int argc, char **argv)
{
	struct merge_command c = { NULL, false };
	const int rc = command_options(&command, argc, argv, &c);

	if (rc != COMMAND_GO_ON)
		return rc;
	if (c.out && *c.out && optind < argc)
		return run(argv + optind, argc - optind, c.out, c.quiet);
	fputs(optind < argc ? "auxrec merge: give -o OUT: where to write to\n" :
	      "auxrec merge: give the FILEs to merge\n", stderr);
	return command_usage(&command);
}
