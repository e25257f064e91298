// SPDX-License-Identifier: GPL-2.0-only
/*
 * The snapshot of a crash of the machine.
 */
#include <stdio.h>
#include <string.h>

#include "recover/recording.h"
#include "stream/snapshot_mark.h"

const char *crash_how(const struct kept *k)
{
	if (!k->stopped)
		return "reset, or a crash that the kernel did not notice";
	switch (k->stop.cause) {
	case PERFAUX_STOP_PANIC:
		return "panic";
	case PERFAUX_STOP_RESTART:
		return "restart";
	case PERFAUX_STOP_HALT:
		return "halt or power off";
	}
	return "unknown";
}

static const char *short_name(const struct kept *k)
{
	if (!k->stopped)
		return "machine-reset";
	return k->stop.cause == PERFAUX_STOP_PANIC ? "machine-panic" :
	       k->stop.cause == PERFAUX_STOP_RESTART ? "machine-restart" : "machine-halt";
}

/* The trigger's data: what the kernel said. */
static size_t put_message(struct crash *c)
{
	struct auxrec_snapshot_data head;
	const size_t room = sizeof(c->data) - sizeof(head);
	const char *message = c->kept->stopped ? (const char *)c->kept->stop.message : "";
	int n = snprintf((char *)c->data + sizeof(head), room, "%s%s%s", crash_how(c->kept),
			 *message ? ": " : "", message);

	if (n >= (int)room)
		n = room - 1;
	head = (struct auxrec_snapshot_data){ .size = n, .full_size = n };
	memcpy(c->data, &head, sizeof(head));
	return sizeof(head) + n;
}

void crash_init(struct crash *c, const struct kept *k, struct recording *r)
{
	*c = (struct crash){ .kept = k, .trigger.kind = TRIGGER_MACHINE };
	snprintf(c->wish.name, sizeof(c->wish.name), "%s", short_name(k));
	c->wish.trigger = &c->trigger;
	c->wish.time = k->stopped && k->stop.time ? k->stop.time : r->newest;
	c->wish.triggers = 1;
	c->wish.data = c->data;
	c->wish.data_size = put_message(c);
	r->flight.writing = &c->wish;
}

int crash_write(struct recording *r)
{
	const struct snapshot_job job = { .begin = r->journal.begin };

	return snapshot_write(&r->session, &job);
}
