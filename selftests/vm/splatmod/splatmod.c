// SPDX-License-Identifier: GPL-2.0-only
/*
 * splatmod: a module that misbehaves on request, to test that the VM harness notices.
 *
 * Only the harness's own test inserts this module:
 *	echo warn  >/sys/module/splatmod/parameters/do	a WARNING
 *	echo oops  >/sys/module/splatmod/parameters/do	a NULL dereference
 *	echo sleep >/sys/module/splatmod/parameters/do	a sleep in atomic context
 *	echo leak  >/sys/module/splatmod/parameters/do	memory without a pointer to it
 *	echo hold  >/sys/module/splatmod/parameters/do	a reference that prevents removal
 *
 * Bugs that only the checkers of the debug kernels find:
 *	echo read  >/sys/module/splatmod/parameters/do	a read behind an object
 *	echo shift >/sys/module/splatmod/parameters/do	a shift by too many bits
 *	echo order >/sys/module/splatmod/parameters/do	two locks in both orders
 *	echo race  >/sys/module/splatmod/parameters/do	all CPUs change one variable
 */

#include <linux/bug.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

/* Changes of "common" by one CPU: KCSAN watches only one in some thousands of accesses. */
#define RACE_TURNS 100000

static DEFINE_SPINLOCK(lock);
static DEFINE_SPINLOCK(other_lock);
static int common;

static void read_behind(void)
{
	/* Without KASAN, the object has room for 16 bytes. */
	char *volatile object = kmalloc(13, GFP_KERNEL);

	if (object)
		READ_ONCE(object[13]);
	kfree(object);
}

static void shift_too_far(void)
{
	int volatile bits = 40;

	bits = 1 << bits;
}

static void lock_in_both_orders(void)
{
	spin_lock(&lock);
	spin_lock(&other_lock);
	spin_unlock(&other_lock);
	spin_unlock(&lock);

	spin_lock(&other_lock);
	spin_lock(&lock);
	spin_unlock(&lock);
	spin_unlock(&other_lock);
}

static void race(void *unused)
{
	int i;

	for (i = 0; i < RACE_TURNS; i++) {
		common++;
		/* Without the barrier, the compiler could merge all accesses. */
		barrier();
	}
}

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
	} else if (sysfs_streq(val, "read")) {
		read_behind();
	} else if (sysfs_streq(val, "shift")) {
		shift_too_far();
	} else if (sysfs_streq(val, "order")) {
		lock_in_both_orders();
	} else if (sysfs_streq(val, "race")) {
		on_each_cpu(race, NULL, 1);
	} else {
		return -EINVAL;
	}
	return 0;
}

static const struct kernel_param_ops do_ops = { .set = misbehave };
module_param_cb(do, &do_ops, NULL, 0200);

MODULE_DESCRIPTION("Misbehaves on request, to test the VM harness");
MODULE_LICENSE("GPL");
