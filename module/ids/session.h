/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: a descriptor that asks for build-ids, and the notices that wait for its reader.
 */
#ifndef PERFAUX_IDS_SESSION_H
#define PERFAUX_IDS_SESSION_H

#include <linux/mutex.h>
#include <linux/uidgid.h>
#include <linux/wait.h>

#include "../../uapi/perfaux.h"

struct pa_session {
	struct list_head list;
	u64 number;			/* sessions are numbered from 1 */
	kuid_t uid;
	kuid_t payer;
	bool all;			/* tasks of all users */
	struct pid_namespace *pid_ns;
	wait_queue_head_t wait;
	struct mutex reader;		/* one at a time; taken before lock */
	struct mutex lock;		/* protects the fields below */
	struct perfaux_ids_stats stats;
	u8 *queue;
	u32 queue_size;
	u32 used;			/* whole notices, from the start */
};

/* notice.c: 0 or -EMFILE; process context */
int pa_session_add(struct pa_session *s);
void pa_session_remove(struct pa_session *s);

#endif /* PERFAUX_IDS_SESSION_H */
