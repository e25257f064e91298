/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFAUX_DEVICE_H
#define PERFAUX_DEVICE_H

#include <linux/fs.h>

/* device/node.c */
int pa_device_init(void);
void pa_device_exit(void);

/* device.c */
long pa_device_ioctl(struct file *file, unsigned int cmd, unsigned long uarg);

#endif /* PERFAUX_DEVICE_H */
