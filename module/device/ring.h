/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Life of a ring, and its file.
 */
#ifndef PERFAUX_DEVICE_RING_H
#define PERFAUX_DEVICE_RING_H

#include "ring/ring.h"

/* ring.c: process context, except for pa_ring_resume(): any context but NMI */
struct pa_ring *pa_ring_create(const struct perfaux_create *arg);
void pa_ring_put(struct pa_ring *ring);
void pa_ring_resume(struct pa_ring *ring);
int pa_ring_init(void);
void pa_ring_exit(void);

/* ring_file.c */
extern const struct file_operations pa_ring_fops;

#endif /* PERFAUX_DEVICE_RING_H */
