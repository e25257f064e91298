/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef AUXREC_RECOVER_MAIN_H
#define AUXREC_RECOVER_MAIN_H

/* auxrec recover. Return an exit status. */
int auxrec_recover_main(int argc, char **argv);

#endif /* AUXREC_RECOVER_MAIN_H */
