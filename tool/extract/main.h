/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef AUXREC_EXTRACT_MAIN_H
#define AUXREC_EXTRACT_MAIN_H

/*
 * auxrec_extract_main() - `auxrec extract`
 * @argv: argv[0] is the command's own name
 *
 * Return: an exit status: 0, 1 the stream is broken or has no AUX data, 2 usage
 * or I/O, 3 cut within a record (what came before is extracted in both cases).
 */
int auxrec_extract_main(int argc, char **argv);

#endif /* AUXREC_EXTRACT_MAIN_H */
