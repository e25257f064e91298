// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tell that a snapshot is on disk, or that it failed: as a message or, if stderr is the journal, as
 * an entry of the journal that has a field for each fact.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "flight/flight.h"
#include "service/journal.h"
#include "stream/trigger_kind.h"

#define ULL(v)	((unsigned long long)(v))

/* MESSAGE_ID of the entries, see Documentation/flight.rst */
#define WRITTEN_ID	"11263cccdc3f4822b8a0158f87af3f5f"
#define FAILED_ID	"b8a7a917edd84657ba31a0b5f675c638"

/* An entry whose fields are being put together */
struct entry {
	struct journal_field fields[JOURNAL_FIELDS];
	size_t nr;
	char text[1024];	/* the values that are numbers, each with a NUL */
	size_t used;		/* bytes of @text */
};

static void put_text(struct entry *e, const char *name, const char *value)
{
	e->fields[e->nr++] = (struct journal_field){ name, value };
}

static void put_number(struct entry *e, const char *name, __u64 value)
{
	char *at = e->text + e->used;

	e->used += snprintf(at, sizeof(e->text) - e->used, "%llu", ULL(value)) + 1;
	put_text(e, name, at);
}

/* Add the fields that both kinds of entries have: what happened, and to which snapshot. */
static void begin(struct entry *e, const struct session *s, const char *message, const char *id,
		  int priority)
{
	const struct flight *f = s->flight;
	const struct flight_wish *w = f->writing;

	*e = (struct entry){ .nr = 0 };
	e->used = snprintf(e->text, sizeof(e->text), "0x%llx", ULL(s->recording)) + 1;
	put_text(e, "AUXREC_RECORDING", e->text);
	put_text(e, "MESSAGE", message);
	put_text(e, "MESSAGE_ID", id);
	put_number(e, "PRIORITY", priority);
	put_text(e, "SYSLOG_IDENTIFIER", "auxrec");
	put_number(e, "AUXREC_NUMBER", f->number);
	put_text(e, "AUXREC_TRIGGER", w->name);
	put_text(e, "AUXREC_TRIGGER_KIND", trigger_kind_name(w->trigger->kind) ?: "unknown");
	put_number(e, "AUXREC_TRIGGERS", w->triggers);
}

/* If there is no journal, or it does not take the entry, print the message to stderr. */
static void send_or_say(const struct session *s, const struct entry *e, const char *message)
{
	if (!s->flight->journal || journal_send(s->flight->journal, e->fields, e->nr))
		say("%s", message);
}

void flight_tell_written(struct session *s, const char *path, __u64 bytes,
			 const struct snapshot_facts *facts)
{
	char message[4096];
	struct entry e;

	if (s->opt->quiet)
		return;
	snprintf(message, sizeof(message), "%s: %.1f MiB, %s", path, bytes / 1048576.0,
		 s->flight->writing->name);
	begin(&e, s, message, WRITTEN_ID, 6);
	put_text(&e, "AUXREC_PATH", path);
	put_number(&e, "AUXREC_BYTES", bytes);
	put_number(&e, "AUXREC_TRIGGER_TIME", facts->trigger);
	put_number(&e, "AUXREC_COMPLETE_BEGIN", facts->complete.begin);
	put_number(&e, "AUXREC_COMPLETE_END", facts->complete.end);
	put_number(&e, "AUXREC_LOST_RECORDS", facts->lost);
	put_number(&e, "AUXREC_GAPS", facts->gaps);
	put_number(&e, "AUXREC_GAP_BYTES", facts->gap_bytes);
	send_or_say(s, &e, message);
}

void flight_tell_failed(struct session *s, const char *why)
{
	char message[4096];
	struct entry e;

	snprintf(message, sizeof(message), "snapshot %llu (%s) failed: %s; recording goes on",
		 ULL(s->flight->number), s->flight->writing->name, why);
	begin(&e, s, message, FAILED_ID, 3);
	send_or_say(s, &e, message);
}
