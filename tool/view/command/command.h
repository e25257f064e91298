/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of auxview.
 */
#ifndef VIEW_COMMAND_H
#define VIEW_COMMAND_H

#include "view/source/source.h"

/* The exit status of all commands */
enum {
	VIEW_OK		= 0,
	VIEW_BROKEN	= 1,
	VIEW_ERROR	= 2,
};

/* view.c, export.c: argv[0] is the name of the command for people. Return the exit status. */
int view_main(int argc, char **argv);
int export_main(int argc, char **argv);

/* convert.c: make an output of a recording. */
struct convert {
	const char *who;		/* for messages */
	struct source_options source;
	/* Make the output. Return NULL with errno. */
	struct timeline *(*new)(const char *path, const char *title);
	const char *out;		/* its path */
};

/* Set the defaults. */
void convert_begin(struct convert *c);

/* Set what an option without another meaning says. Return as command_line.set does. */
int convert_option(struct convert *c, char letter, const char *value);

/* The help of the options that convert_option() takes, but of -o */
#define CONVERT_USAGE \
"  --symfs DIR    search the files of the recording below DIR, for example copies\n" \
"                 from the machine where the recording was made\n" \
"  --kcore DIR    a directory with kcore and kallsyms, for the kernel's code\n" \
"  --threads N    decode with N threads (default: one for each processor)\n" \
"  --help         print this text\n" \
"\n" \
"The code that was executed is found by its build-id: at the recorded path, in\n" \
"~/.debug, and in debuginfod's cache.\n" \
"\n" \
"Exit status: 0 all was written, 1 the recording is broken (what comes before is\n" \
"written), 2 usage or I/O error.\n"

/* Return the exit status, after messages. */
int convert(const struct convert *c, const char *path);

#endif /* VIEW_COMMAND_H */
