/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records that BPF programs write.
 */
#ifndef PERFAUX_BPF_H
#define PERFAUX_BPF_H

#include <linux/types.h>

struct bpf_dynptr;
struct pa_ring;

void pa_bpf_init(void);
void pa_bpf_exit(void);

/*
 * Set @handle to the number by which programs name @ring. The first call makes it.
 * Process context. Returns 0, -ENOMEM, -EBUSY (there are no more numbers), -EINVAL (the
 * ring's clock cannot be read in an NMI), or -EOPNOTSUPP (this kernel's programs cannot
 * call the module).
 */
int pa_bpf_handle(struct pa_ring *ring, u64 *handle);

/* Drop the handle, before the ring's memory is freed, and wait for its users. Sleeps. */
void pa_bpf_forget(struct pa_ring *ring);

/*
 * A record as programs see it: struct perfaux_frame without the data. Because of the last
 * member the verifier does not accept other memory as a record
 * (__btf_type_is_scalar_struct()), and does not let a program read past the record, as it would
 * with an array of integers (btf_struct_walk()).
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

/* Functions that programs call, see "Programs of BPF" in uapi/perfaux.h. */
int perfaux_write(u64 ring, u64 cookie, const void *data, u32 data__sz);
int perfaux_write_dynptr(u64 ring, u64 cookie, const struct bpf_dynptr *data,
			 u32 offset, u32 length);
struct perfaux_record *perfaux_record_reserve(u64 ring, u64 cookie, u32 length);
__u8 *perfaux_record_data(struct perfaux_record *record,
			  const size_t rdwr_buf_size);
void perfaux_record_commit(struct perfaux_record *record);
void perfaux_record_discard(struct perfaux_record *record);

#endif /* PERFAUX_BPF_H */
