/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef AUXREC_CTL_MAIN_H
#define AUXREC_CTL_MAIN_H

/*
 * auxrec_ctl_main() - `auxrec ctl`
 * @argv: argv[0] is the command's own name
 *
 * Return: an exit status: 0 done, 1 the recorder said no, 125 there was no answer, or
 * nothing was asked for that there is.
 */
int auxrec_ctl_main(int argc, char **argv);

#endif /* AUXREC_CTL_MAIN_H */
