/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of a service to its manager, in the protocol of sd_notify(3), which its manual page
 * documents for programs that do not want the library. Outside a service with Type=notify,
 * these functions do nothing.
 */
#ifndef AUXREC_NOTIFY_H
#define AUXREC_NOTIFY_H

#include "base/util.h"

/*
 * Read $NOTIFY_SOCKET, $WATCHDOG_USEC and $WATCHDOG_PID, and remove them, so that a recorded
 * command does not take itself for the service. Call this before threads are started. Until
 * then the other functions do nothing. A second call reads the variables again.
 */
void notify_init(void);

/*
 * Tell the manager that recording has begun. Return 0 without a manager, 1 if the manager was told,
 * or -errno.
 */
int notify_ready(void);
int notify_stopping(void);

/*
 * Call this while the service is still busy after notify_stopping(). It asks the manager to wait
 * for NOTIFY_BUSY_S more, at most once a second. Before notify_stopping() this does nothing. The
 * return value is as of notify_ready().
 */
#define NOTIFY_BUSY_S	120
int notify_busy(void);

/* Send one line of free text, for `systemctl status`. */
int notify_status(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Return how often notify_watchdog() must be called, in ns: half of the watchdog's time. 0:
 * never.
 */
__u64 notify_watchdog_interval(void);
int notify_watchdog(void);

#endif /* AUXREC_NOTIFY_H */
