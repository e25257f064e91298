// SPDX-License-Identifier: GPL-2.0-only
/* Probe: system_dfl_wq exists (6.17). */
#include <linux/workqueue.h>

void probe(struct work_struct *work);
void probe(struct work_struct *work)
{
	queue_work(system_dfl_wq, work);
}
