/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --trigger pressure=: the kernel tells when tasks have waited too long for a CPU, memory or I/O.
 */
#ifndef AUXREC_FLIGHT_PRESSURE_H
#define AUXREC_FLIGHT_PRESSURE_H

#include <poll.h>

#include "base/util.h"

struct session;
struct trigger;

/* Return 0, or -errno with a message. */
int flight_pressure_open(struct session *s, const struct trigger *t, struct diag *d);
/*
 * Each poll() uses up the pressure that it reports. A poll() of an epoll descriptor that contains
 * the file does so, too. Therefore the recorder polls these files itself: flight_pressure_poll()
 * fills in @fds, flight_pressure_nr() returns their number, and flight_pressure_polled() handles
 * the result of the poll().
 */
size_t flight_pressure_nr(const struct session *s);
void flight_pressure_poll(const struct session *s, struct pollfd *fds);
void flight_pressure_polled(struct session *s, const struct pollfd *fds);
/* Take triggers that have come since the recorder's last poll(). */
void flight_pressure_last(struct session *s);
void flight_pressure_close(struct session *s);

#endif /* AUXREC_FLIGHT_PRESSURE_H */
