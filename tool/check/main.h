/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of auxrec check. */
#ifndef AUXREC_CHECK_MAIN_H
#define AUXREC_CHECK_MAIN_H

/*
 * auxrec_check_main() - `auxrec check`
 * @argv: argv[0] is the command's own name
 *
 * Return: an exit status: 0 valid, 1 invalid, 2 usage or I/O error, 3 cut.
 */
int auxrec_check_main(int argc, char **argv);

#endif /* AUXREC_CHECK_MAIN_H */
