// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any bytes, through `check` (both ways) and `info`.
 *
 * To be built with clang, -fsanitize=fuzzer,address,undefined, and tool's
 * check*.c, info*.c and read*.c; fuzz_seeds.py makes a corpus to start from.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "info.h"

struct input {
	const __u8 *p;
	size_t left;
	size_t piece;
};

/* In pieces of a size that the input chooses, as a pipe would. */
static ssize_t fill(void *ctx, void *buf, size_t len)
{
	struct input *in = ctx;

	if (len > in->left)
		len = in->left;
	if (len > in->piece)
		len = in->piece;
	if (len)
		memcpy(buf, in->p, len);
	in->p += len;
	in->left -= len;
	return len;
}

static int run_check(struct input in, bool relaxed, FILE *out)
{
	struct check *c = calloc(1, sizeof(*c));
	bool invalid;
	int rc;

	c->relaxed = relaxed;
	c->max = 50;
	c->out = out;
	rc = check_stream(c, fill, &in);
	check_report_end(c, "fuzz", rc);
	invalid = rc == CHECK_INVALID;
	/* Nothing but lack of memory may stop it. */
	if (rc < 0 || invalid != !!c->violations)
		abort();
	check_free(c);
	free(c);
	return rc;
}

static void run_info(struct input in, bool json, FILE *out)
{
	struct info *info = calloc(1, sizeof(*info));

	info->out = out;
	info->by_cpu = in.piece & 1;
	info->records = in.piece & 2;
	info_stream(info, fill, &in);
	if (json)
		info_json(info, "fuzz", "fuzz", 72);
	else
		info_print(info, 72);
	info_free(info);
	free(info);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	static FILE *out;
	struct input in = { .p = data, .left = size };
	int strict;

	if (!out)
		out = fopen("/dev/null", "w");
	in.piece = size ? 1 + data[size - 1] * 16 : 1;
	strict = run_check(in, false, out);
	/* --perf has fewer rules, never more. */
	if (run_check(in, true, out) == CHECK_INVALID && strict != CHECK_INVALID)
		abort();
	run_info(in, size & 1, out);
	return 0;
}
