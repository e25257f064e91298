/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of auxrec extract. */
#ifndef AUXREC_EXTRACT_MAIN_H
#define AUXREC_EXTRACT_MAIN_H

/*
 * auxrec_extract_main() - `auxrec extract`
 * @argv: argv[0] is the command's own name
 *
 * Return: an exit status: 0, 1 the stream is broken or has no such data, 2 usage or
 * I/O error, 3 cut within a record. If the stream is broken or cut, the data before
 * that place is extracted.
 */
int auxrec_extract_main(int argc, char **argv);

#endif /* AUXREC_EXTRACT_MAIN_H */
