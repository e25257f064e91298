/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process that runs a command for each snapshot.
 */
#ifndef AUXREC_HELPER_RUNNER_H
#define AUXREC_HELPER_RUNNER_H

/* Called in the new process. It takes the messages of hook_run() from @fd. */
void runner_main(int fd, const char *cmd) __attribute__((noreturn));

#endif /* AUXREC_HELPER_RUNNER_H */
