/* SPDX-License-Identifier: GPL-2.0-only */
/* The command `auxrec ctl`. */
#ifndef AUXREC_CTL_MAIN_H
#define AUXREC_CTL_MAIN_H

/*
 * auxrec_ctl_main() - `auxrec ctl`
 * @argv: argv[0] is the command's own name
 *
 * Return: an exit status: 0 done, 1 the recorder refused or failed, 125 usage, no such
 * socket, or no answer.
 */
int auxrec_ctl_main(int argc, char **argv);

#endif /* AUXREC_CTL_MAIN_H */
