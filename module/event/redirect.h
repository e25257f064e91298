/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFAUX_REDIRECT_H
#define PERFAUX_REDIRECT_H

int pa_redirect_init(void);
void pa_redirect_exit(void);

#endif /* PERFAUX_REDIRECT_H */
