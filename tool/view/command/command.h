/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of auxview.
 */
#ifndef VIEW_COMMAND_H
#define VIEW_COMMAND_H

#include "base/util.h"
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

/* convert.c: read a recording, and write an output. */
struct convert {
	const char *who;		/* for messages */
	struct source_options source;
	/* Make the output. Return NULL with errno. */
	struct timeline *(*new)(const char *path, const char *title);
	/* Or make a bundle, see bundle_lldb() */
	int (*bundle)(struct source *s, const char *path, struct diag *d);
	const char *out;		/* path of the output */
};

/* Set the defaults. */
void convert_begin(struct convert *c);

/* Handle an option that several commands have. Return as command_line.set does. */
int convert_option(struct convert *c, char letter, const char *value);

/* The help of the options of convert_option(), except for -o, and the end of the help */
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
"Exit status: 0 all was written, 1 the recording is broken (the part before that\n" \
"is written) or FILE is no recording, 2 usage or I/O error.\n"

/*
 * Read the recording @path, and write the output. Print messages. Return the exit status. Set
 * @written to whether there is an output, perhaps of a part of the recording.
 */
int convert(const struct convert *c, const char *path, bool *written);

#endif /* VIEW_COMMAND_H */
