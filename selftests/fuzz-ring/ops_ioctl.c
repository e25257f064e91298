// SPDX-License-Identifier: GPL-2.0-only
/* The ioctls of uapi/perfaux.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fuzz.h"

/* Calls ask for larger rings only if the kernel refuses these because of their size. */
#define RING_MAX	(1UL << 20)

static int op_info(struct caller *c)
{
	struct perfaux_info arg = { .size = sizeof(arg) };
	enum kind is;
	int fd = some_fd(c, KIND_DEVICE, &is);
	void *at = some_argument(c, &arg, sizeof(arg), PERFAUX_INFO_SIZE_V0, NULL);

	return checked(c, is, PERFAUX_IOC_INFO, ioctl(fd, PERFAUX_IOC_INFO, at));
}

/*
 * Make large rings smaller. RLIMIT_MEMLOCK limits all rings, but making rings up to that limit
 * takes long. Values that are out of range remain unchanged.
 */
static void bound_create(struct caller *c, void *arg)
{
	struct perfaux_create *create = arg;
	uint32_t spans = create->spans_per_segment, small = below(c, 3);
	uint32_t few = 2 + below(c, 15);

	if ((uint64_t)create->segment_size * create->nr_segments > RING_MAX &&
	    (uint64_t)create->segment_size * create->nr_segments < 1ULL << 42) {
		create->segment_size = PAGE << small;
		create->nr_segments = few;
	}
	if ((uint64_t)spans * create->nr_segments * sizeof(struct perfaux_span) > RING_MAX)
		create->spans_per_segment = 64;
}

static int op_create(struct caller *c)
{
	struct perfaux_create arg = {
		.size = sizeof(arg),
		.flags = (one_in(c, 2) ? PERFAUX_RING_OVERWRITE : 0) |
			 (one_in(c, 8) ? PERFAUX_RING_KEPT : 0),
		.segment_size = PAGE << below(c, 3),
		.nr_segments = 2 + below(c, 8),
		.spans_per_segment = one_in(c, 2) ? 0 : 1 + below(c, 64),
	};
	unsigned int to = slot_of(c, KIND_RING);
	struct perfaux_create got = { 0 };
	enum kind is;
	int fd = some_fd(c, KIND_DEVICE, &is), ret;
	void *at;

	arg.watermark = below(c, arg.nr_segments + 1);
	at = some_argument(c, &arg, sizeof(arg), PERFAUX_CREATE_SIZE_V0, bound_create);
	ret = checked(c, is, PERFAUX_IOC_CREATE, ioctl(fd, PERFAUX_IOC_CREATE, at));
	if (ret < 0)
		return ret;
	if (!faults(c))
		memcpy(&got, at, sizeof(got));
	c->may_fault = false;
	slots[KIND_RING][to].marks_size = got.marks_size;
	slots[KIND_RING][to].ring_size = got.ring_size;
	slots[KIND_RING][to].nr_segments = got.nr_segments;
	slot_put(KIND_RING, to, ret);
	return 0;
}

/* In VMs without memory for kept rings, only a call without flags works. */
static int op_kept(struct caller *c)
{
	struct perfaux_kept arg = {
		.size = sizeof(arg),
		.flags = one_in(c, 2) ? 0 : below(c, 4),
	};
	enum kind is;
	int fd = some_fd(c, KIND_DEVICE, &is), ret;
	void *at = some_argument(c, &arg, sizeof(arg), PERFAUX_KEPT_SIZE_V0, NULL);

	ret = checked(c, is, PERFAUX_IOC_KEPT, ioctl(fd, PERFAUX_IOC_KEPT, at));
	if (ret > 0)
		close(ret);
	return ret < 0 ? ret : 0;
}

static int op_attach(struct caller *c)
{
	struct perfaux_attach arg = { .size = sizeof(arg), .cookie = below(c, 4) };
	uint32_t how = below(c, 8);
	enum kind is;
	int fd = some_fd(c, KIND_RING, &is);
	void *at;

	if (how < 3)
		arg.flags = PERFAUX_ATTACH_RAW;
	else if (how < 5)
		arg.flags = PERFAUX_ATTACH_TRIGGER;
	if (how == 4)
		arg.post = some_value(c);
	arg.fd = some_event(c, !arg.flags);
	at = some_argument(c, &arg, sizeof(arg), PERFAUX_ATTACH_SIZE_V0, NULL);
	return checked(c, is, PERFAUX_IOC_ATTACH, ioctl(fd, PERFAUX_IOC_ATTACH, at));
}

static int op_detach(struct caller *c)
{
	struct perfaux_detach arg = { .size = sizeof(arg) };
	enum kind is;
	int fd = some_fd(c, KIND_RING, &is);
	void *at;

	arg.fd = some_fd(c, KIND_EVENT, NULL);
	if (one_in(c, 8)) {
		arg.flags = PERFAUX_DETACH_ALL;
		arg.fd = -1;
	}
	at = some_argument(c, &arg, sizeof(arg), PERFAUX_DETACH_SIZE_V0, NULL);
	return checked(c, is, PERFAUX_IOC_DETACH, ioctl(fd, PERFAUX_IOC_DETACH, at));
}

static int op_flush(struct caller *c)
{
	struct perfaux_flush arg = { .size = sizeof(arg), .flags = below(c, 4) };
	enum kind is;
	int fd = some_fd(c, KIND_RING, &is);
	void *at = some_argument(c, &arg, sizeof(arg), PERFAUX_FLUSH_SIZE_V0, NULL);

	return checked(c, is, PERFAUX_IOC_FLUSH, ioctl(fd, PERFAUX_IOC_FLUSH, at));
}

static int op_hold(struct caller *c)
{
	struct perfaux_hold arg = {
		.size = sizeof(arg), .flags = below(c, 4), .max = below(c, 4),
	};
	enum kind is;
	int fd = some_fd(c, KIND_RING, &is);
	void *at;

	if (one_in(c, 4))
		arg.flags |= PERFAUX_HOLD_THAW;
	at = some_argument(c, &arg, sizeof(arg), PERFAUX_HOLD_SIZE_V0, NULL);
	return checked(c, is, PERFAUX_IOC_HOLD, ioctl(fd, PERFAUX_IOC_HOLD, at));
}

static int op_unhold(struct caller *c)
{
	struct perfaux_unhold arg = {
		.size = sizeof(arg), .segment = below(c, 10), .seq = below(c, 100),
	};
	enum kind is;
	int fd = some_fd(c, KIND_RING, &is);
	void *at;

	if (one_in(c, 4)) {
		arg.flags = PERFAUX_UNHOLD_ALL;
		arg.segment = 0;
		arg.seq = 0;
	} else if (one_in(c, 2)) {
		int of = held_segment(c, &arg);

		if (of >= 0) {
			fd = of;
			is = KIND_RING;
		}
	}
	at = some_argument(c, &arg, sizeof(arg), PERFAUX_UNHOLD_SIZE_V0, NULL);
	return checked(c, is, PERFAUX_IOC_UNHOLD, ioctl(fd, PERFAUX_IOC_UNHOLD, at));
}

static int op_thaw(struct caller *c)
{
	struct perfaux_thaw arg = { .size = sizeof(arg) };
	enum kind is;
	int fd = some_fd(c, KIND_RING, &is);
	void *at = some_argument(c, &arg, sizeof(arg), PERFAUX_THAW_SIZE_V0, NULL);

	return checked(c, is, PERFAUX_IOC_THAW, ioctl(fd, PERFAUX_IOC_THAW, at));
}

static int op_handle(struct caller *c)
{
	struct perfaux_handle arg = { .size = sizeof(arg) };
	enum kind is;
	int fd = some_fd(c, KIND_RING, &is);
	void *at = some_argument(c, &arg, sizeof(arg), PERFAUX_HANDLE_SIZE_V0, NULL);

	return checked(c, is, PERFAUX_IOC_HANDLE, ioctl(fd, PERFAUX_IOC_HANDLE, at));
}

static int op_ids(struct caller *c)
{
	struct perfaux_ids arg = {
		.size = sizeof(arg), .queue_size = one_in(c, 2) ? 0 : 8192 << below(c, 4),
	};
	unsigned int to = slot_of(c, KIND_IDS);
	enum kind is;
	int fd = some_fd(c, KIND_DEVICE, &is), ret;
	void *at = some_argument(c, &arg, sizeof(arg), PERFAUX_IDS_SIZE_V0, NULL);

	ret = checked(c, is, PERFAUX_IOC_IDS, ioctl(fd, PERFAUX_IOC_IDS, at));
	if (ret < 0)
		return ret;
	/* Half of the descriptors wait: their read() returns at a notice or a signal. */
	if (one_in(c, 2))
		fcntl(ret, F_SETFL, O_NONBLOCK);
	slot_put(KIND_IDS, to, ret);
	return 0;
}

static int op_ids_stats(struct caller *c)
{
	struct perfaux_ids_stats arg = { .size = sizeof(arg) };
	enum kind is;
	int fd = some_fd(c, KIND_IDS, &is);
	void *at = some_argument(c, &arg, sizeof(arg), PERFAUX_IDS_STATS_SIZE_V0, NULL);

	return checked(c, is, PERFAUX_IOC_IDS_STATS,
		       ioctl(fd, PERFAUX_IOC_IDS_STATS, at));
}

/* An ioctl number of perfaux with any size and direction, or any number. */
static int op_any(struct caller *c)
{
	unsigned int cmd = _IO(PERFAUX_IOC_MAGIC, below(c, 16));
	uint8_t arg[64] = { 0 };
	enum kind is;
	int fd = some_fd(c, below(c, KIND_EVENT), &is);
	void *at;

	if (one_in(c, 2))
		cmd |= some_value(c) << 16;
	if (one_in(c, 4))
		cmd = some_value(c);
	/* The kernel handles some numbers for every file (do_vfs_ioctl()). */
	if (_IOC_TYPE(cmd) != PERFAUX_IOC_MAGIC)
		is = KIND_OTHER;
	/* These return a descriptor, which op_create(), op_ids() and op_kept() look after. */
	if (cmd == PERFAUX_IOC_CREATE || cmd == PERFAUX_IOC_IDS || cmd == PERFAUX_IOC_KEPT)
		return -ENOTTY;
	at = some_argument(c, arg, sizeof(arg), 8, NULL);
	return checked(c, is, cmd, ioctl(fd, cmd, at));
}

const struct op ops_ioctl[] = {
	{ .name = "info", .fn = op_info, .weight = 800, .works = 20 },
	{ .name = "create", .fn = op_create, .weight = 60, .works = 20 },
	{ .name = "kept", .fn = op_kept, .weight = 200, .works = 20 },
	{ .name = "attach", .fn = op_attach, .weight = 220, .works = 1,
	  .needs_auxgen = true },
	{ .name = "detach", .fn = op_detach, .weight = 60, .works = 1,
	  .needs_auxgen = true },
	{ .name = "flush", .fn = op_flush, .weight = 60, .works = 20 },
	{ .name = "hold", .fn = op_hold, .weight = 60, .works = 3 },
	{ .name = "unhold", .fn = op_unhold, .weight = 300, .works = 5 },
	{ .name = "thaw", .fn = op_thaw, .weight = 200, .works = 2 },
	{ .name = "handle", .fn = op_handle, .weight = 400, .works = 20,
	  .needs_btf = true },
	{ .name = "ids", .fn = op_ids, .weight = 20, .works = 20 },
	{ .name = "ids_stats", .fn = op_ids_stats, .weight = 700, .works = 20 },
	{ .name = "any", .fn = op_any, .weight = 250 },
	{ .name = NULL },
};
