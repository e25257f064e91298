/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of programs of BPF.
 */
#ifndef PERFAUX_BPF_H
#define PERFAUX_BPF_H

#include <linux/types.h>

struct bpf_dynptr;
struct pa_ring;

void pa_bpf_init(void);
void pa_bpf_exit(void);

/*
 * The number by which programs name @ring, made when it is asked for first. Process
 * context. Returns 0, -ENOMEM, -EBUSY (there are no more), or -EOPNOTSUPP if this
 * kernel's programs cannot call us.
 */
int pa_bpf_handle(struct pa_ring *ring, u64 *handle);

/* Before the ring's memory is freed: nobody looks at it any more. Sleeps. */
void pa_bpf_forget(struct pa_ring *ring);

/*
 * What programs see of a record: struct perfaux_frame without the data. With the last member
 * the verifier takes no other memory for one (__btf_type_is_scalar_struct()), and lets nobody
 * read behind it, as it would of an array of integers (btf_struct_walk()).
 */
struct perfaux_record {
	u64	state;
	u32	length;
	u32	flags;
	u64	cookie;
	u64	time;
	u32	cpu;
	u32	pid;
	u32	tid;
	u32	segment;
	void	*none[];
};

/* What programs call, see "Programs of BPF" in uapi/perfaux.h. */
int perfaux_write(u64 ring, u64 cookie, const void *data, u32 data__sz);
int perfaux_write_dynptr(u64 ring, u64 cookie, const struct bpf_dynptr *data,
			 u32 offset, u32 length);
struct perfaux_record *perfaux_record_reserve(u64 ring, u64 cookie, u32 length);
__u8 *perfaux_record_data(struct perfaux_record *record,
			  const size_t rdwr_buf_size);
void perfaux_record_commit(struct perfaux_record *record);
void perfaux_record_discard(struct perfaux_record *record);

#endif /* PERFAUX_BPF_H */
