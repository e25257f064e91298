/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef AUXREC_INFO_MAIN_H
#define AUXREC_INFO_MAIN_H

/*
 * auxrec_info_main() - run `auxrec info`
 * @argv: argv[0] is the command's own name
 *
 * Return: an exit status: 0 the stream was read completely, 1 it is broken (the
 * part before is shown), 2 usage or I/O error, 3 it ends within a record (the
 * part before is shown).
 */
int auxrec_info_main(int argc, char **argv);

#endif /* AUXREC_INFO_MAIN_H */
