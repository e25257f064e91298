/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFAUX_REDIRECT_H
#define PERFAUX_REDIRECT_H

struct pa_attached;

int pa_redirect_init(void);
void pa_redirect_exit(void);

/*
 * Process context. Call this when lookups can find @attached. Until then,
 * @attached->sampled must be true, so that a begin in an NMI stays with the kernel.
 */
void pa_redirect_attached(struct pa_attached *attached);

#endif /* PERFAUX_REDIRECT_H */
