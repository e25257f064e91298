/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replacements for the parts of the kernel's headers that the module's pool of segments uses,
 * for a program that decides which context runs (explore.h). The build makes each <linux/...>
 * header that the module includes include this file.
 *
 * The model sees plain accesses, READ_ONCE() and WRITE_ONCE(), because the module's files are
 * compiled with -fsanitize=thread, whose callbacks are in access.c. Atomic operations are
 * functions of access.c. Barriers do nothing, because memory is sequentially consistent here.
 */
#ifndef MODEL_SHIM_H
#define MODEL_SHIM_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "explore.h"

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;
typedef struct { u32 val; } kuid_t;
struct vm_area_struct;

/* --- compiler --------------------------------------------------------------- */

#define likely(x)		(x)
#define unlikely(x)		(x)
#define notrace
#define noinline		__attribute__((noinline))
#define __percpu
#define ____cacheline_aligned	__attribute__((aligned(64)))
#define __user
#define EXPORT_SYMBOL_GPL(name)	_Static_assert(sizeof(typeof(name) *), "a symbol")

#define U64_MAX			(~0ULL)
#define S64_MAX		((s64)(U64_MAX >> 1))
#define U32_MAX			(~0U)
#define static_assert(x)	_Static_assert(x, #x)
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK_ULL(h, l)	((~0ULL << (l)) & (~0ULL >> (63 - (h))))
#define PAGE_SHIFT		12
#define PAGE_SIZE		(1UL << PAGE_SHIFT)

#define ALIGN(x, a) ({				\
	typeof(x) align_mask = (a) - 1;		\
						\
	((x) + align_mask) & ~align_mask;	\
})

#define max(a, b) ({				\
	typeof(a) max_a = (a);			\
	typeof(b) max_b = (b);			\
						\
	max_a > max_b ? max_a : max_b;		\
})

#define min(a, b) ({				\
	typeof(a) min_a = (a);			\
	typeof(b) min_b = (b);			\
						\
	min_a < min_b ? min_a : min_b;		\
})

#define max3(a, b, c)		max(max(a, b), c)
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

/* --- shared memory ---------------------------------------------------------- */

#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
/* The kernel's annotation for KCSAN */
#define data_race(x)		(x)
#define WRITE_ONCE(x, v)	(*(volatile typeof(x) *)&(x) = (v))
/* All accesses are in order. */
#define smp_load_acquire(p)	READ_ONCE(*(p)) /* see above */
#define smp_store_release(p, v)	WRITE_ONCE(*(p), v) /* see above */
#define smp_cond_load_acquire(p, done) ({				\
	typeof(*(p)) VAL;						\
									\
	while (VAL = READ_ONCE(*(p)), !(done))				\
		model_spin(p, VAL);					\
	VAL;								\
})
#define smp_mb()		do { } while (0) /* all accesses are in order */
#define smp_wmb()		do { } while (0) /* all accesses are in order */
#define smp_rmb()		do { } while (0) /* all accesses are in order */
#define smp_mb__before_atomic()	do { } while (0) /* all accesses are in order */
#define smp_mb__after_atomic()	do { } while (0) /* all accesses are in order */

#define cmpxchg(p, old, new) \
	((typeof(*(p)))model_cmpxchg(p, sizeof(*(p)), (u64)(old), (u64)(new)))
#define cmpxchg64(p, old, new)	cmpxchg(p, old, new)
#define xchg(p, new) \
	((typeof(*(p)))model_xchg(p, sizeof(*(p)), (u64)(new)))

struct model_atomic {
	int counter;
};

struct model_atomic64 {
	s64 counter;
};

#define atomic_t	struct model_atomic
#define atomic64_t	struct model_atomic64

#define model_try_cmpxchg(v, old, new) ({			\
	typeof((v)->counter) try_old = *(old);			\
								\
	*(old) = cmpxchg(&(v)->counter, try_old, new);		\
	*(old) == try_old;					\
})

#define atomic_read(v)		READ_ONCE((v)->counter)
#define atomic_set(v, n)	WRITE_ONCE((v)->counter, n)
#define atomic_cmpxchg(v, o, n)	cmpxchg(&(v)->counter, o, n)
#define atomic_try_cmpxchg	model_try_cmpxchg
#define atomic_xchg(v, n)		xchg(&(v)->counter, n)
#define atomic_dec_if_positive(v)	model_dec_if_positive(&(v)->counter)
#define atomic_inc(v)		model_add(&(v)->counter, sizeof(int), 1)
#define atomic_dec(v)		model_add(&(v)->counter, sizeof(int), -1)
#define atomic_or(n, v)		((void)model_or(&(v)->counter, n))
#define atomic_fetch_or(n, v)	model_or(&(v)->counter, n)
#define atomic_andnot(n, v)	model_andnot(&(v)->counter, n)
#define atomic64_read(v)	READ_ONCE((v)->counter)
#define atomic64_set(v, n)	WRITE_ONCE((v)->counter, n)
#define atomic64_set_release	atomic64_set
#define atomic64_try_cmpxchg	model_try_cmpxchg
#define atomic64_inc(v)		model_add(&(v)->counter, sizeof(s64), 1)
#define atomic64_add(n, v)	model_add(&(v)->counter, sizeof(s64), n)
#define atomic64_read_acquire(v)	atomic64_read(v) /* see above */
#define atomic64_inc_return(v)	model_inc_return(&(v)->counter)

/* Bitmaps of one word */
#define set_bit(i, bits)		model_set_bit(bits, i, true)
#define clear_bit(i, bits)		model_set_bit(bits, i, false)
#define test_bit(i, bits)		(READ_ONCE(*(bits)) >> (i) & 1)
#define test_and_set_bit(i, bits)	model_test_and_set_bit(bits, i, true)
#define test_and_clear_bit(i, bits)	model_test_and_set_bit(bits, i, false)
#define BITS_PER_LONG			64
#define BIT_WORD(i)			((i) / BITS_PER_LONG)
#define __ffs(word)			((unsigned int)__builtin_ctzl(word))

/* --- contexts ---------------------------------------------------------------- */

#define smp_processor_id()	model_cpu()
#define raw_smp_processor_id()	model_cpu()
/* Each CPU is a node of its own. */
#define numa_mem_id()		model_cpu()
#define this_cpu_ptr(p)		(&(p)[model_cpu()])
#define per_cpu_ptr(p, i)	(&(p)[i])
#define nr_cpu_ids		((unsigned int)MODEL_CPUS)
#define for_each_possible_cpu(i) \
	for ((i) = 0; (i) < MODEL_CPUS; (i)++)
#define cpu_to_node(i)		(i)

#define rcu_read_lock()			model_rcu_enter()
#define rcu_read_unlock()		model_rcu_exit()
#define preempt_disable()		model_rcu_enter()
#define preempt_enable()		model_rcu_exit()
#define preempt_disable_notrace()	model_rcu_enter()
#define preempt_enable_notrace()	model_rcu_exit()
#define synchronize_rcu()		model_synchronize_rcu()
#define local_irq_save(flags)		((void)((flags) = 0))
#define local_irq_restore(flags)	((void)(flags))
#define cond_resched()			do { } while (0)
#define smp_call_function_single(cpu, fn, arg, wait) \
	((void)(wait), model_call(cpu, fn, arg))
/* The time stands still, so a report that is limited to once per jiffy comes once. */
#define jiffies				1UL

/* --- the rest of the kernel ------------------------------------------------- */

struct list_head {
	struct list_head *next, *prev;
};

#define list_for_each_entry(pos, head, member)					\
	for ((pos) = container_of((head)->next, typeof(*(pos)), member);	\
	     &(pos)->member != (head);						\
	     (pos) = container_of((pos)->member.next, typeof(*(pos)), member))

struct hlist_node {
	struct hlist_node *next;
};

struct mutex {
	int unused;
};

#define mutex_lock(lock)	((void)(lock))
#define mutex_unlock(lock)	((void)(lock))

struct irq_work {
	int unused;
};

void irq_work_queue(struct irq_work *work);	/* world.c */

struct work_struct {
	int unused;
};

struct model_queue {
	int unused;
};

#define wait_queue_head_t	struct model_queue

struct pid_namespace;
struct user_struct;
struct module;

enum pid_type {
	PIDTYPE_PID,
	PIDTYPE_TGID,
};

#define current				NULL
#define init_pid_ns			(*(struct pid_namespace *)NULL)
#define task_pid_nr(task)		((void)(task), model_tid())
#define task_tgid_nr(task)		((void)(task), model_tid())
#define __task_pid_nr_ns(task, type, ns) \
	((void)(task), (void)(type), (void)(ns), model_tid())
#define pid_alive(task)			((void)(task), true)
#define local_clock()			model_clock()

/* The model does not test the ring's lifetime, only that each reference is released. */
struct percpu_ref {
	int unused;
};

#define percpu_ref_tryget_live(ref)	((void)(ref), model_ref(1))
#define percpu_ref_tryget_live_rcu(ref)	((void)(ref), model_ref(1))
#define percpu_ref_get(ref)		((void)(ref), (void)model_ref(1))
#define percpu_ref_put(ref)		((void)(ref), (void)model_ref(-1))
#define percpu_ref_is_dying(ref)	((void)(ref), false)

#define PERF_ATTACH_TASK	0x04

#define PERF_EVENT_STATE_ACTIVE	1
#define PERF_EF_UPDATE		0x04
#define PERF_HES_STOPPED	0x01

struct perf_event;

struct pmu {
	void *(*setup_aux)(void *event, void **pages, int nr, bool overwrite);
	void (*start)(struct perf_event *event, int flags);
	void (*stop)(struct perf_event *event, int flags);
};

struct perf_event {
	int state;
	int oncpu;
	struct {
		int state;
		u64 interrupts;
	} hw;
	struct perf_event *parent;
	struct pid_namespace *ns;
	const struct pmu *pmu;
	struct mutex child_mutex;	/* of child_list */
	struct list_head child_list;
	unsigned int attach_state;
	u64 (*clock)(void);
	struct {
		int use_clockid;
		int clockid;
	} attr;
};

struct perf_output_handle {
	struct perf_event *event;
	void *rb;
	unsigned long wakeup;
	unsigned long size;
	u64 aux_flags;
	unsigned long head;
};

/* --- memory: the model allocates none while contexts run ------------------------ */

#define GFP_KERNEL			0
#define GFP_KERNEL_ACCOUNT		0
#define __GFP_NOWARN		0
#define __GFP_ZERO			0
#define VM_MAP				0
#define PAGE_KERNEL			0
#define kvmalloc_array(n, size, gfp)	((void)((gfp)), model_alloc((n) * (size)))
#define kcalloc				kvmalloc_array
#define kvfree(p)			model_free(p)
#define kfree(p)			((void)(p))

struct page {
	int unused;
};

struct file {
	const void *f_op;
	void *private_data;
};

#define alloc_pages_node(node, gfp, order) \
	((void)(node), (void)(gfp), (void)(order), (struct page *)model_no_such())
#define __free_page(page)		((void)(page))
#define free_page(addr)			((void)(addr))
#define page_address(page)		((void *)(page))
#define virt_to_page(addr)		((struct page *)(addr))
#define vmap(pages, nr, flags, prot) \
	((void)(pages), (void)(nr), (void)(flags), (void)(prot), model_no_such())
#define vunmap(addr)			((void)(addr))
#define fget(fd)			((void)(fd), (struct file *)model_no_such())
#define fput(file)			((void)(file))
#define ERR_PTR(error)			((void *)(long)(error))

#define sort(base, nr, size, cmp, swap) \
	((void)(swap), model_sort(base, nr, size, cmp))

#endif /* MODEL_SHIM_H */
