// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decides for each access of the module to the world whether it is a stop (explore.h).
 *
 * The module's files are compiled with -fsanitize=thread, so that the compiler calls the
 * functions of this file. The sanitizer's own library is not linked.
 */
#include "world.h"

#define GRANULE		4
#define GRANULES	(WORLD_SEEN / GRANULE)

/* The accesses in all interleavings so far */
static struct granule {
	unsigned char readers, writers, adders;	/* a bit per context */
	/* A context that is not the owner accessed the granule, or such accesses change owners. */
	bool not_owned;
	bool is_stop;
} granules[GRANULES];

static bool is_seen(const void *at)
{
	return (size_t)((const char *)at - (const char *)&world) < WORLD_SEEN;
}

static struct granule *granule_of(const void *at)
{
	return &granules[((const char *)at - (const char *)&world) / GRANULE];
}

static void model_access_decides(const void *at, size_t size)
{
	struct granule *g = granule_of(at), *end = granule_of((const char *)at + size - 1);

	for (; g <= end; g++)
		g->not_owned = true;
}

void model_access_reset(void)
{
	int i;

	memset(granules, 0, sizeof(granules));
	/* Accesses to these change owners. */
	for (i = 0; i < SEGMENTS; i++) {
		model_access_decides(&world.segments[i].state, sizeof(u64));
		model_access_decides(&world.seg[i].frames, sizeof(u64));
	}
	for (i = 0; i < GAPS; i++)
		model_access_decides(&world.gap_states[i], sizeof(u64));
	for (i = 0; i < MODEL_CPUS; i++) {
		model_access_decides(&world.cpu[i].gap, sizeof(int));
		model_access_decides(&world.sink[i].busy, sizeof(int));
	}
}

unsigned int model_access_stops(void)
{
	unsigned int n = 0, i;

	for (i = 0; i < GRANULES; i++)
		n += granules[i].is_stop;
	return n;
}

/* Print the names of all memory whose accesses are stops, in one line. */
void model_access_print(void)
{
	const char *at = (const char *)&world, *name;
	char last[64] = "";
	unsigned int i;

	printf("# stops:");
	for (i = 0; i < GRANULES; i++) {
		if (!granules[i].is_stop)
			continue;
		name = world_name(at + i * GRANULE);
		name = name ?: "?";
		if (strcmp(name, last))
			printf(" %s", name);
		snprintf(last, sizeof(last), "%s", name);
	}
	putchar('\n');
}

static bool needs_stop(const struct granule *g)
{
	unsigned int all = g->readers | g->writers | g->adders;

	return (g->writers || (g->adders && g->readers)) && all & (all - 1) &&
	       g->not_owned;
}

/* Note this access. Return true if, from now on, each access to this memory must be a stop. */
static bool note(enum model_access kind, const char *at, size_t size)
{
	unsigned char me = 1 << model_current;
	bool news = false;
	size_t i;

	for (i = 0; i < size; i += GRANULE) {
		struct granule *g = granule_of(at + i);

		if (kind == MODEL_ADD)
			g->adders |= me;
		if (kind == MODEL_READ || kind == MODEL_RMW)
			g->readers |= me;
		if (kind == MODEL_WRITE || kind == MODEL_RMW)
			g->writers |= me;
		g->not_owned |= world_owner(at + i) != model_current;
		if (!g->is_stop && needs_stop(g)) {
			g->is_stop = true;
			news = true;
		}
	}
	return news;
}

static bool is_stop(const char *at, size_t size)
{
	size_t i;

	for (i = 0; i < size; i += GRANULE)
		if (granule_of(at + i)->is_stop)
			return true;
	return model_is_replay;
}

void model_access(enum model_access kind, const void *at, size_t size, void *pc)
{
	if (model_current < 0 || !is_seen(at))
		return;
	watch();
	if (is_stop(at, size))
		model_stop(kind, at, size, pc);
	else
		model_count++;
	if (note(kind, at, size) && !model_is_replay)
		model_again();
	if ((void *)at >= (void *)world.end_of_gaps &&
	    (void *)at < (void *)(world.end_of_gaps + 2))
		model_fail("the model has too few gaps");
	if (kind == MODEL_WRITE)
		watch_write(at, size);
	else
		watch_read(at);
}

/* --- what the compiler calls ---------------------------------------------------- */

#define CALLBACK(name, kind, size)						\
void name(void *at)								\
{										\
	model_access(kind, at, size, __builtin_return_address(0));		\
}

CALLBACK(__tsan_read1, MODEL_READ, 1)
CALLBACK(__tsan_read2, MODEL_READ, 2)
CALLBACK(__tsan_read4, MODEL_READ, 4)
CALLBACK(__tsan_read8, MODEL_READ, 8)
CALLBACK(__tsan_read16, MODEL_READ, 16)
CALLBACK(__tsan_write1, MODEL_WRITE, 1)
CALLBACK(__tsan_write2, MODEL_WRITE, 2)
CALLBACK(__tsan_write4, MODEL_WRITE, 4)
CALLBACK(__tsan_write8, MODEL_WRITE, 8)
CALLBACK(__tsan_write16, MODEL_WRITE, 16)

/* The functions of __atomic_* that tool/ring/look.c uses */
unsigned long long __tsan_atomic64_load(const volatile unsigned long long *at, int order)
{
	(void)order;
	model_access(MODEL_READ, (const void *)at, 8, __builtin_return_address(0));
	return *at;
}

void __tsan_atomic_thread_fence(int order)
{
	(void)order;
}

void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc)
{
	(void)pc;
}

void __tsan_func_exit(void)
{
}

void __tsan_read_range(void *at, unsigned long size)
{
	model_access(MODEL_READ, at, size, __builtin_return_address(0));
}

void __tsan_write_range(void *at, unsigned long size)
{
	model_access(MODEL_WRITE, at, size, __builtin_return_address(0));
}

/* --- what the shim calls --------------------------------------------------------- */

static unsigned long long load(const void *at, size_t size)
{
	unsigned long long n = 0;

	memcpy(&n, at, size);
	return n;
}

static unsigned long long cut(unsigned long long n, size_t size)
{
	return size == 8 ? n : n & ((1ULL << size * 8) - 1);
}

unsigned long long model_cmpxchg(void *at, size_t size, unsigned long long from,
				 unsigned long long to)
{
	unsigned long long old;

	model_access(MODEL_RMW, at, size, __builtin_return_address(0));
	old = load(at, size);
	if (old == cut(from, size))
		memcpy(at, &to, size);
	return old;
}

unsigned long long model_xchg(void *at, size_t size, unsigned long long to)
{
	unsigned long long old;

	model_access(MODEL_RMW, at, size, __builtin_return_address(0));
	old = load(at, size);
	memcpy(at, &to, size);
	return old;
}

void model_add(void *at, size_t size, long long n)
{
	unsigned long long sum;

	model_access(MODEL_ADD, at, size, __builtin_return_address(0));
	sum = load(at, size) + n;
	memcpy(at, &sum, size);
}

long long model_inc_return(long long *at)
{
	model_access(MODEL_RMW, at, sizeof(*at), __builtin_return_address(0));
	return ++*at;
}

int model_or(int *at, int bits)
{
	int old;

	model_access(MODEL_RMW, at, sizeof(*at), __builtin_return_address(0));
	old = *at;
	*at |= bits;
	return old;
}

/* Return the decremented value, even if it is negative and was not stored. */
int model_dec_if_positive(int *at)
{
	model_access(MODEL_RMW, at, sizeof(*at), __builtin_return_address(0));
	return *at > 0 ? --*at : *at - 1;
}

void model_andnot(int *at, int bits)
{
	model_access(MODEL_RMW, at, sizeof(*at), __builtin_return_address(0));
	*at &= ~bits;
}

static bool change_bit(unsigned long *at, unsigned int bit, bool on)
{
	bool was = *at >> bit & 1;

	*at = on ? *at | 1UL << bit : *at & ~(1UL << bit);
	return was;
}

void model_set_bit(unsigned long *at, unsigned int bit, bool on)
{
	model_access(MODEL_ADD, at, sizeof(*at), __builtin_return_address(0));
	change_bit(at, bit, on);
}

bool model_test_and_set_bit(unsigned long *at, unsigned int bit, bool on)
{
	model_access(MODEL_RMW, at, sizeof(*at), __builtin_return_address(0));
	return change_bit(at, bit, on);
}
