// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line of auxrec check.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/check.h"
#include "check/main.h"

#define DEFAULT_MAX	20

static void print_usage(FILE *f)
{
	fputs("Usage: auxrec check [OPTION]... FILE|-\n"
	      "Check that a stream keeps every rule that its readers rely on.\n"
	      "\n"
	      "  --perf      check only the rules that stock perf's readers need\n"
	      "  --max N     list at most N violations (default 20); count all\n"
	      "  --json      print the result as JSON\n"
	      "  --quiet     print nothing; only set the exit status\n"
	      "  --rules     list the rules and exit\n"
	      "  --help      print this text\n"
	      "\n"
	      "Exit status: 0 valid (a prefix that ends between records is valid, too),\n"
	      "1 invalid, 2 usage or I/O error, 3 valid, but cut within a record.\n",
	      f);
}

static int run(struct check *c, const char *file)
{
	int fd = STDIN_FILENO, rc;

	if (strcmp(file, "-")) {
		fd = open(file, O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			fprintf(stderr, "auxrec check: %s: %s\n", file,
				strerror(errno));
			return CHECK_ERROR;
		}
	}
	check_report_begin(c, file);
	rc = check_stream(c, read_fill_fd, &fd);
	check_report_end(c, file, rc);
	if (rc < 0) {
		fprintf(stderr, "auxrec check: %s: at offset %llu: %s\n", file,
			c->bytes, strerror(-rc));
		rc = CHECK_ERROR;
	}
	if (fd != STDIN_FILENO)
		close(fd);
	if (fflush(c->out) || ferror(c->out)) {
		fprintf(stderr, "auxrec check: output: %s\n", strerror(errno));
		rc = CHECK_ERROR;
	}
	check_free(c);
	return rc;
}

int auxrec_check_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "perf", no_argument, NULL, 'p' },
		{ "max", required_argument, NULL, 'm' },
		{ "json", no_argument, NULL, 'j' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "rules", no_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct check *c = calloc(1, sizeof(*c));
	char *end;
	int o, rc;

	if (!c) {
		fprintf(stderr, "auxrec check: no memory\n");
		return CHECK_ERROR;
	}
	c->max = DEFAULT_MAX;
	c->out = stdout;
	optind = 1;
	while ((o = getopt_long(argc, argv, "m:jqh", options, NULL)) != -1) {
		switch (o) {
		case 'p':
			c->relaxed = true;
			break;
		case 'm':
			errno = 0;
			c->max = strtoull(optarg, &end, 10);
			if (errno || *end || end == optarg || *optarg == '-') {
				fprintf(stderr, "auxrec check: --max: '%s' is not a number\n",
					optarg);
				goto bad;
			}
			break;
		case 'j':
			c->json = true;
			break;
		case 'q':
			c->quiet = true;
			break;
		case 'r':
			check_print_rules(stdout);
			free(c);
			return CHECK_VALID;
		case 'h':
			print_usage(stdout);
			free(c);
			return CHECK_VALID;
		default:
			goto bad;
		}
	}
	if (optind != argc - 1) {
		fprintf(stderr, "auxrec check: one FILE, or - for standard input, is needed\n");
		goto bad;
	}
	rc = run(c, argv[optind]);
	free(c);
	return rc;
bad:
	print_usage(stderr);
	free(c);
	return CHECK_ERROR;
}
