// SPDX-License-Identifier: GPL-2.0-only
/* Probe: device_type.devnode() takes a const struct device (6.3). */
#include <linux/device.h>

char *probe(const struct device *dev, umode_t *mode, kuid_t *uid, kgid_t *gid);
const struct device_type probe_type = { .devnode = probe };
