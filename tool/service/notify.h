/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a service tells its manager: the protocol of sd_notify(3), which its manual page
 * documents for programs that do not want the library. Outside of a service with
 * Type=notify nothing happens.
 */
#ifndef AUXREC_NOTIFY_H
#define AUXREC_NOTIFY_H

#include "base/util.h"

/*
 * Looks at $NOTIFY_SOCKET, $WATCHDOG_USEC and $WATCHDOG_PID, and removes them, so that a
 * command that is recorded does not take itself for the service. Before that, and before
 * threads, none of the others does anything. Once is enough; to do it again reads them anew.
 */
void notify_init(void);

/* Recording has begun. Returns 0 without a manager, 1 if it was told, -errno. */
int notify_ready(void);
int notify_stopping(void);

/*
 * What is done since notify_stopping() goes on: the manager is to wait for NOTIFY_BUSY_S more,
 * which is told once a second at most. Before that does nothing. Returns as those above.
 */
#define NOTIFY_BUSY_S	120
int notify_busy(void);

/* One line of free text, for `systemctl status`. */
int notify_status(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Every how many ns notify_watchdog() is to be called: half of the time there is. 0: never. */
__u64 notify_watchdog_interval(void);
int notify_watchdog(void);

#endif /* AUXREC_NOTIFY_H */
