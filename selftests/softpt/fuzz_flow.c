// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz the encoder with random programs: fuzz_flow [STEPS [SEED]]
 *
 * An interpreter runs the programs and passes each step to module/softpt. libipt
 * must find all steps. The programs have direct and indirect branches and calls,
 * among blocks that are near or far; returns, also to other places; system calls,
 * interruptions, and steps that no instruction makes. There are PSB+, resets,
 * address ranges, and runs with and without return compression. Prints TAP, one
 * test for each kind of run.
 */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <intel-pt.h>

#include "flow.h"
#include "libipt.h"
#include "../tap.h"

#define NR_REGIONS	4
#define INSNS_EACH	256
#define NR_INSNS	(NR_REGIONS * INSNS_EACH)
#define REGION_SIZE	(INSNS_EACH * SPT_INSN_MAX)
#define DEPTH		200
#define PT_MAX		(1 << 20)
#define STEPS_EACH	20000

enum kind {
	PLAIN, REP, JUMP_8, JUMP_32, COND_8, COND_32, LOOP, CALL, CALL_NEXT,
	JUMP_REG, CALL_REG, RET, RET_IMM, RET_FAR, SYSCALL, NR_KINDS
};

struct insn {
	u64 ip;
	enum kind kind;
	unsigned int target;	/* index of the target, for direct ones */
	u8 length;
	u8 bytes[SPT_INSN_MAX];
};

static const u64 bases[NR_REGIONS] = {
	0x401000, 0x7ffff7dc0000, 0x480000, 0xffff900000000000,
};

static struct insn insns[NR_INSNS];
static u8 memory[NR_REGIONS][REGION_SIZE];
static u64 seed;

/* splitmix64 */
static u64 rnd(void)
{
	u64 z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static unsigned int below(unsigned int n)
{
	return rnd() % n;
}

static bool one_in(unsigned int n)
{
	return !below(n);
}

static enum kind random_kind(void)
{
	static const u8 weight[NR_KINDS] = {
		[PLAIN] = 40, [REP] = 1, [JUMP_8] = 3, [JUMP_32] = 3, [COND_8] = 16,
		[COND_32] = 8, [LOOP] = 3, [CALL] = 8, [CALL_NEXT] = 1,
		[JUMP_REG] = 2, [CALL_REG] = 3, [RET] = 8, [RET_IMM] = 1,
		[RET_FAR] = 1, [SYSCALL] = 1,
	};
	unsigned int sum = 0, at;
	enum kind kind;

	for (kind = 0; kind < NR_KINDS; kind++)
		sum += weight[kind];
	at = below(sum);
	for (kind = 0; at >= weight[kind]; kind++)
		at -= weight[kind];
	return kind;
}

static void set_bytes(struct insn *insn, const char *bytes, u8 length)
{
	memcpy(insn->bytes, bytes, length);
	insn->length = length;
}

/* Make everything but the targets. */
static void make_insn(struct insn *insn)
{
	static const struct {
		const char *bytes;
		u8 length;
	} plain[] = {
		{ "\x90", 1 }, { "\x48\x89\xe5", 3 }, { "\x0f\x1f\x40\x00", 4 },
		{ "\x9c", 1 }, { "\x9d", 1 }, { "\x8e\xd0", 2 }, { "\xc5\xf8\x77", 3 },
		{ "\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", 10 },
		{ "\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", 10 },
		{ "\xc7\xf8\x00\x00\x00\x00", 6 }, { "\xff\xc0", 2 },
		{ "\x62\xf1\x7c\x48\x10\xc1", 6 },
	};
	unsigned int i = below(sizeof(plain) / sizeof(*plain));

	insn->kind = random_kind();
	switch (insn->kind) {
	case PLAIN:
		set_bytes(insn, plain[i].bytes, plain[i].length);
		break;
	case REP:
		set_bytes(insn, "\xf3\x48\xab", 3);
		break;
	case JUMP_8:
		set_bytes(insn, "\xeb\x00", 2);
		break;
	case JUMP_32:
		set_bytes(insn, "\xe9\x00\x00\x00\x00", 5);
		break;
	case COND_8:
		set_bytes(insn, "\x70\x00", 2);
		insn->bytes[0] += below(16);
		break;
	case COND_32:
		set_bytes(insn, "\x0f\x80\x00\x00\x00\x00", 6);
		insn->bytes[1] += below(16);
		break;
	case LOOP:
		set_bytes(insn, "\xe0\x00", 2);
		insn->bytes[0] += below(4);
		break;
	case CALL:
	case CALL_NEXT:
		set_bytes(insn, "\xe8\x00\x00\x00\x00", 5);
		break;
	case JUMP_REG:
		set_bytes(insn, "\x3e\xff\xe0", 3);
		break;
	case CALL_REG:
		set_bytes(insn, "\xff\x94\x24\x00\x01\x00\x00", 7);
		break;
	case RET:
		set_bytes(insn, "\xf2\xc3", 2);
		break;
	case RET_IMM:
		set_bytes(insn, "\xc2\x10\x00", 3);
		break;
	case RET_FAR:
		set_bytes(insn, "\x48\xcb", 2);
		break;
	default:
		set_bytes(insn, "\x0f\x05", 2);
	}
}

static bool has_packet(enum kind kind)
{
	switch (kind) {
	case PLAIN: case REP: case JUMP_8: case JUMP_32: case CALL: case CALL_NEXT:
		return false;
	default:
		return true;
	}
}

static unsigned int rel_size(enum kind kind)
{
	switch (kind) {
	case JUMP_8: case COND_8: case LOOP:
		return 1;
	case JUMP_32: case COND_32: case CALL: case CALL_NEXT:
		return 4;
	default:
		return 0;
	}
}

/*
 * Return a random instruction in reach. Jumps and calls go forward, so each loop
 * has a branch with a packet.
 */
static unsigned int random_target(unsigned int i, unsigned int size)
{
	bool forward = !has_packet(insns[i].kind);
	unsigned int tries = 1000, target;
	s64 rel;

	do {
		target = size == 1 ? i + 20 - below(40) : below(NR_INSNS);
		if (target >= NR_INSNS || (forward && target <= i))
			continue;
		rel = insns[target].ip - insns[i].ip - insns[i].length;
		if (size == 1 ? rel == (s8)rel : rel == (s32)rel)
			return target;
	} while (--tries);
	return i + 1;
}

static void link_insn(unsigned int i)
{
	struct insn *insn = &insns[i];
	unsigned int size = rel_size(insn->kind);
	u32 rel;

	if (!size)
		return;
	insn->target = insn->kind == CALL_NEXT ? i + 1 : random_target(i, size);
	rel = insns[insn->target].ip - insn->ip - insn->length;
	memcpy(insn->bytes + insn->length - size, &rel, size);
}

static void make_program(void)
{
	for (unsigned int region = 0; region < NR_REGIONS; region++) {
		u64 ip = bases[region];

		for (unsigned int i = 0; i < INSNS_EACH; i++) {
			struct insn *insn = &insns[region * INSNS_EACH + i];

			/* The flow must not leave a region at its end. */
			do
				make_insn(insn);
			while (i == INSNS_EACH - 1 && insn->kind != JUMP_REG);
			insn->ip = ip;
			ip += insn->length;
		}
	}
	for (unsigned int i = 0; i < NR_INSNS; i++) {
		struct insn *insn = &insns[i];
		unsigned int region = i / INSNS_EACH;

		link_insn(i);
		memcpy(memory[region] + (insn->ip - bases[region]), insn->bytes,
		       insn->length);
	}
}

static int read_memory(u8 *buffer, size_t size, const struct pt_asid *asid,
		       u64 ip, void *context)
{
	(void)asid;
	(void)context;
	for (unsigned int region = 0; region < NR_REGIONS; region++) {
		u64 offset = ip - bases[region];

		if (offset >= REGION_SIZE)
			continue;
		if (size > REGION_SIZE - offset)
			size = REGION_SIZE - offset;
		memcpy(buffer, memory[region] + offset, size);
		return size;
	}
	return -pte_nomap;
}

/* One run */
static struct {
	struct spt_flow flow;
	u8 pt[PT_MAX];
	size_t pt_size;
	struct ips executed;
	unsigned int stack[DEPTH];
	unsigned int depth;
	u64 tsc;
	/*
	 * Instructions since the last branch that has a packet. If the flow comes
	 * to one of them again, decoders cannot distinguish the first time from the
	 * second; they could not with hardware, either. At these instructions
	 * run_program() writes no PSB+, and the program is not interrupted.
	 */
	bool seen[NR_INSNS];
	unsigned int seen_list[NR_INSNS];
	unsigned int nr_seen;
} run;

static void see_nothing(void)
{
	while (run.nr_seen)
		run.seen[run.seen_list[--run.nr_seen]] = false;
}

static void see(unsigned int i)
{
	if (run.seen[i])
		return;
	run.seen[i] = true;
	run.seen_list[run.nr_seen++] = i;
}

static void take_packets(void)
{
	if (run.pt_size + run.flow.out_used > PT_MAX)
		errx(2, "too many packets");
	memcpy(run.pt + run.pt_size, run.flow.out, run.flow.out_used);
	run.pt_size += run.flow.out_used;
	run.flow.out_used = 0;
}

/* Return the instruction that @i leads to. */
static unsigned int follow(unsigned int i)
{
	struct insn *insn = &insns[i];

	switch (insn->kind) {
	case REP:
		return one_in(3) ? i + 1 : i;
	case JUMP_8:
	case JUMP_32:
		return insn->target;
	case COND_8:
	case COND_32:
	case LOOP:
		return one_in(2) ? insn->target : i + 1;
	case CALL:
	case CALL_REG:
		run.stack[run.depth++ % DEPTH] = i + 1;
		return insn->kind == CALL ? insn->target : below(NR_INSNS);
	case JUMP_REG:
		return below(NR_INSNS);
	case RET:
	case RET_IMM:
		if (!run.depth || one_in(20))
			return below(NR_INSNS);
		return run.stack[--run.depth % DEPTH];
	case RET_FAR:
		return below(NR_INSNS);
	default:
		return i + 1;
	}
}

static void end_at(unsigned int i)
{
	spt_flow_end_at(&run.flow, insns[i].ip);
	take_packets();
	see_nothing();
}

static void begin(unsigned int i)
{
	spt_flow_begin(&run.flow, insns[i].ip, true, ++run.tsc);
	take_packets();
}

/* Execute an instruction. Returns the next one. */
static unsigned int step(unsigned int i)
{
	struct insn *insn = &insns[i];
	struct spt_insn decoded;
	unsigned int next = follow(i);
	bool traced = run.flow.enabled;

	spt_insn_decode(&decoded, insn->bytes, insn->length, insn->ip, true);
	if (decoded.class == SPT_BAD)
		errx(2, "%#" PRIx64 " is bad", insn->ip);
	see(i);
	if (decoded.class == SPT_SYSCALL) {
		spt_flow_end(&run.flow);
		if (traced)
			ips_add(&run.executed, insn->ip);
		take_packets();
		see_nothing();
		begin(next);
		return next;
	}
	if (!spt_flow_step(&run.flow, &decoded, insn->ip, insns[next].ip, ++run.tsc))
		errx(2, "%#" PRIx64 " does not lead to %#" PRIx64, insn->ip,
		     insns[next].ip);
	take_packets();
	if (traced && next != i)
		ips_add(&run.executed, insn->ip);
	else if (traced && insn->kind != REP)
		ips_add(&run.executed, insn->ip);
	if (has_packet(insn->kind) || !run.flow.enabled)
		see_nothing();
	return next;
}

/* Do something that no instruction does. Returns the next instruction. */
static unsigned int surprise(unsigned int i)
{
	static const struct spt_insn bad = { .class = SPT_BAD };
	unsigned int next = below(NR_INSNS);

	switch (below(4)) {
	case 0:
		end_at(i);
		begin(i);
		return i;
	case 1:
		end_at(i);
		begin(next);
		return next;
	case 2:
		spt_flow_step(&run.flow, &bad, insns[i].ip, insns[next].ip, ++run.tsc);
		break;
	case 3:
		end_at(i);
		spt_flow_reset(&run.flow);
		begin(next);
	}
	take_packets();
	see_nothing();
	return next;
}

static void run_program(unsigned long steps)
{
	unsigned int i = below(NR_INSNS);

	begin(i);
	while (steps--) {
		i = step(i);
		if (run.flow.enabled && run.seen[i])
			continue;
		/*
		 * Put a PSB+ more often than the flow wants it, because the
		 * packets before and after it matter.
		 */
		if (spt_flow_wants_psb(&run.flow) || one_in(200)) {
			spt_flow_psb(&run.flow, insns[i].ip, ++run.tsc);
			take_packets();
			see_nothing();
		}
		if (one_in(200))
			i = surprise(i);
	}
	while (run.flow.enabled && run.seen[i])
		i = step(i);
	end_at(i);
}

static void set_ranges(unsigned int nr)
{
	run.flow.nr_ranges = nr;
	for (unsigned int i = 0; i < nr; i++) {
		unsigned int at = below(NR_INSNS);
		unsigned int left = INSNS_EACH - at % INSNS_EACH;
		const struct insn *first = &insns[at];
		const struct insn *last = first + below(left);

		run.flow.ranges[i].first = first->ip;
		run.flow.ranges[i].last = last->ip + last->length - 1;
	}
}

static bool compare(void)
{
	struct pt_image *image = pt_image_alloc(NULL);
	struct ips decoded = {};
	int errors;
	long at;

	if (!image)
		errx(2, "no image");
	pt_image_set_callback(image, read_memory, NULL);
	errors = pt_to_ips(run.pt, run.pt_size, image, &decoded);
	at = ips_differ(&run.executed, &decoded);
	pt_image_free(image);
	if (at >= 0)
		printf("# instruction %ld of %zu differs: %" PRIx64 " executed, %" PRIx64 " decoded\n",
		       at, run.executed.nr,
		       (size_t)at < run.executed.nr ? run.executed.ip[at] : 0,
		       (size_t)at < decoded.nr ? decoded.ip[at] : 0);
	ips_free(&decoded);
	return !errors && at < 0;
}

static void test(const char *name, unsigned long steps, unsigned int ranges,
		 bool noretcomp)
{
	u64 this_seed = seed, traced = 0, bytes = 0;
	bool good = true;

	for (unsigned long done = 0; good && done < steps; done += STEPS_EACH) {
		this_seed = seed;
		make_program();
		memset(&run.flow, 0, sizeof(run.flow));
		run.flow.tsc = one_in(2);
		run.flow.noretcomp = noretcomp;
		run.pt_size = 0;
		run.depth = 0;
		run.executed.nr = 0;
		set_ranges(ranges);
		spt_flow_init(&run.flow);
		run_program(STEPS_EACH);
		good = compare();
		traced += run.executed.nr;
		bytes += run.pt_size;
	}
	printf("# %" PRIu64 " instructions in %" PRIu64 " bytes of packets\n", traced, bytes);
	if (!good)
		printf("# seed of this program: %" PRIu64 "\n", this_seed);
	tap_report(good && traced, "%s", name);
}

int main(int argc, char **argv)
{
	unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 0) : 2000000;

	seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	puts("TAP version 13");
	printf("# seed %" PRIu64 "\n", seed);
	test("all is traced", steps, 0, false);
	test("no compressed returns", steps, 0, true);
	test("one filter", steps, 1, false);
	test("two filters", steps, 2, false);
	ips_free(&run.executed);
	return tap_end();
}
