// SPDX-License-Identifier: GPL-2.0-only
/*
 * Step a command like stepper, and encode it with module/softpt as the module does:
 * record_host [-b] DIR CMD [ARG...]
 *
 * For thread N it writes
 *
 *   DIR/N.ips    what was encoded, in stepper's format
 *   DIR/N.M.pt   the packets while program M ran in its process
 *   DIR/M.image  the code of that program that was executed, for decode
 *
 * -b: behave like a processor that traps only after taken branches, where the
 * module asks for that. DIR/traps has the number of steps and traps.
 *
 * It prints on stderr how many steps no instruction can have made. The exit status is CMD's.
 */
#define _GNU_SOURCE
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "block.h"
#include "flow.h"
#include "tracer.h"

#define PAGE		4096
#define MAX_PAGES	8192

struct page {
	u64 address;
	u8 bytes[PAGE];
};

/* Sorted pages of code, as they were when they were first needed */
struct code {
	unsigned int nr;
	struct page *pages[MAX_PAGES];
};

struct recording {
	struct spt_flow flow;
	FILE *pt;
	FILE *ips;
	u64 tsc;
	bool in_block;
	struct spt_block block;
};

static const char *dir;
static unsigned long nr_strange, nr_steps, nr_traps;
static bool blocks;

static FILE *open_file(const char *format, unsigned int a, unsigned int b)
{
	char name[64], path[4096];
	FILE *file;

	snprintf(name, sizeof(name), format, a, b);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	if (!file)
		err(2, "%s", path);
	return file;
}

static void write_all(FILE *file, const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, file) != size)
		err(2, "cannot write");
}

static void close_file(FILE *file)
{
	if (file && fclose(file))
		err(2, "cannot write");
}

static unsigned int page_index(const struct code *code, u64 address)
{
	unsigned int low = 0, high = code->nr;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (code->pages[middle]->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct code *code_of(struct tracee *t)
{
	if (!t->image->data) {
		t->image->data = calloc(1, sizeof(struct code));
		if (!t->image->data)
			err(2, "calloc");
	}
	return t->image->data;
}

static const struct page *page_of(struct tracee *t, u64 address)
{
	struct code *code = code_of(t);
	unsigned int i = page_index(code, address);
	struct page *page;

	if (i < code->nr && code->pages[i]->address == address)
		return code->pages[i];
	page = malloc(sizeof(*page));
	if (!page || code->nr == MAX_PAGES)
		errx(2, "too many pages of code");
	page->address = address;
	if (tracer_read(t, address, page->bytes, PAGE) != PAGE) {
		free(page);
		return NULL;
	}
	memmove(&code->pages[i + 1], &code->pages[i],
		(code->nr++ - i) * sizeof(*code->pages));
	code->pages[i] = page;
	return page;
}

/* Same as in the module: read the readable part of the next bytes. */
static unsigned int code_at(struct tracee *t, u64 ip, u8 *bytes, unsigned int size)
{
	unsigned int n = 0;

	while (n < size) {
		const struct page *page = page_of(t, (ip + n) & -(u64)PAGE);
		unsigned int offset = (ip + n) % PAGE, some = PAGE - offset;

		if (!page)
			break;
		if (some > size - n)
			some = size - n;
		memcpy(bytes + n, page->bytes + offset, some);
		n += some;
	}
	return n;
}

static void insn_at(struct tracee *t, u64 ip, struct spt_insn *insn)
{
	u8 bytes[SPT_INSN_MAX];

	spt_insn_decode(insn, bytes, code_at(t, ip, bytes, sizeof(bytes)), ip, t->is64);
}

static struct recording *recording_of(struct tracee *t)
{
	struct recording *r = t->data;

	if (!r) {
		r = calloc(1, sizeof(*r));
		if (!r)
			err(2, "calloc");
		r->flow.tsc = true;
		r->flow.cbr = 20;
		spt_flow_init(&r->flow);
		t->data = r;
		r->ips = open_file("%u.ips", t->nr, 0);
	}
	if (!r->pt)
		r->pt = open_file("%u.%u.pt", t->nr, t->image->nr);
	return r;
}

static void take_packets(struct recording *r)
{
	write_all(r->pt, r->flow.out, r->flow.out_used);
	r->flow.out_used = 0;
}

static void executed(struct recording *r, u64 ip)
{
	write_all(r->ips, &ip, sizeof(ip));
}

static void begin_at(struct tracee *t, u64 ip)
{
	struct recording *r = recording_of(t);

	spt_flow_begin(&r->flow, ip, t->is64, ++r->tsc);
	take_packets(r);
}

static void begin(struct tracee *t)
{
	begin_at(t, t->ip);
}

static void tell(struct tracee *t, const struct spt_insn *insn, u64 ip, u64 next)
{
	struct recording *r = recording_of(t);

	if (insn->class == SPT_SYSCALL) {
		spt_flow_end(&r->flow);
		take_packets(r);
		executed(r, ip);
		begin_at(t, next);
		return;
	}
	spt_flow_mode(&r->flow, t->is64);
	if (!spt_flow_step(&r->flow, insn, ip, next, ++r->tsc))
		nr_strange++;
	else if (insn->class != SPT_OTHER || ip != next)
		executed(r, ip);
	take_packets(r);
	if (spt_flow_wants_psb(&r->flow)) {
		spt_flow_psb(&r->flow, next, ++r->tsc);
		take_packets(r);
	}
}

/* The block has come to @ip. */
static void leave_block(struct tracee *t, u64 ip)
{
	struct recording *r = recording_of(t);
	u64 at = r->block.ip;
	struct spt_insn insn;

	if (!r->in_block)
		return;
	r->in_block = false;
	while (at != ip) {
		if (!spt_block_insn(&r->block, at, &insn)) {
			nr_strange++;
			return;
		}
		tell(t, &insn, at, at + insn.length);
		at += insn.length;
	}
}

/*
 * The processor does not trap after an instruction that is no branch, or after a
 * branch that is not taken.
 */
static bool is_taken(const struct spt_insn *insn, u64 next)
{
	switch (insn->class) {
	case SPT_OTHER:
		return false;
	case SPT_BRANCH:
		return next == insn->target;
	default:
		return true;
	}
}

/* Returns whether the processor would not have trapped. */
static bool step_block(struct tracee *t, u64 next)
{
	struct recording *r = recording_of(t);
	struct spt_insn insn;
	u64 from;

	if (!r->in_block) {
		r->block.ip = t->ip;
		r->block.is64 = t->is64;
		r->block.n = code_at(t, t->ip, r->block.bytes, SPT_BLOCK_BYTES);
		r->in_block = spt_block_is_clear(&r->block);
	}
	if (!r->in_block)
		return false;
	insn_at(t, t->ip, &insn);
	if (!is_taken(&insn, next))
		return true;
	if (!spt_block_branch_to(&r->block, next, &from) || from != t->ip)
		nr_strange++;
	leave_block(t, t->ip);
	return false;
}

/* t->is64 is the mode at @next. The mode of a far transfer itself is the flow's. */
static void step(struct tracee *t, uint64_t next)
{
	struct recording *r = recording_of(t);
	bool is64 = t->is64;
	struct spt_insn insn;
	u64 ip = t->ip;

	t->is64 = r->flow.is64;
	nr_steps++;
	if (blocks && step_block(t, next)) {
		t->is64 = is64;
		return;
	}
	nr_traps++;
	insn_at(t, ip, &insn);
	if (insn.class == SPT_MOV_SS && next != ip + insn.length) {
		tell(t, &insn, ip, ip + insn.length);
		ip += insn.length;
		insn_at(t, ip, &insn);
	}
	t->is64 = is64;
	tell(t, &insn, ip, next);
}

static void end_at(struct tracee *t)
{
	struct recording *r = recording_of(t);

	leave_block(t, t->ip);
	spt_flow_end_at(&r->flow, t->ip);
	take_packets(r);
}

static void last(struct tracee *t, uint64_t next)
{
	struct recording *r = recording_of(t);
	struct spt_insn insn;

	insn_at(t, t->ip, &insn);
	if (insn.class != SPT_SYSCALL && insn.class != SPT_INT3 && next) {
		step(t, next);
		t->ip = next;
		end_at(t);
		return;
	}
	leave_block(t, t->ip);
	spt_flow_end(&r->flow);
	take_packets(r);
	executed(r, t->ip);
}

/* The next packets belong to another program, so they go to another file. */
static void execed(struct tracee *t)
{
	struct recording *r = t->data;

	if (!r)
		return;
	close_file(r->pt);
	r->pt = NULL;
	spt_flow_reset(&r->flow);
}

static void gone(struct tracee *t)
{
	struct recording *r = t->data;

	if (!r)
		return;
	close_file(r->pt);
	close_file(r->ips);
	free(r);
}

/* Neighbouring pages are one section. */
static void write_code(struct tracee_image *image)
{
	struct code *code = image->data;
	FILE *bytes, *list;

	if (!code)
		return;
	bytes = open_file("%u.code", image->nr, 0);
	list = open_file("%u.image", image->nr, 0);
	for (unsigned int i = 0, first = 0; i < code->nr; i++) {
		write_all(bytes, code->pages[i]->bytes, PAGE);
		if (i + 1 < code->nr &&
		    code->pages[i + 1]->address == code->pages[i]->address + PAGE)
			continue;
		fprintf(list, "%s/%u.code %x %x %" PRIx64 "\n", dir, image->nr,
			first * PAGE, (i + 1 - first) * PAGE,
			code->pages[first]->address);
		first = i + 1;
	}
	close_file(bytes);
	close_file(list);
	for (unsigned int i = 0; i < code->nr; i++)
		free(code->pages[i]);
	free(code);
}

int main(int argc, char **argv)
{
	static const struct tracer_ops recorder = {
		.begin = begin,
		.step = step,
		.last = last,
		.end_at = end_at,
		.exec = execed,
		.exit = gone,
		.image_free = write_code,
	};
	int status;

	if (argc > 1 && !strcmp(argv[1], "-b")) {
		blocks = true;
		argv++;
		argc--;
	}
	if (argc < 3) {
		fputs("usage: record_host [-b] DIR CMD [ARG...]\n", stderr);
		return 2;
	}
	dir = argv[1];
	if (mkdir(dir, 0777) < 0 && access(dir, W_OK) < 0)
		err(2, "%s", dir);
	status = tracer_run(&recorder, argv + 2);
	if (nr_strange)
		fprintf(stderr, "record_host: %lu steps that no instruction makes\n",
			nr_strange);
	if (blocks) {
		FILE *traps = open_file("traps", 0, 0);

		fprintf(traps, "%lu steps, %lu traps\n", nr_steps, nr_traps);
		close_file(traps);
	}
	return status;
}
