// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line of auxrec extract.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command_line.h"
#include "extract/extract.h"
#include "extract/main.h"

enum {
	EXTRACT_OK	= 0,
	EXTRACT_BROKEN	= 1,
	EXTRACT_ERROR	= 2,
	EXTRACT_CUT	= 3,
};

#define WHO		"auxrec extract"

static const char usage[] =
"Usage: auxrec extract --aux|--raw FILE|- DIR\n"
"Write the AUX data of a stream as the PMU wrote it, for decoders other\n"
"than perf: a file in DIR for each thread, or for each CPU if CPUs were\n"
"recorded. Or write the raw data of its samples, of any length: a file\n"
"for each event.\n"
"\n"
"  --aux        write the AUX data\n"
"  --raw        write the raw data\n"
"  --help       print this text\n"
"\n"
"DIR must be empty, or is created. It gets these files:\n"
"  PID-TID.pt, cpuN.pt    Intel PT; each span is padded to 8 bytes with PAD\n"
"  PID-TID.aux, cpuN.aux  other PMUs; .eventN.aux if there are several events\n"
"  index                  a line for each file, and a line for each gap: the\n"
"                         file, the offset in it, when, and why\n"
"  eventN.raw             with --raw: the data of the Nth event; index then has\n"
"                         a line for each sample: where its data is, how\n"
"                         long, whose, when\n"
"\n"
"Exit status: 0 all data is extracted, 1 the stream is broken or has no such\n"
"data, 2 usage or I/O error, 3 the stream is cut within a record. The data\n"
"before the place where it is broken or cut is extracted.\n"
"See auxrec-extract(1).\n";

static int no_data(const struct extract *e, const char *file)
{
	fprintf(stderr, WHO ": %s: it has no %s data (auxrec info shows what it has)\n",
		file, e->raw ? "raw" : "AUX");
	return EXTRACT_BROKEN;
}

/* For a stream that is cut */
static const char *had_data(const struct extract *e)
{
	return e->nr_queues || e->nr_payloads ? "the data before it is extracted" :
						"with no such data before it";
}

static int status(const struct extract *e, const char *file, int rc)
{
	switch (rc) {
	case 0:
		return e->nr_queues || e->nr_payloads ? EXTRACT_OK :
							no_data(e, file);
	case -ECANCELED:
		fprintf(stderr, WHO ": %s\n", e->diag.msg);
		return EXTRACT_ERROR;
	case -ENODATA:
		if (e->damage[0])
			fprintf(stderr, WHO ": %s: cut at offset %llu of the stream: %s; %s\n",
				file, e->cut, e->damage, had_data(e));
		else if (!e->bytes)
			fprintf(stderr, WHO ": %s: empty, no stream has begun\n",
				file);
		else
			fprintf(stderr, WHO ": %s: cut in the middle of a record at offset %llu, %s\n",
				file, e->cut, had_data(e));
		return EXTRACT_CUT;
	case -EBADMSG:
	case -EPROTO:
		if (e->problem)
			fprintf(stderr, WHO ": %s: %s\n", file, e->problem);
		else if (e->damage[0])
			fprintf(stderr, WHO ": %s: %s\n", file, e->damage);
		else
			fprintf(stderr, WHO ": %s: broken at offset %llu, see auxrec check\n",
				file, e->cut);
		return EXTRACT_BROKEN;
	}
	fprintf(stderr, WHO ": %s: at offset %llu: %s\n", file, e->bytes,
		strerror(-rc));
	return EXTRACT_ERROR;
}

static int run(struct extract *e, const char *file)
{
	int fd, rc;

	fd = command_open(WHO, file);
	if (fd < 0)
		return EXTRACT_ERROR;
	if (extract_dir(e)) {
		fprintf(stderr, WHO ": %s\n", e->diag.msg);
		rc = EXTRACT_ERROR;
	} else {
		rc = status(e, file, e->raw ?
			    extract_raw(e, read_fill_fd, &fd) :
			    extract_stream(e, read_fill_fd, &fd));
	}
	command_close(fd);
	return rc;
}

struct extract_command {
	struct extract *extract;
	bool aux;
};

static int set_option(void *ctx, char letter, const char *value)
{
	struct extract_command *c = ctx;

	(void)value;
	if (letter == 'a')
		c->aux = true;
	else
		c->extract->raw = true;
	return COMMAND_GO_ON;
}

static const struct command_option options[] = {
	{ "aux", 'a', false, false },
	{ "raw", 'r', false, false },
	{ }
};

static const struct command_line command = {
	.who = WHO, .usage = usage, .options = options, .set = set_option,
};

static int run_command(struct extract *e, int argc, char **argv)
{
	struct extract_command c = { e, false };
	const int rc = command_options(&command, argc, argv, &c);

	if (rc != COMMAND_GO_ON)
		return rc;
	if (c.aux == e->raw) {
		fprintf(stderr, WHO ": give --aux or --raw, to say what to extract\n");
		return command_usage(&command);
	}
	if (optind != argc - 2) {
		fprintf(stderr, WHO ": FILE, or - for standard input, and DIR are needed\n");
		return command_usage(&command);
	}
	e->dir = argv[optind + 1];
	return run(e, argv[optind]);
}

int auxrec_extract_main(int argc, char **argv)
{
	struct extract *e = calloc(1, sizeof(*e));
	int rc;

	if (!e) {
		fprintf(stderr, WHO ": no memory\n");
		return EXTRACT_ERROR;
	}
	e->fd = -1;
	e->dir_fd = -1;
	rc = run_command(e, argc, argv);
	extract_free(e);
	free(e);
	return rc;
}
