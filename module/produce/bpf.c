// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions with which BPF programs write records, see "Programs of BPF" in
 * uapi/perfaux.h.
 *
 * A program names a ring by its handle: an index into pa_bpf_rings and a random
 * number. Because of the random number, an old handle is invalid when its index is
 * used again. The lookup needs no lock, and the ring's percpu_ref tells whether the
 * ring is still live.
 *
 * A record that a program reserves is the frame itself. The verifier ensures that the
 * program gives each record back, that it gives back only records that it got from this
 * module, and that it only reads the frame (check_ptr_to_btf_access()). The verifier
 * sees the frame as a type without the data. If the type ended with an array of integers
 * without a size, btf_struct_walk() would let a program read at any offset; from 7.0 on,
 * where the returned pointer is trusted, with a load that may fault.
 *
 * Commit and discard must find the ring again from the frame. User space can see the
 * frame, so it has the ring's index instead of a pointer. The index is in the flags, which
 * mean nothing until the frame is committed. The reservation keeps the ring, and so the
 * index.
 *
 * Context: that of the program, any up to NMI.
 */
#include <linux/module.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include "produce/bpf.h"
#include "compat/kfunc.h"
#include "produce/producer.h"
#include "ring/ring.h"

static DEFINE_XARRAY_ALLOC1(pa_bpf_rings);
static bool pa_bpf_works;

int pa_bpf_handle(struct pa_ring *ring, u64 *handle)
{
	u32 index;
	int ret;

	if (!pa_bpf_works)
		return -EOPNOTSUPP;
	ret = pa_produce_init(ring);
	if (ret)
		return ret;
	mutex_lock(&ring->lock);
	if (!ring->handle) {
		ret = xa_alloc(&pa_bpf_rings, &index, ring, xa_limit_31b,
			       GFP_KERNEL_ACCOUNT);
		if (!ret)
			WRITE_ONCE(ring->handle,
				   (u64)get_random_u32() << 32 | index);
	}
	*handle = ring->handle;
	mutex_unlock(&ring->lock);
	return ret;
}

static u32 pa_bpf_index(const struct pa_ring *ring)
{
	return lower_32_bits(READ_ONCE(ring->handle));
}

void pa_bpf_forget(struct pa_ring *ring)
{
	if (!ring->handle)
		return;
	xa_erase(&pa_bpf_rings, pa_bpf_index(ring));
	/* Wait for pa_bpf_produce(), which may be checking whether the ring is live. */
	synchronize_rcu();
}

/* Return a frame and set @ring, or return ERR_PTR(). */
static struct perfaux_frame *pa_bpf_produce(u64 handle, u64 cookie, u32 length,
					    struct pa_ring **ring)
{
	struct perfaux_frame *frame = NULL;
	enum perfaux_cause cause = PERFAUX_CAUSE_NONE;

	rcu_read_lock();
	*ring = xa_load(&pa_bpf_rings, lower_32_bits(handle));
	if (*ring && READ_ONCE((*ring)->handle) == handle)
		frame = pa_produce(*ring, length, cookie, &cause);
	rcu_read_unlock();
	if (frame)
		return frame;
	switch (cause) {
	case PERFAUX_CAUSE_FULL:
	case PERFAUX_CAUSE_FROZEN:
		return ERR_PTR(-ENOSPC);
	case PERFAUX_CAUSE_TOO_LARGE:
		return ERR_PTR(-E2BIG);
	default:
		return ERR_PTR(-ENOENT);
	}
}

static int pa_bpf_write(u64 handle, u64 cookie, const void *data, u32 length)
{
	struct perfaux_frame *frame;
	struct pa_ring *ring;

	frame = pa_bpf_produce(handle, cookie, length, &ring);
	if (IS_ERR(frame))
		return PTR_ERR(frame);
	memcpy(frame->data, data, length);
	pa_produce_end(ring, frame, PERFAUX_FRAME_COMMITTED);
	return 0;
}

static void pa_bpf_end(struct perfaux_frame *frame, enum perfaux_frame_state how)
{
	struct pa_ring *ring = xa_load(&pa_bpf_rings, frame->flags);

	frame->flags = 0;
	pa_produce_end(ring, frame, how);
}

/* --- functions that programs call ------------------------------------------ */

/*
 * For memory with a size, check_kfunc_mem_size_reg() accepts a pointer that may be NULL. With
 * KF_TRUSTED_ARGS the verifier refuses a program that has not checked the pointer, but 6.1
 * does so for objects only.
 */
__bpf_kfunc int perfaux_write(u64 ring, u64 cookie, const void *data,
			      u32 data__sz)
{
	if (!data && data__sz)
		return -EINVAL;
	return pa_bpf_write(ring, cookie, data, data__sz);
}

#ifdef PA_HAVE_DYNPTR_ARG
__bpf_kfunc int perfaux_write_dynptr(u64 ring, u64 cookie,
				     const struct bpf_dynptr *data, u32 offset,
				     u32 length)
{
	u32 size;
	const void *memory = pa_dynptr_memory(data, &size);

	if (!memory)
		return -EOPNOTSUPP;
	if (offset > size || length > size - offset)
		return -EINVAL;
	return pa_bpf_write(ring, cookie, memory + offset, length);
}
#endif

static struct perfaux_record *pa_record(struct perfaux_frame *frame)
{
	BUILD_BUG_ON(sizeof(struct perfaux_record) != offsetof(struct perfaux_frame, data));
	return (struct perfaux_record *)frame;
}

static struct perfaux_frame *pa_record_frame(struct perfaux_record *record)
{
	return (struct perfaux_frame *)record;
}

__bpf_kfunc struct perfaux_record *perfaux_record_reserve(u64 ring, u64 cookie,
							  u32 length)
{
	struct perfaux_frame *frame;
	struct pa_ring *of;

	frame = pa_bpf_produce(ring, cookie, length, &of);
	if (IS_ERR(frame))
		return NULL;
	frame->flags = pa_bpf_index(of);
	return pa_record(frame);
}

__bpf_kfunc __u8 *perfaux_record_data(struct perfaux_record *record,
				      const size_t rdwr_buf_size)
{
	struct perfaux_frame *frame = pa_record_frame(record);

	return rdwr_buf_size <= frame->length ? frame->data : NULL;
}

__bpf_kfunc void perfaux_record_commit(struct perfaux_record *record)
{
	pa_bpf_end(pa_record_frame(record), PERFAUX_FRAME_COMMITTED);
}

__bpf_kfunc void perfaux_record_discard(struct perfaux_record *record)
{
	pa_bpf_end(pa_record_frame(record), PERFAUX_FRAME_DISCARDED);
}

BTF_KFUNCS_START(pa_kfuncs)
BTF_ID_FLAGS(func, perfaux_write, KF_TRUSTED_ARGS)
#ifdef PA_HAVE_DYNPTR_ARG
BTF_ID_FLAGS(func, perfaux_write_dynptr, KF_TRUSTED_ARGS)
#endif
BTF_ID_FLAGS(func, perfaux_record_reserve, KF_ACQUIRE | KF_RET_NULL)
BTF_ID_FLAGS(func, perfaux_record_data, KF_RET_NULL | KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, perfaux_record_commit, KF_RELEASE)
BTF_ID_FLAGS(func, perfaux_record_discard, KF_RELEASE)
BTF_KFUNCS_END(pa_kfuncs)

static const struct btf_kfunc_id_set pa_kfunc_set = {
	.owner = THIS_MODULE,
	.set = &pa_kfuncs,
};

/* Rings are useful without these functions, so a failure is only logged. */
void pa_bpf_init(void)
{
	int i, ret = 0;

	/* register_btf_kfunc_id_set() may return success for a module without BTF. */
	if (!pa_module_has_btf(THIS_MODULE)) {
		pr_info("programs of BPF cannot write to rings: the module has no BTF (it is made only if the kernel's headers have a vmlinux)\n");
		return;
	}
	for (i = 0; !ret && i < ARRAY_SIZE(pa_kfunc_types); i++)
		ret = register_btf_kfunc_id_set(pa_kfunc_types[i],
						&pa_kfunc_set);
	if (ret)
		pr_info("programs of BPF cannot write to rings: the kernel does not take their functions (%d)\n",
			ret);
	pa_bpf_works = !ret;
}

void pa_bpf_exit(void)
{
	xa_destroy(&pa_bpf_rings);
}
