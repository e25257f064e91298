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
 * The second thing that goes to a ring is the raw data of samples
 * (PERF_SAMPLE_RAW), of any length: see "Raw samples".
 *
 * Besides, the module puts ELF build-ids into perf's mmap records, see
 * PERFAUX_IOC_IDS.
 *
 * Memory of a ring
 * ================
 *
 * Two mappings, each of exactly the offset and length that CREATE returned:
 *
 *   marks (read-write)   u64 segment_mark[nr_segments], then
 *                        u64 gap_mark[nr_gaps]
 *   ring  (read-only)    struct perfaux_control at 0, and at the offsets that
 *                        it gives: struct perfaux_segment[nr_segments],
 *                        struct perfaux_span[nr_segments][spans_per_segment],
 *                        struct perfaux_gap[nr_gaps], and the data of the
 *                        segments, nr_segments runs of segment_size bytes
 *
 * All numbers are in the machine's byte order. The pages are ordinary memory:
 * O_DIRECT writes, vmsplice() and process_vm_readv() work on them. As with
 * perf's own rings a mapping is not inherited by fork(); the file descriptor
 * can be handed on (fork, SCM_RIGHTS) and mapped again there.
 *
 * Segments
 * ========
 *
 * A segment is written by one writer at a time. Its life:
 *
 *   FREE -> CLAIMED -> BUSY <-> IDLE -> READY [-> HELD] -> FREE
 *
 *   FREE     nobody's
 *   CLAIMED  being made ready for a writer; look away
 *   BUSY     a PMU writes to it; the spans that have ended can be read
 *   IDLE     has room left, but no PMU writes to it now; the spans can be
 *            read, any CPU may go on writing to it
 *   READY    published: it is the reader's until released
 *   HELD     READY in an overwrite ring, and taken by PERFAUX_IOC_HOLD, perhaps at
 *            the moment it was published: it is not overwritten before it is released
 *
 * The reader releases a READY or HELD segment by storing the segment's sequence number
 * into segment_mark[i]; a mark with any other value means nothing. So a mark
 * that is late or wrong can never free a segment that was filled again. In an
 * overwrite ring the kernel also takes the oldest READY segment when it needs
 * one.
 *
 * A *span* is what one begin..end of a PMU wrote: for a task's event usually
 * one time slice. A span's entry is valid once nr_spans (load-acquire) covers
 * it and does not change afterwards.
 *
 * A *gap* is a time in which an attached event ran, but its data had no place
 * to go or was not produced: it has a cause, a begin and an end. When no segment
 * is free, the PMU writes to memory that is thrown away, so that the gap's bytes
 * are known and the event goes on: bytes that the PMU wrote are bytes in spans
 * plus bytes in gaps plus bytes overwritten. Only if several events of a ring
 * find no segment on one CPU at the same time, the second one's PMU is told
 * that it cannot start; its gap has bytes 0. An entry of
 * the gap table is valid if its seq (load-acquire) is not 0 and gap_mark[i]
 * differs from it; storing seq in gap_mark[i] releases the entry.
 *
 * Spans and gaps share one sequence, 1, 2, 3 ... per ring, in the order in
 * which they ended. A reader that takes them in this order, and waits for the next
 * number to appear, has every thread's and every CPU's data in order of time; a
 * number that never appears is a loss (in an overwrite ring: overwritten,
 * and counted).
 *
 * PMUs
 * ====
 *
 * A ring takes the AUX data of a PMU only if the PMU's driver is known to work with it.
 * perf's AUX area is one buffer for as long as the event lives; with a ring each
 * perf_aux_output_begin() may return another one. A driver must
 *
 *   - take all that it knows of the buffer from what begin returned last,
 *   - write nothing to the buffer after perf_aux_output_end(),
 *   - stop without the core's help when there is no room, and start again.
 *
 * Of the kernel's own drivers (by the name of the PMU) these were read with that in mind:
 *
 *   intel_pt	allowed, as is softpt, whose PMU has that name
 *   intel_bts	refused: it takes its position from the last use of the area
 *   arm_spe_N	refused: it relies on perf to disable the event when there is no room
 *   hisi_pttN	refused: likewise
 *   cs_etm	refused: CoreSight's TRBE goes on writing to the buffer that it began
 *		with, also when that buffer has been published
 *   cpum_sf	refused: likewise
 *
 * Every other PMU is refused, unless its driver declares that it keeps these rules: with
 * an attribute "raw_ring" in the group "caps" of pmu->attr_groups, which is the file
 * /sys/bus/event_source/devices/NAME/caps/raw_ring and should read 1. The PMUs of this
 * project's tests do so.
 *
 * perf pauses and resumes AUX output (attr.aux_start_paused, and attr.aux_pause and
 * attr.aux_resume of other events of the group) only if the event has a main ring, mapped
 * or by PERF_EVENT_IOC_SET_OUTPUT: perf_event_aux_pause() does nothing without one. So an
 * event that is paused or resumed by others needs its main ring before ATTACH, for as long
 * as it is attached. An event of the group that is opened after ATTACH has no such check:
 * without a main ring it pauses nothing, and the output goes on.
 *
 * Raw samples
 * ===========
 *
 * PERFAUX_IOC_ATTACH with PERFAUX_ATTACH_RAW sends what the samples of an event
 * have as PERF_SAMPLE_RAW to the ring, as a *frame*. The sample itself goes where
 * it always goes; in place of the raw data it has a struct perfaux_reference of
 * exactly that size. A raw area of that size whose key is control.key is a
 * reference; anything else is the raw data itself: a sample that could not be
 * intercepted keeps what it had.
 *
 * Segments of the kind PERFAUX_KIND_FRAMES have frames, and no spans. A frame is a
 * struct perfaux_frame and behind it its data; the next one begins at the next
 * multiple of 8. Frames are written by any context on any CPU at the same time.
 * The first segment.frames_end bytes (load-acquire) consist of whole frames, none
 * of which changes any more; so do all segment.used bytes of a READY segment.
 * Frames that are not COMMITTED have no data to be read.
 *
 * A sample is written after its frame is committed. So the reference of a sample
 * that was found in the event's own ring can be followed at once, even behind
 * frames_end: compare PERFAUX_SEQ(segment.state) with reference.segment_seq, copy
 * or use the data, and, in an overwrite ring, compare again. If it differs the data
 * were overwritten.
 *
 * The other way round, the sample of a frame may not have come yet, or may be lost
 * (the event's own ring was full). PERFAUX_IOC_FLUSH returns after all samples of
 * frames that were committed before the call are in their rings, or lost: a frame
 * whose sample is not in what is read from these rings after that has none.
 *
 * Of a sample whose data found no room the reference has length 0, a cause, and the
 * length that was lost, which is counted in control.lost_*[] too.
 *
 * Producers in the kernel
 * =======================
 *
 * Other modules (module/perfaux.h) write frames of their own, without
 * PERFAUX_FRAME_SAMPLE: there is no sample. They may be in the same segments as those
 * of samples, and need no attached event. The cookie is the producer's; pid and tid
 * are numbers in the pid namespace of the ring's creator.
 *
 * What of them finds no room, or is longer than a segment, is counted in
 * control.lost_*[], and is in gaps with that cookie: their count, bytes and time are
 * those of the frames that were lost. If an event and a producer share a cookie they
 * share gaps too.
 *
 * A frame may stay RESERVED for as long as its producer likes; its segment is not
 * READY before, nor does frames_end move on. PERFAUX_FLUSH_ABANDON ends that. Memory
 * of the ring (see "Locked memory") stays until its producers let go of it.
 *
 * Programs of BPF
 * ===============
 *
 * A program that has the number which PERFAUX_IOC_HANDLE returns, in its code or a
 * map, writes records of any length to the ring, with these functions of the module
 * (kfuncs; perfaux.ko's BTF has them):
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
 * perfaux_write_dynptr() is there from 6.11 on: before, the verifier took any memory for
 * a dynptr. The first two return 0, -ENOENT (no ring has that handle, or its last descriptor and
 * mapping are gone), -ENOSPC (no segment was free) or -E2BIG (longer than a segment);
 * of the dynptr also -EINVAL (offset and length are not in it) or -EOPNOTSUPP (it is
 * not of local memory or of a record of BPF's ring buffer). perfaux_record_reserve()
 * returns NULL for each of these. Every record that it returns is to be committed or
 * discarded, or the verifier refuses the program. perfaux_record_data() returns the
 * first rdwr_buf_size bytes, a constant, of a record of that length or more, else NULL.
 * struct perfaux_record is struct perfaux_frame without the data, and is read only.
 * perfaux_write() also returns -EINVAL if data is NULL and data__sz is not 0, where the
 * verifier has let that pass (6.1).
 *
 * All types of programs may call them (from 6.9 on, before: tracing, LSM and syscall),
 * in any context; what a program may do is decided when it is loaded. The handle is
 * random, but no secret: who may load programs may write to any ring.
 *
 * How to read (not an overwrite ring)
 * ===================================
 *
 * For every segment: s = load-acquire(state). If the state is BUSY, IDLE or
 * READY, n = load-acquire(nr_spans), and load state again: if its PERFAUX_SEQ
 * changed, the segment is in use anew and n is not to be trusted; look again
 * later. Take spans [taken, n), where taken starts at 0 for each new
 * PERFAUX_SEQ(s). For every gap entry as above. Sort what you have by seq and
 * consume it as far as there is no number missing. When the state was READY
 * *before* nr_spans was read and all spans are consumed, release the segment,
 * with a store-release, so that no read of the data comes after it. If
 * PERFAUX_CTL_STARVED is set in control.flags after releasing, call poll() or
 * PERFAUX_IOC_FLUSH: either restarts events that found no segment.
 *
 * How to read an overwrite ring
 * =============================
 *
 * PERFAUX_IOC_HOLD takes what is there, while the events go on in other segments: read
 * the HELD segments, sort their spans by seq, and give them back: to the writers by
 * releasing them, or to the ring's history by PERFAUX_IOC_UNHOLD. Or detach (or disable)
 * the events, FLUSH, and read as above. Or, while events run, copy a READY segment and
 * its spans, then read state again; if it changed, what was copied is invalid.
 *
 * Triggers
 * ========
 *
 * An event that is attached with PERFAUX_ATTACH_TRIGGER freezes an overwrite ring when it
 * has a sample: at once, in the context of the sample. From then on no more than
 * attach.post segments are overwritten, and those that were about to be at that moment,
 * at most one per CPU (or per context there that was interrupted by another); when these
 * are used up, and there is no free one, what is written is lost, with the cause FROZEN.
 * PERFAUX_CTL_FROZEN is set in control.flags, poll() reports EPOLLPRI, and
 * control.frozen_time and frozen_cookie are of the sample. It goes on so until
 * PERFAUX_IOC_THAW: HOLD what is wanted before that. Samples of triggers while the ring
 * is frozen are counted, in control.triggers, and change nothing else.
 *
 * Times
 * =====
 *
 * All times are nanoseconds of the clock of the attached events (perf's
 * attr.use_clockid and attr.clockid; by default perf's own clock), so they
 * compare with PERF_SAMPLE_TIME in the main ring. A ring that gets a producer before
 * its first event has perf's own clock.
 *
 * Errors of mmap()
 * ================
 *
 *   EINVAL	offset or length is not that of one of the two mappings, or
 *		MAP_PRIVATE
 *   EACCES	PROT_WRITE on the ring; PROT_EXEC (EPERM where the core itself
 *		refuses it first, as newer kernels do)
 *
 * Locked memory
 * =============
 *
 * The memory of both mappings, and a page per possible CPU, counts against the
 * RLIMIT_MEMLOCK of the creator's user (CAP_IPC_LOCK is exempt); the driver's
 * tables, per CPU and segment, do not. It is given back when the ring's last
 * descriptor and mapping are gone, no PMU writes to it any more, and no producer in
 * the kernel has a reference to it.
 *
 * While a process has the mappings, their memory is part of its VmPin in
 * /proc/PID/status, as that of perf's own rings can be.
 *
 * Counters
 * ========
 *
 * The control page has them, read them at any time. They are also in
 * /proc/PID/fdinfo/N of the ring's descriptor, one "name:\tvalue" per line.
 *
 * Extending structures
 * ====================
 *
 * Each argument starts with its size as the caller knows it. A shorter
 * structure is completed with zeros, a longer one is accepted if the tail that
 * the kernel does not know is zero (else E2BIG). Unknown flags are EINVAL.
 * Reserved fields must be 0 (EINVAL).
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
};

#define PERFAUX_INFO_SIZE_V0	40

/*
 * PERFAUX_IOC_CREATE (on the device): make a raw ring.
 *
 * Returns the ring's file descriptor, with O_CLOEXEC.
 *
 * Errors:
 *   EINVAL	size below PERFAUX_CREATE_SIZE_V0; unknown flags; segment_size
 *		not a power of two or out of range; nr_segments,
 *		spans_per_segment or watermark out of range; a reserved field
 *		or an out field is not 0
 *   E2BIG	a longer struct with a tail that is not zero
 *   EOVERFLOW	the sizes do not fit a mapping
 *   EPERM	RLIMIT_MEMLOCK is exceeded and the caller lacks CAP_IPC_LOCK
 *   ENOMEM	not so much memory
 *   EINTR	a fatal signal came while memory was being allocated
 *   EMFILE, ENFILE, EFAULT
 */
struct perfaux_create {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: PERFAUX_RING_* */
	/*
	 * in: bytes, a power of two from one page to 1 GiB. A segment is
	 * published when seven eighths of it (or all but 64 KiB) are used at
	 * the end of a span: the rest is for what a PMU writes until its
	 * interrupt is served. Intel PT loses data at the end of each segment
	 * of one page.
	 */
	__u32	segment_size;
	__u32	nr_segments;		/* in: 2 to 4096 */
	/*
	 * in: how many spans fit into one segment, 0: chosen from
	 * segment_size; 1 to 65536. A segment is published when either its
	 * room or its spans are used up.
	 */
	__u32	spans_per_segment;
	/*
	 * in: poll() reports EPOLLIN when so many segments are READY,
	 * 1 to nr_segments; 0: 1.
	 */
	__u32	watermark;
	__u64	reserved;
	__u64	marks_size;		/* out: bytes to map at offset 0 */
	__u64	ring_size;		/* out: bytes to map at marks_size */
};

#define PERFAUX_CREATE_SIZE_V0	48

/* When no segment is free, the oldest READY one is overwritten. */
#define PERFAUX_RING_OVERWRITE	_BITUL(0)

/*
 * PERFAUX_IOC_ATTACH (on a ring): from now on the AUX data of a perf event,
 * and of every child that it has or will inherit to, goes to this ring.
 *
 * The event may be of a task, of a task with attr.inherit, for cpu == -1 or
 * one CPU, or of a CPU. All events of a ring belong to one PMU and one clock.
 * Enable it after this. One that is enabled already starts writing at once if
 * its driver lets it be active without an output; Intel PT's does not, and is
 * asked again when a task's event is scheduled in the next time.
 *
 * The ring holds the event's file: as with a mapping of the event, closing the
 * descriptor does not end the event. Detach, or close the ring, first.
 *
 * Who has the descriptor of an event may attach it: the LSM that was asked when the event
 * was opened (security_perf_event_open()) is not asked again. RAW and TRIGGER have the
 * kernel's code patched, so for these the caller must be one who may open perf events.
 *
 * An event from which another one of its group takes AUX samples
 * (attr.aux_sample_size) stays with perf's own AUX area.
 *
 * Map the event's own ring, or redirect it with PERF_EVENT_IOC_SET_OUTPUT,
 * before the event is enabled: ring_buffer_attach() in the core stops the PMU
 * of an AUX event for that, and it starts again only when the event is
 * scheduled in anew, or with PERFAUX_IOC_FLUSH.
 *
 * Errors:
 *   EBADF	fd is not an open file
 *   EINVAL	fd is not a perf event; unknown flags, or RAW and TRIGGER; post out
 *		of range; TRIGGER on a ring without PERFAUX_RING_OVERWRITE; size below
 *		PERFAUX_ATTACH_SIZE_V0; the event's clock is not that of the ring's
 *		first event or producer; with RAW or TRIGGER: it cannot be read in
 *		an NMI (CLOCK_REALTIME, _BOOTTIME, _TAI)
 *   EOPNOTSUPP	the event's PMU has no AUX output, or is not allowed (see "PMUs"),
 *		or the event takes AUX samples (attr.aux_sample_size), or others are
 *		to pause or resume it and it has no main ring (attr.aux_start_paused;
 *		see "PMUs"); with PERFAUX_ATTACH_RAW: the event has no
 *		samples with PERF_SAMPLE_RAW; with PERFAUX_ATTACH_TRIGGER: it has no
 *		samples; with either: the kernel's functions that write samples cannot
 *		be redirected (the kernel's log says why)
 *   EXDEV	the ring's first event was of another PMU; not with
 *		PERFAUX_ATTACH_RAW or PERFAUX_ATTACH_TRIGGER
 *   EBUSY	the event is attached, to this ring or another one
 *   EMFILE	as many events are attached to this ring as RLIMIT_NOFILE allows
 *		descriptors; or the caller's user has attached as many to all rings,
 *		and the caller has neither CAP_SYS_RESOURCE nor CAP_SYS_ADMIN. In a
 *		user namespace the events count for who made the namespace, of nested
 *		ones the outermost.
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
	__u64	cookie;			/* in: handed back in spans and gaps */
};

#define PERFAUX_ATTACH_SIZE_V0	24

/*
 * Not the AUX data, but the raw data of the event's samples, and of those of all
 * that is inherited from it, see "Raw samples". For any PMU; with one clock, any
 * number of such events can share a ring, also with one PMU's AUX data.
 */
#define PERFAUX_ATTACH_RAW	_BITUL(0)

/*
 * Nothing of the event goes to the ring: each of its samples, and of those of what is
 * inherited from it, is a trigger, see "Triggers". For any PMU and any event that has
 * samples, and a ring with PERFAUX_RING_OVERWRITE. The event needs no ring of its own.
 */
#define PERFAUX_ATTACH_TRIGGER	_BITUL(1)

/*
 * PERFAUX_IOC_DETACH (on a ring): undo ATTACH. The spans that are being
 * written end; when the call returns nothing more is written for this event.
 * The event itself stays as it is, without output.
 *
 * Each call waits for an RCU grace period. With PERFAUX_DETACH_ALL one call does it for
 * all events of the ring, if there are any.
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
 * PERFAUX_IOC_FLUSH (on a ring): gaps that are still open end now and become
 * visible, IDLE segments and those of frames become READY if they have data (as
 * soon as the last frame is committed, if one is being written), events that found
 * no segment start again if there is one. If raw samples are attached, returns when
 * the samples of all frames that were committed before are written. May sleep.
 *
 * Errors: EINVAL; E2BIG; EFAULT.
 */
struct perfaux_flush {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: PERFAUX_FLUSH_* */
};

#define PERFAUX_FLUSH_SIZE_V0	8

/*
 * Also end the spans that are being written and begin new ones, so that the
 * data written so far can be read. Costs an interrupt on each CPU that
 * writes, and a moment without trace there.
 */
#define PERFAUX_FLUSH_SPANS	_BITUL(0)

/*
 * Also give up frames that were reserved and are not committed by now: they become
 * PERFAUX_FRAME_ABANDONED, are counted as such, and their segments become READY.
 * For the end of a recording: a program of BPF or a module that was interrupted
 * while it wrote loses that frame.
 */
#define PERFAUX_FLUSH_ABANDON	_BITUL(1)

/*
 * PERFAUX_IOC_HOLD (on a ring): FLUSH, and then take READY segments that are not released,
 * in the order in which they became READY, the last one first: they are HELD then, and
 * are not overwritten until the reader releases them. HELD segments stay HELD.
 * Not those that became READY before one that was overwritten, as between the two there
 * would be a hole: UNHOLD may leave such ones, if writers had to overwrite what came later.
 * (One that is HELD as its writer publishes it may have such a hole behind it, if the writer
 * was interrupted for that long: then there is a gap in ready_seq.)
 * With PERFAUX_FLUSH_SPANS that is all that was written before: each segment that is
 * written to is HELD, too, and its writer goes on in another one. Spans that began since
 * may be HELD or not; but all up to number seq are, as far as max allows and they were not
 * overwritten before HOLD began: a reader that leaves out later ones has no hole, and finds
 * them in the next HOLD.
 * Writers need segments too: a ring of which all are HELD loses what comes, with the
 * cause FULL. May sleep.
 *
 * Errors:
 *   EINVAL	size below PERFAUX_HOLD_SIZE_V0; unknown flags; PERFAUX_HOLD_THAW without
 *		PERFAUX_FLUSH_SPANS; held or seq not 0; not a ring with PERFAUX_RING_OVERWRITE
 *   ENOMEM	what was taken is given back, as by UNHOLD; the ring may have been thawed
 *   E2BIG, EFAULT (if the answer became unwritable meanwhile: as ENOMEM)
 */
struct perfaux_hold {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: PERFAUX_FLUSH_*, PERFAUX_HOLD_THAW */
	__u32	max;			/* in: how many segments, 0: all */
	__u32	held;			/* in: 0; out: how many were taken */
	__u64	seq;			/* in: 0; out: see above */
};

#define PERFAUX_HOLD_SIZE_V0	24

/*
 * With PERFAUX_FLUSH_SPANS: also THAW, if the ring is FROZEN, when what is READY is HELD,
 * and before the writers of the others need segments to go on in.
 */
#define PERFAUX_HOLD_THAW	_BITUL(8)

/*
 * PERFAUX_IOC_UNHOLD (on a ring): a segment that is HELD becomes READY again, of the age
 * that it had, for another HOLD or to be overwritten in its turn. (What the reader
 * releases is free at once, and lost for the next HOLD.)
 *
 * Errors:
 *   EINVAL	size below PERFAUX_UNHOLD_SIZE_V0; unknown flags; segment out of range;
 *		with PERFAUX_UNHOLD_ALL segment or seq not 0
 *   ENOENT	it is not HELD, or not in its use number seq, or is released; not with
 *		PERFAUX_UNHOLD_ALL
 *   E2BIG, EFAULT
 */
struct perfaux_unhold {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: PERFAUX_UNHOLD_* */
	__u32	segment;		/* in: index */
	__u32	reserved;		/* in: 0 */
	__u64	seq;			/* in: PERFAUX_SEQ() of its state */
};

/* All segments that are HELD and not released. */
#define PERFAUX_UNHOLD_ALL	_BITUL(0)

#define PERFAUX_UNHOLD_SIZE_V0	24

/*
 * PERFAUX_IOC_THAW (on a ring): segments are overwritten again, until the next trigger.
 *
 * Errors: EINVAL (size, flags); ENOENT (the ring is not frozen); E2BIG; EFAULT.
 */
struct perfaux_thaw {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: 0 */
};

#define PERFAUX_THAW_SIZE_V0	8

/*
 * PERFAUX_IOC_HANDLE (on a ring): the number by which programs of BPF name it, see
 * "Programs of BPF". The same each time. Never 0, and not that of another ring, also
 * of one that has gone, but for one of 2^32 chances.
 *
 * Errors:
 *   EINVAL	size below PERFAUX_HANDLE_SIZE_V0; flags or handle not 0; the ring's
 *		clock is one that cannot be read in an NMI
 *   EOPNOTSUPP	programs cannot call this module: it has no BTF, or the kernel does
 *		not take its functions (the kernel's log says which)
 *   ENOMEM	no memory to map the segments in one piece
 *   EBUSY	there are 2^31 rings with a handle
 *   E2BIG, EFAULT
 */
struct perfaux_handle {
	__u32	size;			/* in: of this struct */
	__u32	flags;			/* in: 0 */
	__u64	handle;			/* in: 0; out */
};

#define PERFAUX_HANDLE_SIZE_V0	16

/*
 * PERFAUX_IOC_IDS (on the device): as long as the returned descriptor is open,
 * every PERF_RECORD_MMAP2 that the kernel writes for an event with attr.build_id
 * carries the build-id of what is mapped, for all perf users: of a mapping that can
 * be executed whether the file's pages are cached or not, of any other mapping if
 * the cached pages have it. Only a mapping that can be executed, and whose record
 * such an event takes, makes the module read a file. (The module parameter
 * build_ids=1 does all that for good.) Without a descriptor the kernel's own parser
 * runs, as if the module were not there.
 *
 * Linux 6.1 leaves PERF_RECORD_MISC_MMAP_BUILD_ID in the records of events that did
 * not ask for an id, if another event did. As long as a descriptor is open the
 * module takes it out, for all perf users.
 *
 * What does not fit into the record comes as a notice, to be read from the
 * descriptor. read() returns whole notices, as many as fit; it waits for one if
 * there is none, and for whoever reads at the same time (EAGAIN with O_NONBLOCK; EINTR);
 * EINVAL: the first one does not fit; ENOMEM. poll() reports EPOLLIN when there is one.
 *
 * Notices and counters are of tasks of the caller's user, without programs that
 * have more rights than that (setuid) or that it may not read; of all tasks if the
 * caller has CAP_PERFMON or CAP_SYS_ADMIN when it opens the descriptor.
 *
 * Returns the descriptor, with O_CLOEXEC.
 *
 * Errors:
 *   EINVAL	size below PERFAUX_IDS_SIZE_V0; flags or reserved not 0;
 *		queue_size above 1 MiB or, if not 0, below 8 KiB
 *   EACCES	perf_event_open() would not let the caller open any event
 *		(kernel.perf_event_paranoid above 2, where the kernel has that, without
 *		CAP_SYS_ADMIN), or the error that an LSM returns
 *   EOPNOTSUPP	this kernel has no parser that could be redirected
 *   EMFILE	the caller's user has 64 of them, or no descriptor is left. In a user
 *		namespace it is not the caller who is counted but who made the namespace,
 *		of nested ones the outermost. Descriptors for all tasks are counted apart.
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
 * PERFAUX_IOC_IDS_STATS (on the descriptor of PERFAUX_IOC_IDS): counters since
 * it was opened. They count mappings that can be executed and have a file, and
 * [vdso], if an event with attr.build_id takes their record.
 *
 * Errors: EINVAL (size below PERFAUX_IDS_STATS_SIZE_V0); E2BIG; EFAULT.
 */
struct perfaux_ids_stats {
	__u32	size;			/* in: of this struct */
	__u32	pending;		/* out: DEFERRED ones without an answer */
	/* out: per enum perfaux_no_id; [PERFAUX_ID_FOUND]: id in the record */
	__u64	results[16];
	/* out: what became of those that are DEFERRED, likewise */
	__u64	late[16];
	__u64	cached;			/* out: of results, without reading */
	__u64	notices;		/* out: queued */
	__u64	notices_lost;		/* out: the queue was full */
	__u64	long_ids;		/* out: ids of more than 20 bytes */
};

#define PERFAUX_IDS_STATS_SIZE_V0	296

enum perfaux_notice_type {
	/*
	 * The id of a file whose mapping's record could not have it. Either the
	 * file system may wait for a user's program or a network (FUSE, NFS, 9p,
	 * CIFS ...), or finding the id takes more than the module does while others
	 * wait: 16 pages that are not cached, a second page that would come after
	 * 12 ms (the module parameter disk_us), or 64 pages. So the file was read
	 * after the mapping was made.
	 */
	PERFAUX_NOTICE_LATE_ID	= 1,
	/* A record has only the first 20 bytes of this id. */
	PERFAUX_NOTICE_LONG_ID	= 2,
	/*
	 * A kernel module: start and length of its text, its name, its id. If
	 * its init failed there is none: it comes when the module goes. start is 0
	 * if the kernel is locked down for confidentiality.
	 */
	PERFAUX_NOTICE_MODULE	= 3,
};

struct perfaux_notice {
	__u32	size;			/* of all, a multiple of 8 */
	__u16	type;			/* enum perfaux_notice_type */
	__u16	id_size;		/* bytes; 0: there is none */
	__u64	time;			/* of perf's own clock, when mapped or
					 * loaded
					 */
	__u32	pid;			/* in the reader's pid namespace, 0: */
	__u32	tid;			/* not in it; -1: of the kernel */
	__u64	start;			/* of the mapping or module */
	__u64	length;
	__u64	pgoff;			/* of the mapping in the file, bytes */
	__u64	ino;
	__u64	generation;		/* of the inode */
	__u32	major;			/* of the file's device */
	__u32	minor;
	__u32	name_offset;		/* bytes from the start of the notice */
	__u32	name_size;		/* with its NUL; as in the record */
	__u8	id[];			/* id_size bytes, 256 of a longer one */
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

/*
 * poll() on a ring:
 *   EPOLLIN	watermark segments are READY, or a gap entry is, or
 *		PERFAUX_CTL_STARVED is set and one segment is READY
 *   EPOLLHUP	events were attached and none is any more
 * An overwrite ring reports no EPOLLIN for READY segments.
 */

/* Why data is missing. Index of control.lost_*[], value of perfaux_gap.cause */
enum perfaux_cause {
	PERFAUX_CAUSE_NONE	= 0,
	/* no segment was free (reader too slow, or the ring too small) */
	PERFAUX_CAUSE_FULL	= 1,
	/* the PMU says that it lost data (PERF_AUX_FLAG_TRUNCATED) */
	PERFAUX_CAUSE_TRUNCATED	= 2,
	/* an overwrite ring took the oldest segment; counted, no gap entry */
	PERFAUX_CAUSE_OVERWRITTEN = 3,
	/*
	 * the PMU wrote more than it was given; counted, no gap entry; the span
	 * says PERF_AUX_FLAG_TRUNCATED
	 */
	PERFAUX_CAUSE_OVERRUN	= 4,
	/*
	 * a gap itself found no entry in the gap table; counted, and its time
	 * lies in control.merged_begin..merged_end. Its bytes count here and
	 * under its own cause.
	 */
	PERFAUX_CAUSE_NO_GAP	= 5,
	/* a frame is longer than a segment; that of a sample has no gap entry */
	PERFAUX_CAUSE_TOO_LARGE	= 6,
	/* a frame was reserved and never committed, see PERFAUX_FLUSH_ABANDON */
	PERFAUX_CAUSE_ABANDONED	= 7,
	/* a trigger has frozen the ring, see "Triggers" */
	PERFAUX_CAUSE_FROZEN	= 8,
	PERFAUX_NR_CAUSES	= 9,	/* control has room for 16 */
};

/*
 * Why a mapping has no build-id. When several causes apply, the greater number
 * of NO_NOTE, NOT_ELF, TRUNCATED and TOO_LARGE is the one that is told.
 */
enum perfaux_no_id {
	PERFAUX_ID_FOUND	= 0,
	/* a sound ELF file that has no build-id */
	PERFAUX_ID_NO_NOTE	= 1,
	/* no ELF file, or one with headers of a kind or size unknown to us */
	PERFAUX_ID_NOT_ELF	= 2,
	/* headers, a segment, or a note go on behind the end of the file */
	PERFAUX_ID_TRUNCATED	= 3,
	/*
	 * the file could not be read (an I/O error, no memory), or too many
	 * wait to be read late
	 */
	PERFAUX_ID_UNREADABLE	= 4,
	/*
	 * more headers or notes than are looked at: 131072 headers, 131072
	 * notes, 65536 of them in one segment or section
	 */
	PERFAUX_ID_TOO_LARGE	= 5,
	/* not known yet: a worker reads the file, the id comes later */
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
	__u32	pmu_type;		/* of the attached events, or 0 */
	/* bytes from the start of this struct */
	__u64	segments_offset;
	__u64	spans_offset;
	__u64	gaps_offset;
	__u64	data_offset;		/* a multiple of the page size */
	/* counters since CREATE */
	__u64	seq;			/* last number given to a span or gap */
	__u64	claims;			/* segments taken into use */
	__u64	spans;			/* spans that ended with data or flags */
	__u64	bytes;			/* bytes in these spans */
	__u64	skipped;		/* bytes a PMU skipped to align */
	__u64	gaps;			/* gaps, also those without an entry */
	__u64	merged_begin;		/* see PERFAUX_CAUSE_NO_GAP; 0: none */
	__u64	merged_end;
	__u64	key;			/* of this ring's references */
	/* committed frames and their data, as of the segments that are READY */
	__u64	frames;
	__u64	frame_bytes;
	__u64	triggers;		/* samples of triggers */
	/* of the trigger that froze the ring (PERFAUX_CTL_FROZEN, load-acquire) */
	__u64	frozen_time;
	__u64	lost_count[16];		/* per cause: how often */
	__u64	lost_bytes[16];		/* per cause: bytes, where known */
	__u64	frozen_cookie;
};

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

/* struct perfaux_segment.kind: what is in it */
enum perfaux_kind {
	PERFAUX_KIND_SPANS	= 0,
	PERFAUX_KIND_FRAMES	= 1,
};

/*
 * What is in a segment had ended before t_active of all that have a higher ready_seq, by the
 * ring's clock, as far as that is the same on all CPUs and does not go back. So in a row of
 * segments whose ready_seq have no gap are all spans and frames that ended between t_active of
 * the first and of the last one, but for those in segments that still were written to: with
 * PERFAUX_FLUSH_SPANS these are spans with numbers above perfaux_hold.seq, and frames that
 * wait for another one to be committed. Between two HOLDs nothing is missing if the second row
 * begins with the next ready_seq, or a lower one; spans that were left out for their number
 * count as missing.
 */
struct perfaux_segment {
	__u64	state;			/* PERFAUX_STATE(), PERFAUX_SEQ() */
	__u32	nr_spans;
	__u32	cpu;			/* of the last writer */
	__u64	t_active;		/* BUSY: begin of the span that is being
					 * written, 0: none is; READY, HELD:
					 * when it became READY, see above
					 */
	__u64	used;			/* bytes, including skipped ones; of
					 * frames: once it is READY
					 */
	__u64	ready_seq;		/* order in which it became READY */
	__u64	bytes;			/* in its spans or committed frames */
	__u64	frames_end;		/* see "Raw samples", bytes */
	__u32	kind;			/* enum perfaux_kind */
	__u32	nr_frames;		/* that are committed */
};

struct perfaux_span {
	__u64	seq;
	__u64	t_begin;
	__u64	t_end;
	__u64	cookie;			/* of the attached event */
	__u32	offset;			/* bytes, from the segment's start */
	__u32	length;			/* bytes; 0 if there are only flags */
	__u32	pid;			/* as in perf's records; -1 for the */
	__u32	tid;			/* event of a CPU */
	__u32	cpu;
	__u32	flags;			/* PERF_AUX_FLAG_* */
	__u64	reserved;
};

/* struct perfaux_frame.state: one of these and PERFAUX_SEQ() of the segment */
enum perfaux_frame_state {
	PERFAUX_FRAME_RESERVED	= 1,	/* being written */
	PERFAUX_FRAME_COMMITTED	= 2,
	PERFAUX_FRAME_DISCARDED	= 3,	/* its writer did not want it */
	PERFAUX_FRAME_ABANDONED	= 4,	/* see PERFAUX_FLUSH_ABANDON */
};

struct perfaux_frame {
	__u64	state;			/* PERFAUX_STATE(), PERFAUX_SEQ() */
	__u32	length;			/* of the data that follow, bytes */
	__u32	flags;			/* PERFAUX_FRAME_* */
	__u64	cookie;			/* of the attached event or producer */
	__u64	time;
	__u32	cpu;
	__u32	pid;			/* of who ran, as in perf's records */
	__u32	tid;
	__u32	segment;		/* index of the segment that it is in */
	__u8	data[];
};

/* A sample has the reference to it. */
#define PERFAUX_FRAME_SAMPLE	_BITUL(0)

/* What a sample has in place of its raw data. Not aligned there. */
struct perfaux_reference {
	__u64	key;			/* control.key */
	__u64	segment_seq;		/* PERFAUX_SEQ() of the segment's state */
	__u32	segment;		/* index */
	__u32	offset;			/* of the frame in the segment, bytes */
	__u64	length;			/* of the data, bytes */
	__u64	lost;			/* bytes of data that are lost, or 0 */
	__u32	cause;			/* of that, enum perfaux_cause */
} __attribute__((packed));

struct perfaux_gap {
	__u64	seq;			/* 0: not valid */
	__u64	t_begin;
	__u64	t_end;			/* end of the last span that was not
					 * kept; if that is not known, when
					 * data flowed again on this CPU, or
					 * the FLUSH that ended the gap
					 */
	__u64	cookie;
	__u32	cpu;
	__u32	cause;			/* enum perfaux_cause */
	__u32	pid;			/* who ran when it began */
	__u32	tid;
	__u64	count;			/* attempts to write in it */
	__u64	bytes;			/* that were lost in it */
};

#endif /* _UAPI_PERFAUX_H */
