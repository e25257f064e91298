// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the encoder with the cases of a file: test_cases CASES
 *
 * The head of the file describes its format. Each case is one test: each call gives
 * the packets that the file has beside it, and libipt finds all executed
 * instructions in them. Prints TAP.
 */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <intel-pt.h>

#include "flow.h"
#include "libipt.h"
#include "../tap.h"

#define MAX_CODE	32
#define MAX_BYTES	4096
#define MAX_LETS	16
#define MAX_LINES	64

struct code {
	u64 address;
	unsigned int size;
	u8 bytes[64];
};

struct let {
	char name[16];
	unsigned int size;
	u8 bytes[64];
};

struct bytes {
	unsigned int size;
	u8 bytes[MAX_BYTES];
};

static struct let lets[MAX_LETS];
static unsigned int nr_lets, line_nr;

/* The case that runs now */
static struct {
	char name[128];
	bool failed, begun;
	struct spt_flow flow;
	bool is64;
	struct code code[MAX_CODE];
	unsigned int nr_code;
	struct bytes since;	/* packets since the previous line */
	struct bytes pt;	/* packets since the last reset */
	struct ips executed, decoded;
	/* lines that are executed more than once */
	unsigned int times, nr_lines;
	char lines[MAX_LINES][256];
} c;

static void __attribute__((format(printf, 1, 2))) fail(const char *format, ...)
{
	va_list args;

	c.failed = true;
	printf("# line %u: ", line_nr);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static void print_bytes(const char *what, const struct bytes *bytes)
{
	printf("# %s:", what);
	for (unsigned int i = 0; i < bytes->size; i++)
		printf(" %02x", bytes->bytes[i]);
	putchar('\n');
}

static void append(struct bytes *to, const u8 *bytes, unsigned int size)
{
	if (to->size + size > sizeof(to->bytes))
		errx(2, "line %u: too many bytes", line_nr);
	memcpy(to->bytes + to->size, bytes, size);
	to->size += size;
}

/* Parse words of hex bytes or names. */
static void parse_bytes(char *text, struct bytes *to)
{
	for (char *word = strtok(text, " \t\n"); word; word = strtok(NULL, " \t\n")) {
		unsigned int i = 0;
		char *end;
		u8 byte;

		while (i < nr_lets && strcmp(lets[i].name, word))
			i++;
		if (i < nr_lets) {
			append(to, lets[i].bytes, lets[i].size);
			continue;
		}
		byte = strtoul(word, &end, 16);
		if (*end)
			errx(2, "line %u: '%s' is no byte", line_nr, word);
		append(to, &byte, 1);
	}
}

static void define(char *text)
{
	struct let *let = &lets[nr_lets];
	struct bytes bytes = {};
	int at = 0;

	if (nr_lets == MAX_LETS || sscanf(text, "%15s = %n", let->name, &at) != 1 || !at)
		errx(2, "line %u: let NAME = BYTES", line_nr);
	parse_bytes(text + at, &bytes);
	let->size = bytes.size;
	memcpy(let->bytes, bytes.bytes, bytes.size);
	nr_lets++;
}

static int read_code(u8 *buffer, size_t size, const struct pt_asid *asid,
		     u64 ip, void *context)
{
	size_t n = 0;

	(void)asid;
	(void)context;
	for (unsigned int i = 0; i < c.nr_code; i++) {
		const struct code *code = &c.code[i];

		if (ip < code->address || ip >= code->address + code->size)
			continue;
		n = code->address + code->size - ip;
		if (n > size)
			n = size;
		memcpy(buffer, code->bytes + (ip - code->address), n);
		return n;
	}
	return -pte_nomap;
}

static void decode(void)
{
	struct pt_image *image = pt_image_alloc(NULL);

	if (!image)
		errx(2, "no image");
	pt_image_set_callback(image, read_code, NULL);
	if (pt_to_ips(c.pt.bytes, c.pt.size, image, &c.decoded))
		fail("libipt does not like the packets");
	pt_image_free(image);
	c.pt.size = 0;
}

static void take_packets(void)
{
	append(&c.since, c.flow.out, c.flow.out_used);
	append(&c.pt, c.flow.out, c.flow.out_used);
	if (c.flow.out_used > SPT_FLOW_MAX / 2)
		fail("%u bytes in one call", c.flow.out_used);
	c.flow.out_used = 0;
}

static void set(const char *text)
{
	unsigned long long first, last;
	unsigned int n = c.flow.nr_ranges;
	char kind[8];

	if (!strcmp(text, "tsc"))
		c.flow.tsc = true;
	else if (!strcmp(text, "noretcomp"))
		c.flow.noretcomp = true;
	else if (sscanf(text, "cbr %llx", &first) == 1)
		c.flow.cbr = first;
	else if (sscanf(text, "%7s %llx %llx", kind, &first, &last) == 3 &&
		 n < SPT_RANGES_MAX)
		c.flow.ranges[c.flow.nr_ranges++] = (struct spt_range) {
			first, last, !strcmp(kind, "stop"),
		};
	else
		errx(2, "line %u: set %s?", line_nr, text);
}

static void add_code(char *text)
{
	struct code *code = &c.code[c.nr_code++];
	struct bytes bytes = {};
	int at = 0;

	if (c.nr_code > MAX_CODE || sscanf(text, "%" SCNx64 " %n", &code->address, &at) != 1)
		errx(2, "line %u: code ADDRESS BYTES", line_nr);
	parse_bytes(text + at, &bytes);
	code->size = bytes.size;
	memcpy(code->bytes, bytes.bytes, bytes.size);
}

static void insn_at(u64 ip, struct spt_insn *insn)
{
	u8 bytes[SPT_INSN_MAX];
	int n = read_code(bytes, sizeof(bytes), NULL, ip, NULL);

	/*
	 * spt_flow_mode() may have been called already, but the program is still in the
	 * mode before it.
	 */
	spt_insn_decode(insn, bytes, n < 0 ? 0 : n, ip, c.is64);
}

static void step(const char *verb, u64 ip, u64 next, u64 tsc)
{
	bool strange = !strcmp(verb, "strange");
	struct spt_insn insn;
	bool known;

	insn_at(ip, &insn);
	known = spt_flow_step(&c.flow, &insn, ip, next, tsc);
	if (known == strange && strcmp(verb, "hidden"))
		fail("step %" PRIx64 " %" PRIx64 " is%s strange", ip, next,
		     strange ? " not" : "");
	if (!strcmp(verb, "step"))
		ips_add(&c.executed, ip);
	c.is64 = c.flow.is64;
}

static void call(char *text)
{
	unsigned long long ip = 0, next = 0, tsc = 0;
	char verb[16];
	int n = sscanf(text, "%15s %llx %llx %llx", verb, &ip, &next, &tsc);

	if (n == 4 && (!strcmp(verb, "step") || !strcmp(verb, "strange") ||
		       !strcmp(verb, "hidden"))) {
		step(verb, ip, next, tsc);
	} else if (n == 3 && (!strcmp(verb, "step") || !strcmp(verb, "strange") ||
			      !strcmp(verb, "hidden"))) {
		step(verb, ip, next, 0);
	} else if (n == 2 && !strcmp(verb, "rep")) {
		step(verb, ip, ip, 0);
	} else if (n >= 2 && !strcmp(verb, "begin")) {
		spt_flow_begin(&c.flow, ip, c.is64, next);
	} else if (n >= 2 && !strcmp(verb, "begin32")) {
		c.is64 = false;
		spt_flow_begin(&c.flow, ip, false, next);
	} else if (n >= 2 && !strcmp(verb, "psb")) {
		if (!spt_flow_wants_psb(&c.flow))
			c.flow.since_psb = SPT_PSB_PERIOD;
		if (!spt_flow_wants_psb(&c.flow))
			fail("no psb is wanted");
		spt_flow_psb(&c.flow, ip, next);
	} else if (n == 2 && !strcmp(verb, "mode")) {
		spt_flow_mode(&c.flow, ip == 0x64);
	} else if (n == 2 && !strcmp(verb, "syscall")) {
		spt_flow_end(&c.flow);
		ips_add(&c.executed, ip);
	} else if (n == 1 && !strcmp(verb, "end")) {
		spt_flow_end(&c.flow);
	} else if (n == 2 && !strcmp(verb, "end-at")) {
		spt_flow_end_at(&c.flow, ip);
	} else if (n == 1 && !strcmp(verb, "reset")) {
		spt_flow_reset(&c.flow);
		decode();
	} else if (n == 1 && !strcmp(verb, "stopped")) {
		if (!c.flow.stopped)
			fail("not stopped");
	} else {
		errx(2, "line %u: '%s'?", line_nr, text);
	}
	take_packets();
}

static void begin_case(const char *name)
{
	ips_free(&c.executed);
	ips_free(&c.decoded);
	memset(&c, 0, sizeof(c));
	snprintf(c.name, sizeof(c.name), "%s", name);
	c.is64 = true;
}

static void end_case(void)
{
	long at;

	if (!*c.name)
		return;
	decode();
	at = ips_differ(&c.executed, &c.decoded);
	if (at >= 0) {
		fail("instruction %ld differs: executed, decoded:", at);
		for (size_t i = at; i < (size_t)at + 8; i++)
			printf("# %16" PRIx64 " %16" PRIx64 "\n",
			       i < c.executed.nr ? c.executed.ip[i] : 0,
			       i < c.decoded.nr ? c.decoded.ip[i] : 0);
	}
	tap_report(!c.failed, "%s", c.name);
}

/* Compare the packets of all calls since the last line that had packets. */
static void compare(char *text)
{
	struct bytes expected = {};

	parse_bytes(text, &expected);
	if (c.since.size != expected.size ||
	    memcmp(c.since.bytes, expected.bytes, expected.size)) {
		fail("packets differ");
		print_bytes("expected", &expected);
		print_bytes("got", &c.since);
	}
	c.since.size = 0;
}

static void done(void)
{
	unsigned int times = c.times;

	c.times = 0;
	while (times--)
		for (unsigned int i = 0; i < c.nr_lines; i++)
			call(c.lines[i]);
	c.nr_lines = 0;
}

static void first_call(void)
{
	if (c.begun)
		return;
	c.begun = true;
	spt_flow_init(&c.flow);
}

static void do_line(char *line)
{
	char *packets = strchr(line, '|'), *end;

	if (packets)
		*packets++ = 0;
	line += strspn(line, " \t");
	for (end = line + strlen(line); end > line && strchr(" \t\n", end[-1]); end--)
		end[-1] = 0;
	if (!*line || *line == '#')
		return;
	if (!strncmp(line, "let ", 4)) {
		define(line + 4);
	} else if (!strncmp(line, "case ", 5)) {
		end_case();
		begin_case(line + 5);
	} else if (!strncmp(line, "set ", 4)) {
		set(line + 4);
	} else if (!strncmp(line, "code ", 5)) {
		add_code(line + 5);
	} else if (sscanf(line, "times %u", &c.times) == 1) {
		c.nr_lines = 0;
	} else if (!strcmp(line, "done")) {
		done();
	} else if (c.times) {
		if (c.nr_lines == MAX_LINES)
			errx(2, "line %u: too many lines", line_nr);
		snprintf(c.lines[c.nr_lines++], sizeof(c.lines[0]), "%s", line);
	} else {
		first_call();
		call(line);
	}
	if (c.begun && !c.times)
		compare(packets ? packets : line + strlen(line));
}

int main(int argc, char **argv)
{
	char line[1024];
	FILE *file;

	if (argc != 2)
		errx(2, "usage: test_cases CASES");
	file = fopen(argv[1], "r");
	if (!file)
		err(2, "%s", argv[1]);
	puts("TAP version 13");
	while (fgets(line, sizeof(line), file)) {
		line_nr++;
		do_line(line);
	}
	end_case();
	fclose(file);
	begin_case("");
	return tap_end();
}
