// SPDX-License-Identifier: GPL-2.0-only
/*
 * Misbehaves on request, so that the VM harness can be seen to notice.
 *
 * Only the harness's own test loads this:
 *	echo warn  >/sys/module/splatmod/parameters/do	a WARNING
 *	echo oops  >/sys/module/splatmod/parameters/do	a NULL dereference
 *	echo sleep >/sys/module/splatmod/parameters/do	a sleep in atomic context
 *	echo leak  >/sys/module/splatmod/parameters/do	memory that nobody points to
 *	echo hold  >/sys/module/splatmod/parameters/do	keeps itself from being removed
 */

#include <linux/bug.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static DEFINE_SPINLOCK(lock);

static int misbehave(const char *val, const struct kernel_param *kp)
{
	int *volatile nowhere = NULL;
	void *volatile lost;

	if (sysfs_streq(val, "warn")) {
		WARN(1, "splatmod: as requested\n");
	} else if (sysfs_streq(val, "oops")) {
		*nowhere = 1;
	} else if (sysfs_streq(val, "sleep")) {
		spin_lock(&lock);
		msleep(20);
		spin_unlock(&lock);
	} else if (sysfs_streq(val, "leak")) {
		lost = kmalloc(512, GFP_KERNEL);
		lost = NULL;
	} else if (sysfs_streq(val, "hold")) {
		__module_get(THIS_MODULE);
	} else {
		return -EINVAL;
	}
	return 0;
}

static const struct kernel_param_ops do_ops = { .set = misbehave };
module_param_cb(do, &do_ops, NULL, 0200);

MODULE_DESCRIPTION("Misbehaves on request, to test the VM harness");
MODULE_LICENSE("GPL");
