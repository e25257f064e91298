/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFAUX_DEVICE_H
#define PERFAUX_DEVICE_H

int pa_device_init(void);
void pa_device_exit(void);

#endif /* PERFAUX_DEVICE_H */
