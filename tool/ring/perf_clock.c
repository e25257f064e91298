// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read perf's clock. An event of our own thread writes records with times. To get a record,
 * give the thread the name that it already has: __set_task_comm() calls perf_event_comm()
 * whatever the old name was.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ring/perf_clock.h"
#include "stream/records.h"
#include "base/util.h"

/*
 * A measured offset is used for this long. adjtimex(2) lets the two clocks drift apart by a
 * tenth at most, and usually by less than 0.05 percent.
 */
#define LOOK_NS		(10 * NSEC_PER_SEC)

int perf_clock_open(struct perf_clock *c, bool use_clockid, __s32 clockid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.comm = 1,
		.use_clockid = use_clockid,
		.clockid = clockid,
	};
	int fd, err;

	memset(c, 0, sizeof(*c));
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = mainring_map(&c->ring, fd, -1, sysconf(_SC_PAGESIZE));
	if (err) {
		close(fd);
		return err;
	}
	perf_clock_now(c);
	return 0;
}

void perf_clock_close(struct perf_clock *c)
{
	if (!c->ring.page)
		return;
	mainring_unmap(&c->ring);
	close(c->ring.fd);
}

/* Return the time, which is the last u64 of the last record. All sizes are multiples of 8. */
static __u64 last_time(struct perf_clock *c)
{
	struct mainring *r = &c->ring;
	__u64 time = 0;

	if (mainring_snapshot(r) >= sizeof(time))
		memcpy(&time, r->data + ((r->head - sizeof(time)) & (r->size - 1)),
		       sizeof(time));
	__atomic_store_n(&r->page->data_tail, r->head, __ATOMIC_RELEASE);
	return time;
}

__u64 perf_clock_now(struct perf_clock *c)
{
	char name[16];
	__u64 time;

	if (!c->ring.page)
		return 0;
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_NAME, name);
	time = last_time(c);
	c->looked = now_ns();
	if (time)
		c->offset = time - c->looked;
	return time;
}

__u64 perf_clock_about(struct perf_clock *c)
{
	if (!c->ring.page)
		return 0;
	if (now_ns() - c->looked >= LOOK_NS)
		perf_clock_now(c);
	return now_ns() + c->offset;
}

__u64 perf_clock_convert(__u64 time, __s32 to)
{
	struct perf_clock own;
	struct timespec ts;
	__u64 now;

	if (perf_clock_open(&own, false, 0))
		return 0;
	now = perf_clock_now(&own);
	clock_gettime(to, &ts);
	perf_clock_close(&own);
	return now ? ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec - now + time : 0;
}
