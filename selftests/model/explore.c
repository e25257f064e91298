// SPDX-License-Identifier: GPL-2.0-only
/*
 * The explorer: a depth-first search that continues from copies of states.
 *
 * Two states are taken as the same if 64 bits of their hashes are the same. Among ten million
 * states, two different ones have the same hash with a probability of 1 in 370,000.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "world.h"

/* The states on the path to the current state */
struct level {
	char *copy;
	size_t size, room;
	uint64_t hash;
	double paths;
	int next;			/* the context to try next */
	int ran;			/* the context that led to the next level */
	unsigned int count;		/* accesses of that context, see model_replay() */
};

struct seen {
	uint64_t hash;			/* 0: free */
	double paths;			/* -1: the state is on the current path */
};

int model_current = -1;
bool model_is_replay;
unsigned int model_count;

static char stacks[MODEL_CTX][MODEL_STACK] __attribute__((aligned(16)));
static void *explorer_sp;
static bool failed, again;
static char what[256];

static struct level *levels;
static unsigned int nr_levels;
static struct seen *table;
static size_t table_size, table_used;

/* For each context, the access before which it stopped */
static struct {
	enum model_access kind;
	const void *at;
	size_t size;
	void *pc;
} stops[MODEL_CTX];

/* --- contexts ---------------------------------------------------------------- */

#ifndef __x86_64__
#error "a switch of stacks is needed for this processor"
#endif

/* Registers that a function must preserve go to the stack, so they are part of the state. */
void model_switch(void **save, void *to);
asm(".text\n"
	".globl model_switch\n"
	".type model_switch, @function\n"
	"model_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n"
	"	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size model_switch, . - model_switch\n");

static void context_entry(void)
{
	int ctx = model_current;

	actor_run(ctx);
	watch();
	world.ctx[ctx].rcu = 0;
	world.ctx[ctx].run = MODEL_DONE;
	world.ctx[ctx].sp = stacks[ctx] + MODEL_STACK;
	for (;;) {
		void *unused;

		model_switch(&unused, explorer_sp);
	}
}

static void context_start(int ctx)
{
	uint64_t *sp = (uint64_t *)(stacks[ctx] + MODEL_STACK);

	/* The stack pointer must be as after a call: 8 bytes off a multiple of 16. */
	*--sp = 0;
	*--sp = (uint64_t)context_entry;
	sp -= 6;
	memset(sp, 0, 6 * sizeof(*sp));
	world.ctx[ctx].sp = sp;
	world.ctx[ctx].run = MODEL_RUNNING;
	/* RCU waits for the end of an NMI, see rcu_nmi_enter(). */
	if (world.ctx[ctx].level)
		model_rcu_enter();
}

void model_stop(enum model_access kind, const void *at, size_t size, void *pc)
{
	int ctx = model_current;

	stops[ctx].kind = kind;
	stops[ctx].at = at;
	stops[ctx].size = size;
	stops[ctx].pc = pc;
	model_switch(&world.ctx[ctx].sp, explorer_sp);
}

static void context_end(void)
{
	void *unused;

	if (model_current >= 0)
		model_switch(&unused, explorer_sp);
}

void model_again(void)
{
	again = true;
}

void model_fail(const char *format, ...)
{
	va_list args;

	if (!failed) {
		va_start(args, format);
		vsnprintf(what, sizeof(what), format, args);
		va_end(args);
	}
	failed = true;
	context_end();
}

bool model_failed(void)
{
	return failed;
}

static bool can_run(int ctx)
{
	const struct model_ctx *self = &world.ctx[ctx];
	int i;

	if (self->run == MODEL_DONE || !world_case->actors[ctx].name)
		return false;
	if (self->waits && !model_grace_is_over(ctx))
		return false;
	if (self->spin && *self->spin == self->spin_value)
		return false;
	if (self->call && !model_call_can(ctx))
		return false;
	for (i = 0; self->cpu >= 0 && i < MODEL_CTX; i++) {
		const struct model_ctx *other = &world.ctx[i];

		if (i == ctx || other->cpu != self->cpu ||
		    other->run != MODEL_RUNNING)
			continue;
		/* The other one has interrupted this context, or runs on its CPU. */
		if (other->level > self->level ||
		    (other->level == self->level &&
		     self->run == MODEL_WAITING))
			return false;
	}
	return true;
}

static void step(int ctx)
{
	model_count = 1;
	model_current = ctx;
	if (world.ctx[ctx].run == MODEL_WAITING) {
		context_start(ctx);
		stops[ctx].kind = MODEL_START;
	}
	model_switch(&explorer_sp, world.ctx[ctx].sp);
	model_current = -1;
}

/* --- states ------------------------------------------------------------------ */

static uint64_t mix(uint64_t h, uint64_t n)
{
	h = (h ^ n) * 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 29;
}

/*
 * Mix with both halves of a 128-bit product, like wyhash. If one factor is 0, the product does
 * not depend on the other one. This is as unlikely as two states with the same hash.
 */
static uint64_t mix_two(uint64_t h, uint64_t x, uint64_t y)
{
	const unsigned __int128 p = (unsigned __int128)(x ^ 0x9e3779b97f4a7c15ULL) * (y ^ h);

	return p ^ p >> 64;
}

/* Compute four products at a time, which a processor can do in parallel. */
static uint64_t hash_part(uint64_t h, const void *at, size_t size)
{
	const uint64_t *p = at, *end = p + size / 8;
	uint64_t a = h, b = h + 1, c = h + 2, d = h + 3;

	for (; p + 8 <= end; p += 8) {
		a = mix_two(a, p[0], p[1]);
		b = mix_two(b, p[2], p[3]);
		c = mix_two(c, p[4], p[5]);
		d = mix_two(d, p[6], p[7]);
	}
	for (; p < end; p++)
		a = mix(a, *p);
	return mix(mix(mix(a, b), c), d);
}

static uint64_t hash_state(void)
{
	uint64_t h = hash_part(1, &world, sizeof(world));
	int i;

	for (i = 0; i < MODEL_CTX; i++) {
		char *sp = world.ctx[i].sp;

		if (sp)
			h = hash_part(h, sp, stacks[i] + MODEL_STACK - sp);
	}
	h = (h ^ h >> 32) * 0xd6e8feb86659fd93ULL;
	return h ^ h >> 32 ?: 1;
}

static void save(struct level *level)
{
	size_t size = sizeof(world);
	char *to;
	int i;

	for (i = 0; i < MODEL_CTX; i++)
		if (world.ctx[i].sp)
			size += stacks[i] + MODEL_STACK - (char *)world.ctx[i].sp;
	if (size > level->room) {
		level->room = size + 1024;
		level->copy = realloc(level->copy, level->room);
		if (!level->copy)
			exit(2);
	}
	level->size = size;
	memcpy(level->copy, &world, sizeof(world));
	to = level->copy + sizeof(world);
	for (i = 0; i < MODEL_CTX; i++) {
		char *sp = world.ctx[i].sp;

		if (!sp)
			continue;
		size = stacks[i] + MODEL_STACK - sp;
		memcpy(to, sp, size);
		to += size;
	}
}

static void restore(const struct level *level)
{
	const char *from = level->copy + sizeof(world);
	int i;

	memcpy(&world, level->copy, sizeof(world));
	for (i = 0; i < MODEL_CTX; i++) {
		char *sp = world.ctx[i].sp;

		if (!sp)
			continue;
		memcpy(sp, from, stacks[i] + MODEL_STACK - sp);
		from += stacks[i] + MODEL_STACK - sp;
	}
}

static struct seen *table_find(uint64_t hash)
{
	size_t i = hash & (table_size - 1);

	while (table[i].hash && table[i].hash != hash)
		i = (i + 1) & (table_size - 1);
	return &table[i];
}

static void table_reset(size_t size)
{
	free(table);
	table = calloc(size, sizeof(*table));
	if (!table)
		exit(2);
	table_size = size;
	table_used = 0;
}

static void table_grow(void)
{
	struct seen *old = table;
	size_t size = table_size, i;

	table = NULL;
	table_reset(size * 2);
	for (i = 0; i < size; i++) {
		if (!old[i].hash)
			continue;
		*table_find(old[i].hash) = old[i];
		table_used++;
	}
	free(old);
}

/* Have all contexts ended? An NMI is possible at any time, but does not have to come. */
static bool is_end(void)
{
	int i;

	for (i = 0; i < MODEL_CTX; i++) {
		const struct model_ctx *ctx = &world.ctx[i];

		if (!world_case->actors[i].name)
			continue;
		if (ctx->run == MODEL_RUNNING ||
		    (ctx->run == MODEL_WAITING && !ctx->level))
			return false;
	}
	return true;
}

/* --- exploring ---------------------------------------------------------------- */

/*
 * Begin to explore the current state, as level @depth. If the state was seen before, return false,
 * and in *@paths the number of paths from the state to an end.
 */
static bool enter(unsigned int depth, double *paths, struct model_result *result)
{
	uint64_t hash = hash_state();
	struct seen *seen = table_find(hash);
	struct level *level;

	if (seen->hash) {
		if (seen->paths < 0)
			model_fail("a circle of states: nobody makes progress");
		*paths = seen->paths;
		return false;
	}
	seen->hash = hash;
	seen->paths = -1;
	if (++table_used > table_size / 10 * 7)
		table_grow();
	if (depth >= nr_levels) {
		size_t size = (nr_levels + 256) * sizeof(*levels);

		levels = realloc(levels, size);
		if (!levels)
			exit(2);
		memset(levels + nr_levels, 0, 256 * sizeof(*levels));
		nr_levels += 256;
	}
	level = &levels[depth];
	level->hash = hash;
	level->next = 0;
	level->paths = 0;
	save(level);
	if (is_end()) {
		watch_end();
		level->paths = 1;
		restore(level);
	}
	result->states++;
	if (depth > result->depth)
		result->depth = depth;
	return true;
}

static bool is_first(const struct level *level)
{
	return level->next == 0;
}

/* Explore with the stops that are known now. Return false if the round found more stops. */
static bool explore_round(struct model_result *result)
{
	unsigned long long enough = 0;
	unsigned int depth = 0;
	double paths;
	bool fresh;

	table_reset(1 << 16);
	world_setup(world_case);
	again = false;
	fresh = enter(0, &paths, result);
	while (!failed) {
		struct level *level = &levels[depth];
		bool stuck = is_first(level) && !level->paths;
		int ctx;

		/* Go on for a while, which finds more stops than an immediate new round. */
		if (again && !enough)
			enough = result->states * 2 + 1000;
		if (again && result->states > enough)
			return false;
		/* If the level is fresh, the world already has its state. */
		if (!fresh)
			restore(level);
		for (ctx = level->next; ctx < MODEL_CTX && !can_run(ctx); ctx++)
			;
		if (ctx == MODEL_CTX) {
			if (stuck) {
				model_fail("stuck: nobody can go on");
				break;
			}
			table_find(level->hash)->paths = level->paths;
			if (!depth)
				break;
			levels[depth - 1].paths += level->paths;
			depth--;
			fresh = false;
			continue;
		}
		level->next = ctx + 1;
		level->ran = ctx;
		step(ctx);
		level->count = model_count;
		result->steps++;
		fresh = !failed && enter(depth + 1, &paths, result);
		depth += fresh || failed;
		if (!fresh && !failed)
			levels[depth].paths += paths;
	}
	if (failed) {
		size_t used = 0;
		unsigned int i;

		for (i = 0; i < depth; i++)
			used += snprintf(result->schedule + used,
					 sizeof(result->schedule) - used, "%c%u",
					 world_case->actors[levels[i].ran].name[0],
					 levels[i].count);
		if (used >= sizeof(result->schedule))
			exit(2);
	}
	result->paths = levels[0].paths;
	return failed || !again;
}

void model_explore(struct model_result *result)
{
	memset(result, 0, sizeof(*result));
	failed = false;
	what[0] = 0;
	model_access_reset();
	do {
		result->states = 0;
		result->steps = 0;
		result->depth = 0;
		result->rounds++;
	} while (!explore_round(result));
	result->stops = model_access_stops();
	result->failed = failed;
	strcpy(result->what, what);
	free(table);
	table = NULL;
}

/* --- replaying ------------------------------------------------------------------ */

static const char *const access_names[] = {
	[MODEL_READ] = "reads", [MODEL_WRITE] = "writes", [MODEL_RMW] = "exchanges",
	[MODEL_ADD] = "adds to", [MODEL_START] = "starts",
	[MODEL_RCU] = "enters RCU", [MODEL_WAIT] = "waited for RCU",
	[MODEL_IRQS] = "had interrupts on", [MODEL_CALL] = "interrupts a CPU",
	[MODEL_CALLED] = "has interrupted", [MODEL_SPIN] = "has waited",
};

static unsigned long long value(const void *at, size_t size)
{
	unsigned long long n = 0;

	memcpy(&n, at, size < sizeof(n) ? size : sizeof(n));
	return n;
}

/* Print the function and line, or nothing if there is no addr2line. */
static void print_place(void *pc)
{
	char line[256];
	FILE *in;

	snprintf(line, sizeof(line), "addr2line -fs -e /proc/%d/exe %#lx 2>&1",
		 getpid(), (unsigned long)pc - 1);
	in = popen(line, "r");
	if (!in)
		return;
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n ")] = 0;
		printf(" %s", line);
	}
	pclose(in);
}

static void replay_step(int ctx, bool quiet)
{
	const struct actor *actor = &world_case->actors[ctx];
	bool is_start = world.ctx[ctx].run == MODEL_WAITING;
	enum model_access kind = is_start ? MODEL_START : stops[ctx].kind;
	size_t size = kind < MODEL_START ? stops[ctx].size : 0;
	unsigned int op = world.known.op[ctx] + 1;
	const void *at = stops[ctx].at;
	unsigned long long before = 0;
	void *pc = stops[ctx].pc;

	if (size)
		before = value(at, size);
	step(ctx);
	/* Memory without a name never changes. */
	if (quiet || (size && !world_name(at)))
		return;
	printf("# %-10s op %u %s", actor->name, op, access_names[kind]);
	if (size) {
		printf(" %s: %#llx", world_name(at), before);
		if (value(at, size) != before)
			printf(" -> %#llx", value(at, size));
		print_place(pc);
	}
	putchar('\n');
}

/*
 * Run one interleaving. @schedule: for each step, the letter of a context and the number of its
 * accesses, whether these are stops or not.
 */
void model_replay(const char *schedule, bool quiet, struct model_result *result)
{
	memset(result, 0, sizeof(*result));
	failed = false;
	what[0] = 0;
	model_is_replay = true;
	model_access_reset();
	world_setup(world_case);
	while (*schedule && !failed) {
		unsigned int nr = 1;
		char *end;
		int ctx = 0;

		while (ctx < MODEL_CTX &&
		       (!world_case->actors[ctx].name ||
			world_case->actors[ctx].name[0] != *schedule))
			ctx++;
		nr = strtoul(schedule + 1, &end, 10);
		for (; ctx < MODEL_CTX && nr && !failed && can_run(ctx); nr--) {
			replay_step(ctx, quiet);
			result->steps++;
		}
		if (!failed && (ctx == MODEL_CTX || nr || end == schedule + 1)) {
			model_fail("no such schedule: at %s", schedule);
			break;
		}
		schedule = end;
	}
	if (!failed && is_end())
		watch_end();
	model_is_replay = false;
	result->failed = failed;
	strcpy(result->what, what);
}
