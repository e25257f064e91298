/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef AUXREC_CLI_HELP_H
#define AUXREC_CLI_HELP_H

/* auxrec --help, to stdout */
void options_help(void);

#endif /* AUXREC_CLI_HELP_H */
