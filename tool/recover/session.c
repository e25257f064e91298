// SPDX-License-Identifier: GPL-2.0-only
/*
 * The session of a recording that a crash of the machine ended, from the journal's description.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flight/survive.h"
#include "recover/recording.h"

/* More events than a process can have open */
#define EVENTS_MAX	(1U << 20)

struct reader {
	const __u8 *at;
	size_t left;
};

static bool take(struct reader *in, void *to, size_t size)
{
	if (size > in->left)
		return false;
	memcpy(to, in->at, size);
	in->at += size;
	in->left -= size;
	return true;
}

static int read_fds(struct sev *sev, __u32 nr, struct reader *in)
{
	__u32 i;

	if (nr > in->left / sizeof(struct survive_fd))
		return -EBADMSG;
	sev->fds = calloc(nr + 1, sizeof(*sev->fds));
	if (!sev->fds)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		struct survive_fd fd;

		take(in, &fd, sizeof(fd));
		sev->fds[i] = (struct opened){ .fd = -1, .cpu = fd.cpu, .tid = -1, .id = fd.id };
	}
	sev->nr_fds = nr;
	return 0;
}

static int read_event(struct sev *sev, struct reader *in)
{
	struct survive_event event;

	if (!take(in, &event, sizeof(event)) || event.aux > AUX_INTEL_PT)
		return -EBADMSG;
	sev->attr = event.attr;
	sev->chunk_id = event.chunk_id;
	sev->aux = event.aux;
	sev->sideband = event.flags & SURVIVE_EVENT_SIDEBAND;
	sev->raw_ring = event.flags & SURVIVE_EVENT_RAW_RING;
	sev->payloads = event.flags & SURVIVE_EVENT_PAYLOADS;
	sev->snapshots = event.flags & SURVIVE_EVENT_SNAPSHOTS;
	sev->group = -1;
	return read_fds(sev, event.nr_fds, in);
}

static void forget_events(struct session *s)
{
	size_t i;

	for (i = 0; i < s->nr_sev; i++)
		free(s->sev[i].fds);
	free(s->sev);
	s->sev = NULL;
	s->nr_sev = 0;
}

/* Payloads need an event of auxrec's own, see payload_init(). */
static bool has_payload_event(const struct session *s)
{
	size_t i;

	for (i = 0; i < s->nr_sev; i++)
		if (s->sev[i].payloads)
			return true;
	return false;
}

/* A later description replaces an earlier one. */
int recording_session(struct recording *r, const void *data, size_t size)
{
	struct reader in = { .at = data, .left = size };
	struct session *s = &r->session;
	struct survive_session head;
	__u32 i;
	int err = 0;

	if (!take(&in, &head, sizeof(head)) || head.version != SURVIVE_VERSION ||
	    head.nr_events > EVENTS_MAX || head.nr_events > in.left / sizeof(struct survive_event))
		return -EBADMSG;
	forget_events(s);
	s->sev = calloc(head.nr_events + 1, sizeof(*s->sev));
	if (!s->sev)
		return -ENOMEM;
	for (i = 0; !err && i < head.nr_events; i++) {
		s->nr_sev = i + 1;
		err = read_event(&s->sev[i], &in);
	}
	if (!err && head.flags & SURVIVE_PAYLOADS && !has_payload_event(s))
		return -EBADMSG;
	head.boot_id[sizeof(head.boot_id) - 1] = '\0';
	memcpy(r->boot_id, head.boot_id, sizeof(r->boot_id));
	r->options.system_wide = head.flags & SURVIVE_SYSTEM_WIDE;
	s->have_payloads = head.flags & SURVIVE_PAYLOADS;
	s->recording = head.recording;
	r->flight.number = head.number + 1;
	r->described = !err;
	return err;
}
