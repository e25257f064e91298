/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef AUXREC_MERGE_MAIN_H
#define AUXREC_MERGE_MAIN_H

/*
 * auxrec_merge_main() - run `auxrec merge`
 * @argv: argv[0] is the command's own name
 *
 * Return: an exit status: 0 merged, 1 a file is damaged or is not a snapshot of the same recording,
 * 2 usage or I/O error.
 */
int auxrec_merge_main(int argc, char **argv);

#endif /* AUXREC_MERGE_MAIN_H */
