/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfaux - raw AUX rings for perf events
 *
 * This header is the whole interface between perfaux.ko and user space, and
 * its manual.
 *
 * Overview
 * ========
 *
 * perf gives each event one AUX area per CPU, of a fixed size. A *raw ring* is
 * one pool of memory for any number of events, on any number of CPUs. The
 * event's own ring ("main ring": sideband and samples) is not touched.
 *
 *	dev  = open("/dev/perfaux", O_RDWR);
 *	ring = ioctl(dev, PERFAUX_IOC_CREATE, &create);
 *	ev   = perf_event_open(&attr, pid, -1, -1, 0);   an AUX-capable PMU
 *	ioctl(ring, PERFAUX_IOC_ATTACH, &attach);        attach.fd = ev
 *	marks = mmap(NULL, create.marks_size, PROT_READ | PROT_WRITE,
 *		     MAP_SHARED, ring, 0);
 *	ctl   = mmap(NULL, create.ring_size, PROT_READ,
 *		     MAP_SHARED, ring, create.marks_size);
 *	ioctl(ev, PERF_EVENT_IOC_ENABLE, 0);
 *	poll(ring) ...
 *
 * "How to read a ring" below continues this example.
 *
 * A ring can also contain the raw data of samples (PERF_SAMPLE_RAW), of any
 * length: see "Raw samples".
 *
 * The module also puts ELF build-ids into perf's mmap records: see
 * PERFAUX_IOC_IDS.
 *
 * Memory of a ring
 * ================
 *
 * A ring has two mappings, and a kept ring can have a third one ("Kept rings").
 * The offset and the length of each must be exactly those that CREATE returned:
 *
 *   marks (read-write)   u64 segment_mark[nr_segments], then
 *                        u64 gap_mark[nr_gaps]
 *   ring  (read-only)    struct perfaux_control at 0, and at the offsets that
 *                        it contains: struct perfaux_segment[nr_segments],
 *                        struct perfaux_span[nr_segments][spans_per_segment],
 *                        struct perfaux_gap[nr_gaps], the order table, the bits of
 *                        open segments, and the data of the segments, nr_segments
 *                        runs of segment_size bytes
 *
 * All numbers are in the machine's byte order. The pages are ordinary memory:
 * O_DIRECT writes, vmsplice() and process_vm_readv() work on them. As with
 * perf's own rings, fork() does not inherit a mapping. A process can pass the
 * file descriptor to another one (fork, SCM_RIGHTS), which maps the ring again.
 *
 * Segments, spans and gaps
 * ========================
 *
 * One writer at a time writes to a segment. A segment has these states:
 *
 *   FREE -> CLAIMED -> BUSY <-> IDLE -> READY [-> HELD] -> FREE
 *
 *   FREE     The segment belongs to nobody.
 *   CLAIMED  A writer prepares the segment. Readers must ignore it.
 *   BUSY     A PMU writes to the segment. Spans that have ended can be read.
 *   IDLE     The segment has room left, but no PMU writes to it now. Its spans
 *            can be read. Any CPU may continue to write to it.
 *   READY    The segment is published. It belongs to the reader until the
 *            reader releases it.
 *   HELD     The segment is in an overwrite ring, and PERFAUX_IOC_HOLD holds
 *            it: nobody overwrites it before the reader releases it.
 *
 * The reader releases a READY or HELD segment: it stores the segment's sequence
 * number into segment_mark[i]. A mark with any other value has no effect, so a
 * late or wrong mark can never free a segment that was filled again. In an
 * overwrite ring, the kernel also takes the oldest READY segment when a writer
 * needs one.
 *
 * A *span* is what a PMU wrote between one begin and its end: for the event of
 * a task usually one time slice. An entry of the span table is valid when
 * nr_spans (load-acquire) covers it. A valid entry does not change.
 *
 * A *gap* is a time in which an attached event ran, but its data found no room
 * or was not produced. A gap has a cause, a begin and an end. If no segment is
 * free, the PMU writes to memory that is thrown away: so the number of lost
 * bytes is known, and the event continues. The bytes that a PMU wrote are the
 * bytes in spans plus the bytes in gaps plus those that control.lost_bytes[]
 * counts as OVERWRITTEN or OVERRUN. There is one exception: if several events
 * of a ring find no segment on one CPU at the same time, the module tells the
 * second event's PMU that it cannot start, and the gap of that event has 0
 * bytes. An entry of the gap table is valid if its seq (load-acquire) is not 0
 * and gap_mark[i] differs from seq. The reader releases the entry: it stores
 * seq into gap_mark[i].
 *
 * Spans and gaps share one sequence per ring: 1, 2, 3 ... in the order in which
 * they ended. A reader that takes them in this order, and waits for a number
 * that is missing, gets the data of every thread and of every CPU in order of
 * time. A number that never appears is a loss. That happens only in an
 * overwrite ring, where a writer overwrote the segment; control.lost_count[]
 * counts it.
 *
 * How to read a ring
 * ==================
 *
 * This loop consumes everything that a ring without PERFAUX_RING_OVERWRITE has. seg,
 * spans, gap and data are at ctl plus the offsets in it, mark is the mapping of the marks,
 * and gap_mark is mark + nr_segments. i, n, s, begin and next are of type __u64. When the
 * ring is new, next is 1 and taken[] has a zero for each segment. load_acquire(p) is
 * __atomic_load_n(p, __ATOMIC_ACQUIRE), and store_release() is its counterpart.
 *
 *	do {
 *		begin = next;
 *		for (i = 0; i < ctl->nr_segments; i++) {
 *			span = spans + i * ctl->spans_per_segment;
 *			s = load_acquire(&seg[i].state);
 *			n = load_acquire(&seg[i].nr_spans);
 *			if (PERFAUX_STATE(s) < PERFAUX_SEG_BUSY || PERFAUX_SEQ(s) == mark[i] ||
 *			    PERFAUX_SEQ(load_acquire(&seg[i].state)) != PERFAUX_SEQ(s))
 *				continue;
 *			for (; taken[i] < n && span[taken[i]].seq == next; taken[i]++, next++)
 *				use_span(&span[taken[i]], data + i * ctl->segment_size);
 *			if (PERFAUX_STATE(s) == PERFAUX_SEG_READY && taken[i] == n) {
 *				taken[i] = 0;
 *				store_release(&mark[i], PERFAUX_SEQ(s));
 *			}
 *		}
 *		for (i = 0; i < ctl->nr_gaps; i++) {
 *			if (load_acquire(&gap[i].seq) != next)
 *				continue;
 *			use_gap(&gap[i]);
 *			store_release(&gap_mark[i], next++);
 *		}
 *	} while (next != begin);
 *
 * - The state is read again after nr_spans: if its sequence number has changed,
 *   the segment has a new use, and nr_spans may belong to either one.
 * - The state was READY *before* nr_spans was read, so the segment has no
 *   further spans, and it can be released.
 * - store_release() keeps each read of the data before the release.
 * - A segment of frames (see "Raw samples") has no spans, so this loop releases it.
 *   A reader of frames must use the frames first.
 *
 * - A writer of a gap takes the first free entry of the gap table. So a reader can stop at the
 *   first entry whose seq and t_begin are 0: neither that entry nor a later one was ever used.
 *   The exception is an entry that its writer is just filling. The reader then finds the later
 *   entries in its next pass.
 *
 * Then call poll(). If PERFAUX_CTL_STARVED is set in control.flags after the
 * reader has released segments, poll() or PERFAUX_IOC_FLUSH restarts the events
 * that found no segment. FLUSH also ends the gaps that are still open, and so
 * makes them visible.
 *
 * How to find what is new
 * =======================
 *
 * The loop above looks at all segments each time. A reader of a ring with many segments can keep a
 * set of segments to look at. Before a look, the reader adds these segments to the set:
 *
 *   - each segment i whose bit is set: bit i % 64 of word i / 64 at control.open_offset. The bit
 *     of a segment is set while the segment is BUSY or IDLE.
 *   - the segments in the order table, u64[order_size] at control.order_offset, from number n on,
 *     where n is 1 in a new ring. Take entry n % order_size (load-acquire). If
 *     PERFAUX_ORDER_SEQ(entry) is n, add segment PERFAUX_ORDER_SEGMENT(entry), and go on with
 *     n + 1. If that number is lower than n, stop: no segment has become READY as number n yet.
 *     If it is higher, the entry of number n was needed for another segment: set n to the highest
 *     number in the table plus 1, and then add all segments.
 *
 * When the reader has seen a segment READY, HELD or FREE, it removes the segment from the set. A
 * writer puts a segment into the table before the segment is READY, so the reader misses none. A
 * segment that UNHOLD makes READY again keeps its old number, so a reader that is past this number
 * does not find the segment again.
 *
 * How to read an overwrite ring
 * =============================
 *
 * There are three ways:
 *
 * - While the events run: PERFAUX_IOC_HOLD holds the segments that have data,
 *   and the events continue in other segments. Read the HELD segments, and sort
 *   their spans by seq. Then return each segment: release it, and writers can
 *   use it; or UNHOLD it, and its data stays in the ring's history.
 * - After the events: detach or disable them, FLUSH, and read as above.
 * - While the events run, without HOLD: copy a READY segment and its spans, and
 *   read its state again. If the state has changed, the copy is invalid.
 *
 * PMUs
 * ====
 *
 * A ring takes the AUX data of a PMU only if the PMU's driver is known to work with it.
 * perf's AUX area is one buffer for the whole life of an event. With a ring, each
 * perf_aux_output_begin() may return another buffer. A driver must
 *
 *   - take all that it knows about the buffer from what the last begin returned,
 *   - write nothing to the buffer after perf_aux_output_end(),
 *   - stop without the core's help when there is no room, and start again.
 *
 * The kernel's own drivers were read with these rules in mind (by name of the PMU):
 *
 *   intel_pt	allowed, and so is softpt, whose PMU has that name
 *   intel_bts	refused: it takes its position from the last use of the area
 *   arm_spe_N	refused: it relies on perf to disable the event when there is no room
 *   hisi_pttN	refused, for the same reason
 *   cs_etm	refused: CoreSight's TRBE continues to write to the buffer that it began
 *		with, even after that buffer has been published
 *   cpum_sf	refused, for the same reason
 *
 * Every other PMU is refused, unless its driver declares that it keeps these rules. It
 * does so with an attribute "raw_ring" in the group "caps" of pmu->attr_groups, which is
 * the file /sys/bus/event_source/devices/NAME/caps/raw_ring and should read 1. The PMUs
 * of this project's tests do so.
 *
 * Pause and resume: perf pauses and resumes AUX output (attr.aux_start_paused, and
 * attr.aux_pause and attr.aux_resume of other events of the group) only if the event has
 * a main ring, mapped or by PERF_EVENT_IOC_SET_OUTPUT: perf_event_aux_pause() does
 * nothing without one. So an event that other events pause or resume must have its main
 * ring before ATTACH, and must keep it while it is attached. The module cannot check an
 * event of the group that is opened after ATTACH: without a main ring, that event pauses
 * nothing, and the output continues.
 *
 * Raw samples
 * ===========
 *
 * PERFAUX_IOC_ATTACH with PERFAUX_ATTACH_RAW sends the raw data of an event's samples
 * (PERF_SAMPLE_RAW) to the ring, as a *frame*. The sample itself still goes to the main
 * ring. In place of the raw data it has a struct perfaux_reference, of exactly that size.
 * A raw area of that size whose key is control.key is a reference. Any other raw area is
 * the raw data itself: a sample that the module could not intercept keeps its data.
 *
 * Segments of the kind PERFAUX_KIND_FRAMES contain frames and no spans. A frame is a
 * struct perfaux_frame, followed by its data. The next frame begins at the next multiple
 * of 8. Any context on any CPU can write frames, all at the same time. The first
 * segment.frames_end bytes (load-acquire) consist of whole frames, and none of these
 * frames changes any more. The same holds for all segment.used bytes of a READY segment.
 * A reader must ignore the data of a frame that is not COMMITTED.
 *
 * The kernel writes a sample after the sample's frame is committed. So a reader that
 * finds a sample in a main ring can follow the sample's reference immediately, even
 * beyond frames_end: compare PERFAUX_SEQ(segment.state) with reference.segment_seq, copy
 * or use the data, and in an overwrite ring compare again. If the numbers differ, the data
 * was overwritten.
 *
 * In the other direction, a frame may be visible before its sample, or its sample may be
 * lost because the main ring was full. PERFAUX_IOC_FLUSH returns after the kernel has
 * written or lost the samples of all frames that were committed before the call. A frame
 * whose sample is not in the main rings after FLUSH has no sample.
 *
 * If there is no room for a sample's data, its reference has length 0 and tells the cause
 * and the lost length. control.lost_*[] counts the loss, too.
 *
 * Producers in the kernel
 * =======================
 *
 * Other modules (module/perfaux.h) write frames of their own, without
 * PERFAUX_FRAME_SAMPLE: these frames have no sample. A segment can contain frames of
 * producers and of samples. A producer does not need an attached event. The producer
 * chooses the cookie; pid and tid are numbers in the pid namespace of the ring's creator.
 *
 * If there is no room for a producer's frame, or the frame is longer than a segment,
 * control.lost_*[] counts the loss, and a gap with the producer's cookie has the count,
 * the bytes and the time of the lost frames. If an event and a producer have the same
 * cookie, they share gaps.
 *
 * A frame can stay RESERVED for any time. Meanwhile its segment does not become READY,
 * and frames_end does not move past the frame. PERFAUX_FLUSH_ABANDON ends such frames. The
 * memory of the ring (see "Locked memory") stays until its producers release the ring.
 *
 * Programs of BPF
 * ===============
 *
 * A BPF program has the number that PERFAUX_IOC_HANDLE returns, in its code or in a map.
 * With that number, the program can call these functions of the module (kfuncs, described
 * by perfaux.ko's BTF) to write records of any length to the ring:
 *
 *	int perfaux_write(u64 ring, u64 cookie, const void *data, u32 data__sz);
 *	int perfaux_write_dynptr(u64 ring, u64 cookie,
 *				 const struct bpf_dynptr *data,
 *				 u32 offset, u32 length);
 *
 *	struct perfaux_record *perfaux_record_reserve(u64 ring, u64 cookie, u32 length);
 *	__u8 *perfaux_record_data(struct perfaux_record *record,
 *				  const size_t rdwr_buf_size);
 *	void perfaux_record_commit(struct perfaux_record *record);
 *	void perfaux_record_discard(struct perfaux_record *record);
 *
 * perfaux_write() and perfaux_write_dynptr() return 0, or
 *
 *   -ENOENT	no ring has that handle, or the ring's last descriptor and mapping are gone
 *   -ENOSPC	no segment was free
 *   -E2BIG	the record, with its struct perfaux_frame, is longer than a segment
 *   -EINVAL	offset and length are not inside the dynptr; or data is NULL and data__sz is
 *		not 0, which the verifier of 6.1 lets pass
 *   -EOPNOTSUPP	the dynptr is neither of local memory nor of a record of BPF's ring
 *		buffer
 *
 * perfaux_write_dynptr() exists from 6.11 on: the verifiers of older kernels accept any
 * memory as a dynptr.
 *
 * perfaux_record_reserve() returns NULL where the others return an error. The program must
 * commit or discard each record that it gets; if it does not, the verifier refuses the
 * program. perfaux_record_data() returns the first rdwr_buf_size bytes of the record's
 * data, or NULL if the record is shorter. rdwr_buf_size is a constant. struct
 * perfaux_record is struct perfaux_frame without the data; programs can only read it.
 *
 * All types of programs may call these functions from 6.9 on, in any context. Before 6.9,
 * only tracing, LSM and syscall programs may do so. The kernel decides at load time what a
 * program may do. The handle is random, but it is not a secret: a user who may load
 * programs may write to any ring.
 *
 * Triggers
 * ========
 *
 * PERFAUX_IOC_ATTACH with PERFAUX_ATTACH_TRIGGER: each sample of the event freezes an
 * overwrite ring, immediately, in the context of the sample. After that, writers overwrite
 * at most attach.post segments, and those that they were about to overwrite at that moment.
 * Each CPU has at most one such writer, and one more for each context in which a writer was
 * interrupted there. When these segments are used up and no segment is free, new data is
 * lost, with the cause FROZEN.
 *
 * While the ring is frozen, PERFAUX_CTL_FROZEN is set in control.flags, poll() reports
 * EPOLLPRI, and control.frozen_time and control.frozen_cookie are those of the sample. The
 * ring stays frozen until PERFAUX_IOC_THAW: HOLD the segments that you need before THAW.
 * Further samples of triggers only increase control.triggers.
 *
 * Kept rings
 * ==========
 *
 * A ring with PERFAUX_RING_KEPT survives a crash of the machine: its memory is a region that
 * a warm reboot leaves alone. The kernel's parameters name the region, and its place must be
 * the same in each boot:
 *
 *	reserve_mem=64M:4096:perfaux nokaslr
 *
 * reserve_mem exists from 6.11 on. The kernel takes the memory from the highest free addresses
 * where it fits. A region of less than 1 MiB can be where firmware writes when the machine starts
 * again (SeaBIOS does). KASLR does not know of the region, so without nokaslr the kernel's image
 * can be placed over it, and the data is lost. The data is also lost if the firmware clears memory
 * or if the power fails.
 *
 * The machine has one region, and one ring at a time can be in it. The region contains a
 * struct perfaux_kept_header and, at the offsets that the header has:
 *
 *   tables	the part of the ring's mapping before the data: struct perfaux_control, segments,
 *		spans and gaps
 *   marks	the mapping of the marks
 *   stop	struct perfaux_stop: how the machine stopped
 *   opens	struct perfaux_open[nr_segments]: the spans that PMUs are writing
 *   gap sums	u64[nr_gaps]
 *   user	create.user_size bytes for user space, which maps them at the offset
 *		create.marks_size + create.ring_size, readable and writable. A program stores
 *		other data there that a reader needs after a crash
 *   data	the data of the segments
 *
 * In a crash nobody ends a span that a PMU is writing: panic() may stop its CPU in the middle
 * of the span, and a reset calls no code at all. So a writer that begins to use a segment of a
 * kept ring clears the segment first, and the span ends with the last byte that is not zero.
 * Clearing takes some microseconds for 64 KiB, which is the largest segment that a kept ring
 * can have.
 *
 * Memory can be overwritten between a crash and the next boot, and a CPU's cache can be lost in
 * a reset. Therefore each span, open span and gap has a sum, and a reader uses nothing whose
 * sum is wrong:
 *
 *   span	span.reserved = perfaux_kept_sum(S, &span, 7), where S is
 *		perfaux_kept_start(key, number of the segment's use, segment, index of the
 *		span). So an entry of an earlier use of the segment has a wrong sum
 *   open span	open.sum = perfaux_kept_sum(S, &open, 7), with the index open.index
 *   gap	gap sum [i] = perfaux_kept_sum(perfaux_kept_start(key, gap.seq, i, 0), &gap, 8).
 *		A gap whose seq is 0 was not published. A gap whose t_end is 0 had not ended. If
 *		a PMU was writing to memory that is thrown away, no gap counts these bytes
 *   header	header.sum = perfaux_kept_sum(0, &header, all words before sum)
 *   stop	stop.sum = perfaux_kept_sum(key, &stop, all words before sum)
 *
 * Frames have no sum. The state of a committed frame contains the number of the segment's use,
 * and the frame contains the segment's index. A writer that was stopped right after it had taken
 * the place of a frame leaves zeros there, and frames of other writers may follow. They begin at
 * multiples of 8 bytes.
 *
 * The stop is valid if the kernel called the notifiers of panics or reboots. panic() does not
 * call them if a kernel for kdump is loaded, unless the kernel's parameters have
 * crash_kexec_post_notifiers.
 *
 * In the next boot, PERFAUX_IOC_KEPT tells whether the region has data, and opens the
 * region. The region takes a new ring only when the data has been wiped. When a kept ring
 * is closed, or the module parameter persist=0 is set at load time, the module wipes the
 * region. Only a process with CAP_SYS_ADMIN in the initial user namespace can make a kept
 * ring, or open or wipe the region.
 *
 * Times
 * =====
 *
 * All times are nanoseconds of the clock of the attached events (attr.use_clockid and
 * attr.clockid; perf's own clock by default). So they compare with PERF_SAMPLE_TIME in the
 * main ring. A ring whose first user is a producer has perf's own clock.
 *
 * Errors of mmap()
 * ================
 *
 *   EINVAL	offset or length is not that of one of the ring's mappings, or
 *		MAP_PRIVATE
 *   EACCES	PROT_WRITE on the ring; PROT_EXEC (EPERM where the core refuses it
 *		first, as newer kernels do)
 *
 * Locked memory
 * =============
 *
 * The memory of both mappings counts against the RLIMIT_MEMLOCK of the creator's user
 * (CAP_IPC_LOCK is exempt), except for the region of a kept ring. The pages for data that is
 * thrown away count, too. CREATE needs one such page for each CPU that is online, at most 64.
 * If more events are attached, or if many CPUs find the ring full, the module adds pages, up
 * to one per possible CPU, and counts them even above the limit. The module's tables per CPU
 * and per segment do not count.
 *
 * The module frees the memory when the ring's last descriptor and mapping are gone, no PMU
 * writes to the ring any more, and no producer in the kernel has a reference to the ring.
 *
 * While a process has the mappings, their memory is part of the process's VmPin in
 * /proc/PID/status, as the memory of perf's own rings can be.
 *
 * On a machine with several NUMA nodes, neighbouring segments are on different nodes, whatever
 * memory policy the process has, and writers prefer segments of their own node: see
 * control.far_claims. The segments of a kept ring are where its region is.
 *
 * Counters
 * ========
 *
 * The control page has the counters, which can be read at any time. The file
 * /proc/PID/fdinfo/N of the ring's descriptor has them too, one "name:\tvalue" per line.
 *
 * Extending structures
 * ====================
 *
 * The first field of each argument is the size of the structure that the caller knows. If
 * the caller's structure is shorter than the kernel's, the kernel completes it with zeros.
 * If it is longer, the bytes that the kernel does not know must be zero (else E2BIG).
 * Unknown flags are EINVAL. Reserved fields must be 0 (EINVAL).
 */
#ifndef _UAPI_PERFAUX_H
#define _UAPI_PERFAUX_H

#include <linux/const.h>
#include <linux/ioctl.h>
#include <linux/types.h>

/* Changes when an old reader can no longer read a ring. */
#define PERFAUX_ABI		1

#define PERFAUX_DEVICE		"/dev/perfaux"

/*
 * PERFAUX_IOC_INFO (on the device): what this module can do.
 *
 * Errors: EFAULT; E2BIG, EINVAL (size below PERFAUX_INFO_SIZE_V0).
 */
struct perfaux_info {
	__u32	size;			/* in: of this struct */
	__u32	abi;			/* out: PERFAUX_ABI */
	__u64	create_flags;		/* out: known flags of CREATE */
	__u32	min_segment_size;	/* out: bytes */
	__u32	max_segment_size;	/* out: bytes */
	__u32	min_segments;		/* out */
	__u32	max_segments;		/* out */
	__u32	max_spans;		/* out: per segment */
	__u32	attach_flags;		/* out: known flags of ATTACH */
	/* out: bytes of the region for kept rings; 0: there is none, see "Kept rings" */
	__u64	region_size;
};

#define PERFAUX_INFO_SIZE_V0	40
#define PERFAUX_INFO_SIZE_V1	48

/*
 * PERFAUX_IOC_CREATE (on the device): make a raw ring.
 *
 * Returns the ring's file descriptor, with O_CLOEXEC.
 *
 * Errors:
 *   EINVAL	size below PERFAUX_CREATE_SIZE_V0; unknown flags; segment_size
 *		not a power of two or out of range; nr_segments,
 *		spans_per_segment or watermark out of range; a reserved field
 *		or an out field is not 0; user_size without PERFAUX_RING_KEPT, or not
 *		a multiple of the page size
 *   E2BIG	a longer struct with a tail that is not zero
 *   EOVERFLOW	the sizes do not fit a mapping
 *   EPERM	RLIMIT_MEMLOCK is exceeded and the caller lacks CAP_IPC_LOCK; with
 *		PERFAUX_RING_KEPT: the caller lacks CAP_SYS_ADMIN
 *   ENODEV	PERFAUX_RING_KEPT, but there is no region
 *   ENOSPC	the ring does not fit into the region
 *   EBUSY	another ring is in the region, or a process has opened the region. CREATE waits
 *		up to 5 s for a kept ring that was closed, because its writers may still run
 *   EEXIST	the region has data of an earlier boot: see PERFAUX_IOC_KEPT
 *   ENOMEM	there is not enough memory
 *   EINTR	a fatal signal came while memory was being allocated
 *   EMFILE, ENFILE, EFAULT
 */
struct perfaux_create {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: PERFAUX_RING_* */
	/*
	 * in: bytes, a power of two from one page to 1 GiB. A segment is
	 * published when no more than a certain rest of it is free at the end of
	 * a span: a PMU needs this rest for what it writes until the kernel
	 * serves its interrupt. The rest is an eighth of the segment, but at most
	 * 64 KiB and, unless the segment is one page, at least one page. With
	 * segments of one page, Intel PT loses data at the end of each segment.
	 */
	__u32	segment_size;
	__u32	nr_segments;		/* in: 2 to 4096 */
	/*
	 * in: how many spans fit into one segment, 1 to 65536; 0: the module
	 * chooses the number from segment_size. A segment is published when
	 * either its room or its spans are used up.
	 */
	__u32	spans_per_segment;
	/*
	 * in: poll() reports EPOLLIN when this number of segments is READY,
	 * 1 to nr_segments; 0 means 1.
	 */
	__u32	watermark;
	__u64	reserved;
	__u64	marks_size;		/* out: bytes to map at offset 0 */
	__u64	ring_size;		/* out: bytes to map at marks_size */
	__u64	user_size;		/* in: bytes, see "Kept rings" */
};

#define PERFAUX_CREATE_SIZE_V0	48
#define PERFAUX_CREATE_SIZE_V1	56

/* If no segment is free, a writer overwrites the oldest READY segment. */
#define PERFAUX_RING_OVERWRITE	_BITUL(0)

/* The ring is in the region, see "Kept rings". segment_size is at most 64 KiB. */
#define PERFAUX_RING_KEPT	_BITUL(1)

/*
 * PERFAUX_IOC_ATTACH (on a ring): from now on, the AUX data of a perf event goes to this
 * ring, and so does the data of all events that children inherit from it, now or later.
 *
 * The event can be that of a task (with or without attr.inherit, for cpu == -1 or for one
 * CPU) or that of a CPU. All events of a ring have the same PMU and the same clock.
 * Enable the event after ATTACH. An event that is already enabled starts to write
 * immediately if its driver allows an active event without an output. Intel PT's driver
 * does not: such an event starts when the kernel schedules it in the next time.
 *
 * The ring keeps the event's file open. As with a mapping of the event, closing the
 * descriptor does not end the event: detach the event, or close the ring, first.
 *
 * A process that has the descriptor of an event may attach the event: the LSM that decided
 * when the event was opened (security_perf_event_open()) does not decide again. RAW and
 * TRIGGER patch the kernel's code, so their caller must be allowed to open perf events.
 *
 * An event stays with perf's own AUX area if another event of its group takes AUX samples
 * from it (attr.aux_sample_size).
 *
 * Map the event's own ring, or redirect it with PERF_EVENT_IOC_SET_OUTPUT, before you
 * enable the event. Otherwise ring_buffer_attach() in the core stops the PMU of an AUX
 * event, and the PMU starts again only when the kernel schedules the event in, or with
 * PERFAUX_IOC_FLUSH.
 *
 * Errors:
 *   EBADF	fd is not an open file
 *   EINVAL	fd is not a perf event; unknown flags, or RAW and TRIGGER; post out
 *		of range; TRIGGER on a ring without PERFAUX_RING_OVERWRITE; size below
 *		PERFAUX_ATTACH_SIZE_V0; the event's clock is not that of the ring's
 *		first event or producer; with RAW or TRIGGER: the clock cannot be
 *		read in an NMI (CLOCK_REALTIME, _BOOTTIME, _TAI)
 *   EOPNOTSUPP	the event's PMU has no AUX output, or is not allowed (see "PMUs");
 *		the event takes AUX samples (attr.aux_sample_size); other events pause
 *		or resume it and it has no main ring (attr.aux_start_paused; see
 *		"PMUs"); with PERFAUX_ATTACH_RAW: the event has no samples with
 *		PERF_SAMPLE_RAW; with PERFAUX_ATTACH_TRIGGER: it has no samples; with
 *		either: the module cannot redirect the kernel's functions that write
 *		samples (the kernel's log says why)
 *   EXDEV	the ring's first event was of another PMU; not with
 *		PERFAUX_ATTACH_RAW or PERFAUX_ATTACH_TRIGGER
 *   EBUSY	the event is attached, to this ring or another one
 *   EMFILE	this ring has as many attached events as RLIMIT_NOFILE allows
 *		descriptors; or all rings of the caller's user together have, and the
 *		caller has neither CAP_SYS_RESOURCE nor CAP_SYS_ADMIN. In a user
 *		namespace, the events count for the user who made the namespace (if
 *		namespaces are nested, the outermost one)
 *   EACCES	with RAW or TRIGGER: perf_event_open() would not let the caller open
 *		any event (kernel.perf_event_paranoid above 2, where the kernel has
 *		that, without CAP_SYS_ADMIN), or the error that an LSM returns
 *   ENODEV	the PMU is being removed
 *   ENOMEM	no memory, or the PMU refuses the segments
 *   E2BIG, EFAULT
 */
struct perfaux_attach {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: PERFAUX_ATTACH_* */
	__s32	fd;			/* in: the perf event */
	/* in: with PERFAUX_ATTACH_TRIGGER up to 2^31 - 1, else 0 */
	__u32	post;
	__u64	cookie;			/* in: comes back in spans and gaps */
};

#define PERFAUX_ATTACH_SIZE_V0	24

/*
 * Send the raw data of samples instead of AUX data: see "Raw samples". This includes the
 * samples of all events that are inherited from this one. The event can have any PMU. Any
 * number of such events can share a ring, also with the AUX data of one PMU, if all have
 * the same clock.
 */
#define PERFAUX_ATTACH_RAW	_BITUL(0)

/*
 * Each sample of the event, and of events that are inherited from it, is a trigger: see
 * "Triggers". No data of the event goes to the ring. The event can have any PMU, but must
 * have samples. The ring must have PERFAUX_RING_OVERWRITE. The event does not have to have
 * a main ring.
 */
#define PERFAUX_ATTACH_TRIGGER	_BITUL(1)

/*
 * PERFAUX_IOC_DETACH (on a ring): undo ATTACH. The spans that a PMU is writing end. When
 * the call returns, nothing more is written for this event. The event itself stays as it
 * is, without output.
 *
 * Each call waits for an RCU grace period. With PERFAUX_DETACH_ALL, one call detaches all
 * events of the ring, if there are any.
 *
 * Errors: EBADF; ENOENT (not attached to this ring); EINVAL (also: with
 * PERFAUX_DETACH_ALL fd is not -1); E2BIG; EFAULT.
 */
struct perfaux_detach {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: PERFAUX_DETACH_* */
	__s32	fd;			/* in: the perf event */
	__u32	reserved;
};

#define PERFAUX_DETACH_ALL	_BITUL(0)

#define PERFAUX_DETACH_SIZE_V0	16

/*
 * PERFAUX_IOC_FLUSH (on a ring):
 *
 *   - Gaps that are still open end now and become visible.
 *   - IDLE segments and segments of frames become READY if they have data. A segment whose
 *     last frame is still being written becomes READY when that frame is committed.
 *   - Events that found no segment start again if there is one.
 *   - If raw samples are attached, the call returns when the kernel has written the samples
 *     of all frames that were committed before the call.
 *
 * May sleep.
 *
 * Errors: EINVAL; E2BIG; EFAULT.
 */
struct perfaux_flush {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: PERFAUX_FLUSH_* */
};

#define PERFAUX_FLUSH_SIZE_V0	8

/*
 * Also end the spans that PMUs are writing, and begin new ones, so that the reader gets the
 * data up to now. This costs one interrupt on each CPU that writes, and a moment without
 * trace on that CPU.
 */
#define PERFAUX_FLUSH_SPANS	_BITUL(0)

/*
 * Also give up frames that are reserved and not yet committed: they become
 * PERFAUX_FRAME_ABANDONED, control.lost_count[] counts them, and their segments become
 * READY. Use this at the end of a recording: a BPF program or a module that was interrupted
 * while it wrote loses that frame.
 */
#define PERFAUX_FLUSH_ABANDON	_BITUL(1)

/*
 * PERFAUX_IOC_HOLD (on a ring): do what FLUSH does, then hold the READY segments that the
 * reader has not released. HOLD takes them from the newest to the oldest, by the order in
 * which they became READY. A HELD segment is not overwritten until the reader releases it;
 * another HOLD does not change it.
 *
 * HOLD does not take a segment that became READY before an overwritten one, because the
 * overwritten one would be a hole in the row. UNHOLD can leave such segments, if writers had to
 * overwrite later ones. In one case a hole remains: a writer that takes a ready_seq and is
 * interrupted before it publishes its segment. The segment may become HELD after the next
 * ones were overwritten. Then numbers are missing between the ready_seq of HELD segments.
 *
 * With PERFAUX_FLUSH_SPANS, HOLD takes all that was written before the call: it also holds
 * each segment that a writer is using, and the writer continues in another one. Spans that
 * began after the call may or may not be in HELD segments. All spans up to number seq are in
 * HELD segments, if max allows it and they were not overwritten before HOLD began. A reader
 * that ignores later spans has no hole, and finds these spans in the next HOLD.
 *
 * Writers need segments, too: if all segments of a ring are HELD, new data is lost, with
 * the cause FULL. May sleep.
 *
 * Errors:
 *   EINVAL	size below PERFAUX_HOLD_SIZE_V0; unknown flags; PERFAUX_HOLD_THAW without
 *		PERFAUX_FLUSH_SPANS; held or seq not 0; not a ring with PERFAUX_RING_OVERWRITE
 *   E2BIG
 *   EFAULT	the answer cannot be written. If it became unwritable during the call, the segments
 *		that HOLD took are as after UNHOLD, and the ring may have been thawed
 */
struct perfaux_hold {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: PERFAUX_FLUSH_*, PERFAUX_HOLD_THAW */
	__u32	max;			/* in: at most this number of segments, 0: all */
	__u32	held;			/* in: 0; out: number of segments taken */
	__u64	seq;			/* in: 0; out: see above */
};

#define PERFAUX_HOLD_SIZE_V0	24

/*
 * With PERFAUX_FLUSH_SPANS: also THAW the ring if it is FROZEN. This happens when the READY
 * segments are HELD, and before the writers of the other segments need new ones.
 */
#define PERFAUX_HOLD_THAW	_BITUL(8)

/*
 * PERFAUX_IOC_UNHOLD (on a ring): a HELD segment becomes READY again, with the age that it
 * had. Another HOLD can take it, or a writer overwrites it in its turn. (A segment that the
 * reader releases instead is free immediately, and the next HOLD cannot take it.)
 *
 * Errors:
 *   EINVAL	size below PERFAUX_UNHOLD_SIZE_V0; unknown flags; segment out of range;
 *		with PERFAUX_UNHOLD_ALL segment or seq not 0
 *   ENOENT	the segment is not HELD, or is released, or seq is the number of another use;
 *		not with PERFAUX_UNHOLD_ALL
 *   E2BIG, EFAULT
 */
struct perfaux_unhold {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: PERFAUX_UNHOLD_* */
	__u32	segment;		/* in: index */
	__u32	reserved;		/* in: 0 */
	__u64	seq;			/* in: PERFAUX_SEQ() of its state */
};

/* Unhold all segments that are HELD and not released. */
#define PERFAUX_UNHOLD_ALL	_BITUL(0)

#define PERFAUX_UNHOLD_SIZE_V0	24

/*
 * PERFAUX_IOC_THAW (on a ring): writers overwrite segments again, until the next trigger.
 *
 * Errors: EINVAL (size, flags); ENOENT (the ring is not frozen); E2BIG; EFAULT.
 */
struct perfaux_thaw {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: 0 */
};

#define PERFAUX_THAW_SIZE_V0	8

/*
 * PERFAUX_IOC_HANDLE (on a ring): get the number by which BPF programs name the ring, see
 * "Programs of BPF". Each call for a ring returns the same number. The number is never 0.
 * No other ring has it at the same time. The probability that a ring gets the number of a
 * certain earlier ring is at most 2^-32.
 *
 * Errors:
 *   EINVAL	size below PERFAUX_HANDLE_SIZE_V0; flags or handle not 0; the ring's
 *		clock is one that cannot be read in an NMI
 *   EOPNOTSUPP	programs cannot call this module: the module has no BTF, or the kernel
 *		refused its functions (the kernel's log says which)
 *   ENOMEM	there is no memory to map the segments in one piece
 *   EBUSY	there are 2^31 - 1 rings with a handle
 *   E2BIG, EFAULT
 */
struct perfaux_handle {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: 0 */
	__u64	handle;			/* in: 0; out */
};

#define PERFAUX_HANDLE_SIZE_V0	16

/*
 * PERFAUX_IOC_KEPT (on the device): look at the region of kept rings, open it, or wipe it. See
 * "Kept rings".
 *
 * Returns 0 or, with PERFAUX_KEPT_OPEN, a descriptor with O_CLOEXEC. mmap() of the descriptor
 * with PROT_READ, MAP_SHARED, offset 0 and the length region_size maps the region. Do not trust
 * anything in the region: memory can have been overwritten since the crash.
 *
 * Errors:
 *   EINVAL	size below PERFAUX_KEPT_SIZE_V0; unknown flags, or OPEN and WIPE; an out
 *		field is not 0
 *   ENODEV	OPEN or WIPE, but there is no region
 *   ENODATA	OPEN, but the region has no data of an earlier boot
 *   EBUSY	OPEN or WIPE, but a ring is in the region, or the region is open
 *   EPERM	OPEN or WIPE without CAP_SYS_ADMIN
 *   EMFILE, ENFILE, ENOMEM, E2BIG, EFAULT
 */
struct perfaux_kept {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: 0 or PERFAUX_KEPT_* */
	__u32	state;			/* out: enum perfaux_kept_state, after the call */
	__u32	reserved;
	__u64	region_size;		/* out: bytes; 0: there is no region */
};

#define PERFAUX_KEPT_SIZE_V0	24

#define PERFAUX_KEPT_OPEN	_BITUL(0)
/* Clear the region: data of an earlier boot is gone. Takes as long as to write to all of it. */
#define PERFAUX_KEPT_WIPE	_BITUL(1)

enum perfaux_kept_state {
	PERFAUX_KEPT_NONE	= 0,	/* there is no region */
	PERFAUX_KEPT_EMPTY	= 1,
	PERFAUX_KEPT_USED	= 2,	/* has a ring of this boot, or a process has opened it */
	PERFAUX_KEPT_FULL	= 3,	/* has data of an earlier boot */
};

/*
 * PERFAUX_IOC_IDS (on the device): while the returned descriptor is open, every
 * PERF_RECORD_MMAP2 that the kernel writes for an event with attr.build_id has the build-id
 * of the mapped file. This holds for all users of perf:
 *
 *   - An executable mapping has its id whether or not the file's pages are cached, or a
 *     notice delivers the id later (see PERFAUX_NOTICE_LATE_ID). The module reads a file
 *     only for an executable mapping whose record such an event takes.
 *   - Any other mapping has its id if it can be read from cached pages.
 *
 * The module parameter build_ids=1 does the same permanently. Without a descriptor, the
 * kernel's own parser runs, as it does without the module.
 *
 * If one event asks for ids, Linux 6.1 leaves PERF_RECORD_MISC_MMAP_BUILD_ID in the records
 * of events that do not. While a descriptor is open, the module removes this bit, for all
 * users of perf.
 *
 * The descriptor delivers notices: ids, and other facts, that do not fit into a record.
 * read() returns as many whole notices as fit. If there is none, read() waits for one, also
 * while another thread reads (EAGAIN with O_NONBLOCK; EINTR). Further errors of read():
 * EINVAL if the first notice does not fit; ENOMEM; EFAULT. poll() reports EPOLLIN when there
 * is a notice.
 *
 * If the caller has CAP_PERFMON or CAP_SYS_ADMIN when it opens the descriptor, notices and
 * counters are about all tasks. Otherwise they are about tasks of the caller's user, but not
 * about programs that have more rights than this user (setuid) or that the user may not read.
 *
 * Returns the descriptor, with O_CLOEXEC.
 *
 * Errors:
 *   EINVAL	size below PERFAUX_IDS_SIZE_V0; flags or reserved not 0;
 *		queue_size above 1 MiB or, if not 0, below 8 KiB
 *   EACCES	perf_event_open() would not let the caller open any event
 *		(kernel.perf_event_paranoid above 2, where the kernel has that, without
 *		CAP_SYS_ADMIN), or the error that an LSM returns
 *   EOPNOTSUPP	this kernel has no parser that the module can redirect
 *   EMFILE	the caller's user has 64 such descriptors, or the process has no descriptor
 *		left. In a user namespace, the descriptors count for the user who made the
 *		namespace (if namespaces are nested, the outermost one). Descriptors for all
 *		tasks are counted separately
 *   ENFILE, ENOMEM, E2BIG, EFAULT
 */
struct perfaux_ids {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: 0 */
	__u32	queue_size;		/* in: bytes for notices, 0: 64 KiB */
	__u32	reserved;
};

#define PERFAUX_IDS_SIZE_V0	16

/*
 * PERFAUX_IOC_IDS_STATS (on the descriptor of PERFAUX_IOC_IDS): get the counters since the
 * descriptor was opened. They count executable mappings of files, and mappings of [vdso],
 * if an event with attr.build_id takes their record.
 *
 * Errors: EINVAL (size below PERFAUX_IDS_STATS_SIZE_V0); E2BIG; EFAULT.
 */
struct perfaux_ids_stats {
	__u32	size;			/* in: of this struct */
	__u32	pending;		/* out: DEFERRED mappings without an answer */
	/* out: mappings per enum perfaux_no_id; [PERFAUX_ID_FOUND]: id is in the record */
	__u64	results[16];
	/* out: the later answers for the mappings in results[PERFAUX_ID_DEFERRED] */
	__u64	late[16];
	__u64	cached;			/* out: in results, but without reading a file */
	__u64	notices;		/* out: queued */
	__u64	notices_lost;		/* out: the queue was full */
	__u64	long_ids;		/* out: ids of more than 20 bytes */
};

#define PERFAUX_IDS_STATS_SIZE_V0	296

enum perfaux_notice_type {
	/*
	 * The id of a mapped file, which the module read after the mapping's record
	 * was written. There are two reasons for this. The file system may wait for a
	 * user's program or for a network (FUSE, NFS, 9p, CIFS ...). Or the id
	 * requires more work than the module does while others wait: more than 16
	 * pages that are not cached, more than 12 ms for such pages (the module
	 * parameter disk_us; the first page is always read), more than 64 pages, or
	 * more than 16384 reads.
	 */
	PERFAUX_NOTICE_LATE_ID	= 1,
	/* An id of more than 20 bytes: the record has only the first 20. */
	PERFAUX_NOTICE_LONG_ID	= 2,
	/*
	 * A kernel module was loaded: start and length of its text, its name, its
	 * id. If the module's init failed, the notice comes when the module goes, and
	 * has no id. start is 0 if the kernel is locked down for confidentiality.
	 */
	PERFAUX_NOTICE_MODULE	= 3,
};

struct perfaux_notice {
	__u32	size;			/* of the whole notice, a multiple of 8 */
	__u16	type;			/* enum perfaux_notice_type */
	__u16	id_size;		/* bytes; 0: no id */
	__u64	time;			/* when the file was mapped or the module
					 * loaded, by perf's own clock
					 */
	/* numbers in the reader's pid namespace; 0: the task is not in it; -1: the kernel */
	__u32	pid;
	__u32	tid;
	__u64	start;			/* of the mapping or module */
	__u64	length;
	__u64	pgoff;			/* of the mapping in the file, bytes */
	__u64	ino;
	__u64	generation;		/* of the inode */
	__u32	major;			/* of the file's device */
	__u32	minor;
	__u32	name_offset;		/* bytes from the start of the notice */
	__u32	name_size;		/* with its NUL; the name is that of the record */
	__u8	id[];			/* id_size bytes; a longer id is cut to 256 */
};

#define PERFAUX_IOC_MAGIC	0xBC
#define PERFAUX_IOC_INFO	_IO(PERFAUX_IOC_MAGIC, 0)
#define PERFAUX_IOC_CREATE	_IO(PERFAUX_IOC_MAGIC, 1)
#define PERFAUX_IOC_ATTACH	_IO(PERFAUX_IOC_MAGIC, 2)
#define PERFAUX_IOC_DETACH	_IO(PERFAUX_IOC_MAGIC, 3)
#define PERFAUX_IOC_FLUSH	_IO(PERFAUX_IOC_MAGIC, 4)
#define PERFAUX_IOC_IDS		_IO(PERFAUX_IOC_MAGIC, 5)
#define PERFAUX_IOC_IDS_STATS	_IO(PERFAUX_IOC_MAGIC, 6)
#define PERFAUX_IOC_HANDLE	_IO(PERFAUX_IOC_MAGIC, 7)
#define PERFAUX_IOC_HOLD	_IO(PERFAUX_IOC_MAGIC, 8)
#define PERFAUX_IOC_THAW	_IO(PERFAUX_IOC_MAGIC, 9)
#define PERFAUX_IOC_UNHOLD	_IO(PERFAUX_IOC_MAGIC, 10)
#define PERFAUX_IOC_KEPT	_IO(PERFAUX_IOC_MAGIC, 11)

/*
 * poll() on a ring:
 *   EPOLLIN	create.watermark segments are READY; or an entry of the gap table is valid;
 *		or PERFAUX_CTL_STARVED is set and one segment is READY
 *   EPOLLPRI	an overwrite ring is frozen, see "Triggers"
 *   EPOLLHUP	events were attached, and none is attached any more
 *
 * An overwrite ring does not report EPOLLIN for READY segments.
 */

/* Why data is missing: index of control.lost_*[], and value of perfaux_gap.cause. */
enum perfaux_cause {
	PERFAUX_CAUSE_NONE	= 0,
	/* No segment was free: the reader is too slow, or the ring is too small. */
	PERFAUX_CAUSE_FULL	= 1,
	/* The PMU reports that it lost data (PERF_AUX_FLAG_TRUNCATED). */
	PERFAUX_CAUSE_TRUNCATED	= 2,
	/* A writer of an overwrite ring took the oldest segment. No gap entry. */
	PERFAUX_CAUSE_OVERWRITTEN = 3,
	/*
	 * The PMU wrote more than its room. No gap entry: the span has
	 * PERF_AUX_FLAG_TRUNCATED.
	 */
	PERFAUX_CAUSE_OVERRUN	= 4,
	/*
	 * A gap found no entry in the gap table. Its time is within
	 * control.merged_begin..merged_end. Its bytes count here and under the gap's
	 * own cause.
	 */
	PERFAUX_CAUSE_NO_GAP	= 5,
	/* A frame is longer than a segment. The frame of a sample has no gap entry. */
	PERFAUX_CAUSE_TOO_LARGE	= 6,
	/* A frame was reserved and never committed, see PERFAUX_FLUSH_ABANDON. */
	PERFAUX_CAUSE_ABANDONED	= 7,
	/* A trigger has frozen the ring, see "Triggers". */
	PERFAUX_CAUSE_FROZEN	= 8,
	PERFAUX_NR_CAUSES	= 9,	/* control has room for 16 */
};

/*
 * Why a mapping has no build-id. If several of NO_NOTE, NOT_ELF, TRUNCATED and TOO_LARGE
 * apply, the module reports the one with the greatest number.
 */
enum perfaux_no_id {
	PERFAUX_ID_FOUND	= 0,
	/* The file is a sound ELF file without a build-id. */
	PERFAUX_ID_NO_NOTE	= 1,
	/* The file is not ELF, or its headers have an unknown kind or size. */
	PERFAUX_ID_NOT_ELF	= 2,
	/*
	 * A header, a segment or a section extends beyond the end of the file, or a
	 * note beyond the end of its segment or section.
	 */
	PERFAUX_ID_TRUNCATED	= 3,
	/*
	 * The module could not read the file (an I/O error, no memory), or too many
	 * mappings already wait for late ids.
	 */
	PERFAUX_ID_UNREADABLE	= 4,
	/*
	 * The file has more headers or notes than the module looks at: 131072
	 * headers, 131072 notes, 65536 notes in one segment or section.
	 */
	PERFAUX_ID_TOO_LARGE	= 5,
	/* The id is not known yet: a worker reads the file, and a notice comes. */
	PERFAUX_ID_DEFERRED	= 6,
	PERFAUX_NR_ID_RESULTS	= 7,
};

/* struct perfaux_control.flags */
#define PERFAUX_CTL_STARVED	_BITUL(0)	/* an event found no segment */
#define PERFAUX_CTL_FROZEN	_BITUL(1)	/* see "Triggers" */

struct perfaux_control {
	__u32	size;			/* of this struct */
	__u32	abi;			/* PERFAUX_ABI */
	__u32	flags;			/* PERFAUX_CTL_* */
	__u32	ring_flags;		/* PERFAUX_RING_* as created */
	__u32	segment_size;		/* bytes */
	__u32	nr_segments;
	__u32	spans_per_segment;
	__u32	nr_gaps;
	__u32	watermark;
	__u32	pmu_type;		/* of the attached events; 0: none yet */
	/* offsets, in bytes from the start of this struct */
	__u64	segments_offset;
	__u64	spans_offset;
	__u64	gaps_offset;
	__u64	data_offset;		/* a multiple of the page size */
	/* counters since CREATE */
	__u64	seq;			/* last number given to a span or gap */
	__u64	claims;			/* segments taken into use */
	__u64	spans;			/* spans that ended with data or with flags */
	__u64	bytes;			/* bytes in these spans */
	__u64	skipped;		/* bytes that PMUs skipped to align */
	__u64	gaps;			/* gaps, also those without an entry */
	__u64	merged_begin;		/* see PERFAUX_CAUSE_NO_GAP; 0: none */
	__u64	merged_end;
	__u64	key;			/* of this ring's references */
	/* committed frames in READY segments, and the bytes of their data */
	__u64	frames;
	__u64	frame_bytes;
	__u64	triggers;		/* number of samples of triggers */
	/* time of the sample that froze the ring; valid after load-acquire of flags */
	__u64	frozen_time;
	__u64	lost_count[16];		/* per cause: how often */
	__u64	lost_bytes[16];		/* per cause: bytes, where known */
	__u64	frozen_cookie;		/* of the event that froze the ring */
	/*
	 * Offsets, as above, see "How to find what is new". An older module does not have the
	 * fields from here on: its control.size is smaller, and other data is in their place.
	 */
	__u64	order_offset;		/* u64[order_size] */
	__u64	open_offset;		/* u64[], a bit for each segment */
	__u64	order_size;		/* a power of two */
	/* claims of segments whose memory is on another NUMA node than the CPU */
	__u64	far_claims;
};

/*
 * An entry of the order table: the number with which a segment became READY (its ready_seq), and
 * the index of the segment. 0: no entry
 */
#define PERFAUX_ORDER_SEQ(entry)	((__u64)(entry) >> 12)
#define PERFAUX_ORDER_SEGMENT(entry)	((__u32)((entry) & 0xfff))

enum perfaux_state {
	PERFAUX_SEG_FREE	= 0,
	PERFAUX_SEG_CLAIMED	= 1,
	PERFAUX_SEG_BUSY	= 2,
	PERFAUX_SEG_IDLE	= 3,
	PERFAUX_SEG_READY	= 4,
	PERFAUX_SEG_HELD	= 5,
};

/* struct perfaux_segment.state: enum perfaux_state and a sequence number */
#define PERFAUX_STATE(s)	((__u32)((s) & 0xff))
#define PERFAUX_SEQ(s)		((__u64)(s) >> 8)

/* struct perfaux_segment.kind: what the segment contains */
enum perfaux_kind {
	PERFAUX_KIND_SPANS	= 0,
	PERFAUX_KIND_FRAMES	= 1,
};

/*
 * Order of segments: everything in a segment had ended before t_active of each segment with
 * a higher ready_seq. (This assumes that the ring's clock is the same on all CPUs and never
 * goes back.)
 *
 * So take a row of segments whose ready_seq have no hole. The row contains all spans and
 * frames that ended between t_active of its first segment and t_active of its last one,
 * except those in segments that writers were still using. With PERFAUX_FLUSH_SPANS, the
 * exceptions are spans with numbers above perfaux_hold.seq, and frames that wait until an
 * earlier frame is committed.
 *
 * Nothing is missing between two HOLDs if the second row begins with the ready_seq that
 * follows the first row, or with a lower one. Spans that the reader ignored because of
 * their number count as missing.
 */
struct perfaux_segment {
	__u64	state;			/* PERFAUX_STATE(), PERFAUX_SEQ() */
	__u32	nr_spans;
	__u32	cpu;			/* of the last writer */
	__u64	t_active;		/* BUSY: begin of the span that a PMU is
					 * writing, 0: none; READY, HELD: when
					 * the segment became READY, see above
					 */
	__u64	used;			/* bytes, including skipped ones; with
					 * frames: valid when READY
					 */
	__u64	ready_seq;		/* order in which segments became READY */
	__u64	bytes;			/* in spans or committed frames */
	__u64	frames_end;		/* bytes, see "Raw samples" */
	__u32	kind;			/* enum perfaux_kind */
	__u32	nr_frames;		/* committed frames */
};

struct perfaux_span {
	__u64	seq;
	__u64	t_begin;
	__u64	t_end;
	__u64	cookie;			/* of the attached event */
	__u32	offset;			/* bytes, from the segment's start */
	__u32	length;			/* bytes; 0 if there are only flags */
	/* numbers as in perf's records; -1 if the event is that of a CPU */
	__u32	pid;
	__u32	tid;
	__u32	cpu;
	__u32	flags;			/* PERF_AUX_FLAG_* */
	__u64	reserved;		/* 0, or the sum of a kept ring's span */
};

/* PERFAUX_STATE() of struct perfaux_frame.state. PERFAUX_SEQ() is the segment's. */
enum perfaux_frame_state {
	PERFAUX_FRAME_RESERVED	= 1,	/* being written */
	PERFAUX_FRAME_COMMITTED	= 2,
	PERFAUX_FRAME_DISCARDED	= 3,	/* its writer discarded it */
	PERFAUX_FRAME_ABANDONED	= 4,	/* see PERFAUX_FLUSH_ABANDON */
};

struct perfaux_frame {
	__u64	state;			/* PERFAUX_STATE(), PERFAUX_SEQ() */
	__u32	length;			/* of the data that follows, bytes */
	__u32	flags;			/* PERFAUX_FRAME_* */
	__u64	cookie;			/* of the attached event or producer */
	__u64	time;
	__u32	cpu;
	/* of the task that ran: numbers as in perf's records */
	__u32	pid;
	__u32	tid;
	__u32	segment;		/* index of the frame's segment */
	__u8	data[];
};

/* There is a sample with a reference to the frame. */
#define PERFAUX_FRAME_SAMPLE	_BITUL(0)

/* A sample has this in place of its raw data. It is not aligned there. */
struct perfaux_reference {
	__u64	key;			/* control.key */
	__u64	segment_seq;		/* PERFAUX_SEQ() of the segment's state */
	__u32	segment;		/* index */
	__u32	offset;			/* of the frame in the segment, bytes */
	__u64	length;			/* of the data, bytes */
	__u64	lost;			/* bytes of lost data, or 0 */
	__u32	cause;			/* of the loss, enum perfaux_cause */
} __attribute__((packed));

struct perfaux_gap {
	__u64	seq;			/* 0: not valid */
	__u64	t_begin;
	__u64	t_end;			/* end of the last lost span; if that
					 * is not known, when data of the
					 * event or thread flowed again, when
					 * another gap began on this CPU, or
					 * the time of the FLUSH
					 */
	__u64	cookie;
	__u32	cpu;
	__u32	cause;			/* enum perfaux_cause */
	/* of the task that ran when the gap began; -1 if the event is that of a CPU */
	__u32	pid;
	__u32	tid;
	__u64	count;			/* attempts to write during the gap */
	__u64	bytes;			/* lost during the gap */
};

/* --- kept rings ------------------------------------------------------------------------- */

#define PERFAUX_KEPT_MAGIC	"perfaux1"

/* The start of the region. All offsets are in bytes from there. */
struct perfaux_kept_header {
	__u8	magic[8];		/* PERFAUX_KEPT_MAGIC, without a NUL */
	__u32	size;			/* of this struct */
	__u32	abi;			/* PERFAUX_ABI */
	__u64	region_size;
	__u64	key;			/* random, and another one for each ring */
	__u32	segment_size;
	__u32	nr_segments;
	__u32	spans_per_segment;
	__u32	nr_gaps;
	__u64	realtime;		/* when the ring was made: ns since 1970 */
	__u64	stop_offset;		/* of struct perfaux_stop */
	__u64	tables_offset;		/* of struct perfaux_control, and what follows it */
	__u64	tables_size;
	__u64	segments_offset;	/* from the region's start, too */
	__u64	spans_offset;
	__u64	gaps_offset;
	__u64	marks_offset;
	__u64	opens_offset;
	__u64	gap_sums_offset;
	__u64	user_offset;
	__u64	user_size;
	__u64	data_offset;
	__u64	data_size;
	__u64	sum;
};

/*
 * A segment's newest span. Use this entry only if its sum is right, and if the entry with the same
 * index in the table of spans is not valid: the span has not ended then.
 */
struct perfaux_open {
	__u64	t_begin;
	__u64	cookie;
	__u32	offset;			/* bytes, from the segment's start */
	__u32	index;			/* of the entry that the span will have */
	__u32	pid;
	__u32	tid;
	__u32	cpu;
	__u32	reserved;		/* 0 */
	__u64	zero[2];
	__u64	sum;
};

enum perfaux_stop_cause {
	PERFAUX_STOP_NONE	= 0,	/* no notifier was called, as in a reset */
	PERFAUX_STOP_PANIC	= 1,
	PERFAUX_STOP_RESTART	= 2,	/* reboot(2), also by kexec */
	PERFAUX_STOP_HALT	= 3,	/* or power off */
};

/* How the machine stopped. Valid if the sum is right and the cause is not NONE. */
struct perfaux_stop {
	__u32	cause;			/* enum perfaux_stop_cause */
	__u32	cpu;
	__u64	time;			/* by the ring's clock; 0: it had none */
	__u8	message[240];		/* of the panic, NUL-terminated, cut if longer */
	__u64	sum;
};

/* Mix one word into a sum. The factor is 2^64 divided by the golden ratio. */
static inline __u64 perfaux_kept_mix(__u64 sum, __u64 word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15ULL;
	return sum ^ sum >> 32;
}

static inline __u64 perfaux_kept_sum(__u64 sum, const void *words, __u32 nr)
{
	const __u64 *word = (const __u64 *)words;
	__u32 i;

	for (i = 0; i < nr; i++)
		sum = perfaux_kept_mix(sum, word[i]);
	return sum;
}

/* @use is PERFAUX_SEQ() of the segment's state, or the number of a gap. */
static inline __u64 perfaux_kept_start(__u64 key, __u64 use, __u32 segment, __u32 index)
{
	return perfaux_kept_mix(perfaux_kept_mix(key, use), (__u64)segment << 32 | index);
}

#endif /* _UAPI_PERFAUX_H */
