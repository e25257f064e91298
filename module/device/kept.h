/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFAUX_DEVICE_KEPT_H
#define PERFAUX_DEVICE_KEPT_H

#include <linux/compiler.h>

/* Process context. Returns 0, a descriptor or -errno, see PERFAUX_IOC_KEPT. */
long pa_ioctl_kept(void __user *uarg);

#endif /* PERFAUX_DEVICE_KEPT_H */
