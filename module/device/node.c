// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device node /dev/perfaux: its name, mode and group. The device has a class of its
 * own, because misc devices have a mode but no group.
 */
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "device/device.h"

/*
 * Everybody may open the device, unless the administrator decides otherwise:
 * perf_event_open() decides what may be traced, and RLIMIT_MEMLOCK limits the memory.
 */
static unsigned short device_mode = 0666;

static int pa_mode_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%#o\n", device_mode);
}

static const struct kernel_param_ops pa_mode_ops = {
	.set = param_set_ushort,
	.get = pa_mode_get,
};

module_param_cb(device_mode, &pa_mode_ops, &device_mode, 0444);
MODULE_PARM_DESC(device_mode, "Mode of /dev/perfaux (default 0666); a udev rule takes precedence");

static unsigned int device_gid;
module_param(device_gid, uint, 0444);
MODULE_PARM_DESC(device_gid, "Number of the group of /dev/perfaux (default 0); a udev rule takes precedence");

static const struct file_operations pa_device_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= pa_device_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.llseek		= noop_llseek,
};

/* For devtmpfs, and for udev (DEVMODE and DEVGID of the uevent). */
static char *pa_devnode(pa_devnode_device *dev, umode_t *mode, kuid_t *uid,
			kgid_t *gid)
{
	if (mode)
		*mode = device_mode;
	if (gid)
		*gid = make_kgid(&init_user_ns, device_gid);
	return NULL;
}

static const struct device_type pa_device_type = {
	.name		= "perfaux",
	.devnode	= pa_devnode,
};

static struct class pa_class = {
	.name		= "perfaux",
};

static dev_t pa_devt;
static struct cdev pa_cdev;
static struct device *pa_device;

static void pa_device_release(struct device *dev)
{
	kfree(dev);
}

static struct device *pa_device_alloc(void)
{
	struct device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int ret;

	if (!dev)
		return ERR_PTR(-ENOMEM);
	device_initialize(dev);
	dev->class = &pa_class;
	dev->type = &pa_device_type;
	dev->devt = pa_devt;
	dev->release = pa_device_release;
	ret = dev_set_name(dev, "perfaux");
	if (ret) {
		put_device(dev);
		return ERR_PTR(ret);
	}
	return dev;
}

static int pa_device_add(void)
{
	struct device *dev = pa_device_alloc();
	int ret;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	cdev_init(&pa_cdev, &pa_device_fops);
	pa_cdev.owner = THIS_MODULE;
	ret = cdev_device_add(&pa_cdev, dev);
	if (ret)
		put_device(dev);
	else
		pa_device = dev;
	return ret;
}

int pa_device_init(void)
{
	int ret;

	if (device_mode & ~0666 || !gid_valid(make_kgid(&init_user_ns, device_gid))) {
		pr_err("device_mode must be at most 0666, and device_gid a valid group\n");
		return -EINVAL;
	}
	ret = alloc_chrdev_region(&pa_devt, 0, 1, "perfaux");
	if (ret)
		return ret;
	ret = class_register(&pa_class);
	if (ret)
		goto err_region;
	ret = pa_device_add();
	if (ret)
		goto err_class;
	return 0;

err_class:
	class_unregister(&pa_class);
err_region:
	unregister_chrdev_region(pa_devt, 1);
	return ret;
}

void pa_device_exit(void)
{
	cdev_device_del(&pa_cdev, pa_device);
	put_device(pa_device);
	class_unregister(&pa_class);
	unregister_chrdev_region(pa_devt, 1);
}
