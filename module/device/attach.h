/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PERFAUX_IOC_ATTACH and _DETACH. Process context.
 */
#ifndef PERFAUX_DEVICE_ATTACH_H
#define PERFAUX_DEVICE_ATTACH_H

struct pa_ring;
struct perfaux_attach;

int pa_attach(struct pa_ring *ring, const struct perfaux_attach *arg);
int pa_detach(struct pa_ring *ring, int fd);
void pa_detach_all(struct pa_ring *ring);

#endif /* PERFAUX_DEVICE_ATTACH_H */
