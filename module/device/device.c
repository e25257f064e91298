// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctls of /dev/perfaux: tell what the module can do, make rings, and have build-ids
 * recorded.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/log2.h>

#include "args.h"
#include "device/device.h"
#include "device/kept.h"
#include "device/ring.h"
#include "event/rights.h"
#include "ids/ids.h"
#include "ring/keep.h"
#include "ring/ring.h"

static long pa_ioctl_info(void __user *uarg)
{
	struct perfaux_info info;
	int ret = pa_copy_arg(&info, sizeof(info), PERFAUX_INFO_SIZE_V0, uarg);
	u32 usize;

	if (ret)
		return ret;
	usize = info.size;
	info = (struct perfaux_info) {
		.size = sizeof(info),
		.abi = PERFAUX_ABI,
		.create_flags = PA_CREATE_FLAGS,
		.min_segment_size = PA_MIN_SEGMENT_SIZE,
		.max_segment_size = PA_MAX_SEGMENT_SIZE,
		.min_segments = PA_MIN_SEGMENTS,
		.max_segments = PA_MAX_SEGMENTS,
		.max_spans = PA_MAX_SPANS,
		.attach_flags = PA_ATTACH_FLAGS,
		.region_size = pa_region_size(),
	};
	return pa_copy_answer(uarg, &info, sizeof(info), usize);
}

/*
 * One span entry per KiB, which is 6 % of the memory. A time slice may write
 * less than a KiB: many such slices only mean that a segment is published early.
 */
static u32 pa_default_spans(u32 segment_size)
{
	return clamp_t(u32, segment_size / 1024, 16, PA_MAX_SPANS);
}

static int pa_check_create(struct perfaux_create *arg)
{
	if (arg->flags & ~PA_CREATE_FLAGS)
		return -EINVAL;
	if (arg->reserved || arg->marks_size || arg->ring_size)
		return -EINVAL;
	if (!is_power_of_2(arg->segment_size) ||
	    arg->segment_size < PA_MIN_SEGMENT_SIZE ||
	    arg->segment_size > PA_MAX_SEGMENT_SIZE)
		return -EINVAL;
	if (arg->nr_segments < PA_MIN_SEGMENTS ||
	    arg->nr_segments > PA_MAX_SEGMENTS)
		return -EINVAL;
	if (arg->spans_per_segment > PA_MAX_SPANS ||
	    arg->watermark > arg->nr_segments)
		return -EINVAL;
	if (arg->flags & PERFAUX_RING_KEPT ?
	    arg->segment_size > PA_MAX_KEPT_SEGMENT || arg->user_size & ~PAGE_MASK ||
	    arg->user_size > LONG_MAX / 4 :
	    arg->user_size)
		return -EINVAL;
	if (!arg->spans_per_segment)
		arg->spans_per_segment = pa_default_spans(arg->segment_size);
	if (!arg->watermark)
		arg->watermark = 1;
	return 0;
}

static long pa_ioctl_create(void __user *uarg)
{
	struct perfaux_create arg;
	struct pa_ring *ring;
	struct file *file;
	int ret, fd;

	ret = pa_copy_arg(&arg, sizeof(arg), PERFAUX_CREATE_SIZE_V0, uarg);
	if (!ret)
		ret = pa_check_create(&arg);
	if (!ret && arg.flags & PERFAUX_RING_KEPT && !capable(CAP_SYS_ADMIN))
		ret = -EPERM;
	if (ret)
		return ret;

	ring = pa_ring_create(&arg);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	arg.marks_size = ring->marks_size;
	arg.ring_size = ring->tables_size + ring->data_size;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		pa_ring_put(ring);
		return fd;
	}
	file = anon_inode_getfile("[perfaux]", &pa_ring_fops, ring, O_RDWR);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		pa_ring_put(ring);
		return PTR_ERR(file);
	}
	ret = pa_copy_answer(uarg, &arg, sizeof(arg), arg.size);
	if (ret) {
		put_unused_fd(fd);
		fput(file);
		return ret;
	}
	fd_install(fd, file);
	return fd;
}

static long pa_ioctl_ids(void __user *uarg)
{
	struct perfaux_ids arg;
	int ret = pa_copy_arg(&arg, sizeof(arg), PERFAUX_IDS_SIZE_V0, uarg);

	if (!ret)
		ret = pa_ids_check(&arg);
	if (!ret)
		ret = pa_may_open();
	return ret ?: pa_ids_session_open(&arg);
}

long pa_device_ioctl(struct file *file, unsigned int cmd, unsigned long uarg)
{
	switch (cmd) {
	case PERFAUX_IOC_INFO:
		return pa_ioctl_info((void __user *)uarg);
	case PERFAUX_IOC_CREATE:
		return pa_ioctl_create((void __user *)uarg);
	case PERFAUX_IOC_KEPT:
		return pa_ioctl_kept((void __user *)uarg);
	case PERFAUX_IOC_IDS:
		return pa_ioctl_ids((void __user *)uarg);
	}
	return -ENOTTY;
}
