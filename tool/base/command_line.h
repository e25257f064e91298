/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command lines of the commands that read streams, and of auxrec list: options from a table,
 * --help, and the messages that all of them have.
 */
#ifndef AUXREC_COMMAND_LINE_H
#define AUXREC_COMMAND_LINE_H

#include <stdbool.h>
#include <stdio.h>

/* The exit status for wrong usage and for I/O errors */
#define COMMAND_ERROR	2

/* What a function returns in place of an exit status */
#define COMMAND_GO_ON	(-1)
#define COMMAND_USAGE	(-2)	/* wrong usage: a message is printed, print the usage, too */

struct command_option {
	const char *name;	/* of --name */
	char letter;
	bool has_letter;	/* -letter means the same */
	bool has_value;
};

struct command_line {
	const char *who;	/* "auxrec info", for messages */
	const char *usage;	/* the text of --help */
	bool brief;		/* wrong usage: name --help, do not print its text */
	const struct command_option *options;	/* without --help; the last one has no name */
	/* Take an option. Return COMMAND_GO_ON, COMMAND_USAGE or an exit status. */
	int (*set)(void *ctx, char letter, const char *value);
};

/*
 * Parse the options. If the command has nothing more to do, return its exit status. Otherwise,
 * return COMMAND_GO_ON, and optind is the index of the first argument after the options.
 */
int command_options(const struct command_line *c, int argc, char **argv, void *ctx);

/* Print how to use the command, to stderr. Return COMMAND_ERROR. */
int command_usage(const struct command_line *c);

/*
 * Open @path to read; "-" is standard input, which command_close() leaves open. Return the
 * descriptor, or -1 after a message.
 */
int command_open(const char *who, const char *path);
void command_close(int fd);

/*
 * Return whether everything that was printed to @out is written. If it is not, print a message, in
 * which @what is the name of the output.
 */
bool command_flush(const char *who, const char *what, FILE *out);

#endif /* AUXREC_COMMAND_LINE_H */
