/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes of functions in user space: where they are in a file.
 */
#ifndef AUXREC_PROBE_H
#define AUXREC_PROBE_H

#include <linux/types.h>
#include <stdbool.h>
#include <string.h>

#include "base/util.h"

/* For formats of messages, so the % is doubled */
#define PROBE_FORM	"func=NAME[#N]@FILE[%%return]"

/* As in sysfs: event_source/devices/uprobe/format/retprobe */
#define PROBE_CONFIG_RETURN	1

struct probe {
	char *file;		/* absolute, without symbolic links */
	__u64 offset;		/* of the function's first instruction */
	bool at_return;		/* the probe is where the function returns to */
};

/* Return the text after "func=" or "probe:func=" if @spec begins with one of these, or NULL. */
static inline const char *probe_text(const char *spec)
{
	static const char func[] = "func=", probe[] = "probe:";

	if (!strncmp(spec, probe, sizeof(probe) - 1))
		spec += sizeof(probe) - 1;
	return strncmp(spec, func, sizeof(func) - 1) ? NULL : spec + sizeof(func) - 1;
}

/*
 * probe_find() - find the place of a probe
 * @text: NAME[#N]@FILE[%return]. FILE can be in single quotes.
 * @at: set to the place of an error in @text
 *
 * Return: 0, and the caller must free @probe->file; or -errno with a message that says what is
 * wrong.
 */
int probe_find(const char *text, struct probe *probe, const char **at, struct diag *d);

#endif /* AUXREC_PROBE_H */
