/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The truth about call stacks, for programs that are built with -finstrument-functions and
 * -fno-omit-frame-pointer: the address of each function that was entered, with those of its
 * callers, the outermost one first. A function's frame has a lower address than its callers'
 * frames. All frames without a higher address have ended, so longjmp() and exceptions need no care.
 * path_print() prints the addresses as they are in memory, and a 0 after each path.
 */
#ifndef PATH_H
#define PATH_H

#include <unistd.h>

#define PATH_DEPTH	512
#define PATH_LOG	400000
#define NO_HOOK		__attribute__((no_instrument_function, noinline))

static struct {
	void *function;
	char *frame;
} path_stack[PATH_DEPTH];
static int path_depth;
static void *path_log[PATH_LOG];
static int path_nr;

/* The function with this frame begins or ends. */
static NO_HOOK void path_leave(const char *frame)
{
	while (path_depth && path_stack[path_depth - 1].frame <= frame)
		path_depth--;
}

#ifdef __cplusplus
extern "C" {
#endif

NO_HOOK void __cyg_profile_func_enter(void *function, void *site);
NO_HOOK void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
	char *frame = (char *)__builtin_frame_address(1);
	int i;

	(void)site;
	path_leave(frame);
	if (path_depth == PATH_DEPTH || path_nr + path_depth + 2 > PATH_LOG)
		__builtin_trap();
	path_stack[path_depth].function = function;
	path_stack[path_depth++].frame = frame;
	for (i = 0; i < path_depth; i++)
		path_log[path_nr++] = path_stack[i].function;
	path_log[path_nr++] = NULL;
}

void __cyg_profile_func_exit(void *function, void *site)
{
	(void)function;
	(void)site;
	path_leave((char *)__builtin_frame_address(1));
}

#ifdef __cplusplus
}
#endif

/* Few instructions, because each of them is recorded */
static NO_HOOK void path_print(void)
{
	if (write(STDOUT_FILENO, path_log, path_nr * sizeof(*path_log)) < 0)
		_exit(1);
}

#endif /* PATH_H */
