/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef AUXREC_INFO_MAIN_H
#define AUXREC_INFO_MAIN_H

/*
 * auxrec_info_main() - `auxrec info`
 * @argv: argv[0] is the command's own name
 *
 * Return: an exit status: 0 read to its end, 1 the stream is broken (what came
 * before is shown), 2 usage or I/O, 3 cut within a record (likewise).
 */
int auxrec_info_main(int argc, char **argv);

#endif /* AUXREC_INFO_MAIN_H */
