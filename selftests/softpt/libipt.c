// SPDX-License-Identifier: GPL-2.0-only
/* Packets to instruction pointers, see libipt.h. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <intel-pt.h>

#include "libipt.h"

#define MAX_ERRORS_SHOWN	5

void ips_add(struct ips *ips, uint64_t ip)
{
	if (ips->nr == ips->room) {
		ips->room = ips->room ? 2 * ips->room : 1024;
		ips->ip = realloc(ips->ip, ips->room * sizeof(*ips->ip));
		if (!ips->ip)
			err(2, "realloc");
	}
	ips->ip[ips->nr++] = ip;
}

void ips_free(struct ips *ips)
{
	free(ips->ip);
	memset(ips, 0, sizeof(*ips));
}

long ips_differ(const struct ips *a, const struct ips *b)
{
	size_t i = 0;

	while (i < a->nr && i < b->nr && a->ip[i] == b->ip[i])
		i++;
	return i < a->nr || i < b->nr ? (long)i : -1;
}

static void complain(struct pt_insn_decoder *decoder, int code, int nr,
		     const struct ips *ips)
{
	uint64_t offset = 0;

	if (nr > MAX_ERRORS_SHOWN)
		return;
	pt_insn_get_offset(decoder, &offset);
	fprintf(stderr, "libipt: %s at offset %#" PRIx64 " behind %" PRIx64 "\n",
		pt_errstr(pt_errcode(code)), offset,
		ips->nr ? ips->ip[ips->nr - 1] : 0);
}

/* Decode from one PSB on. Returns 0 at the end of the trace, or the error. */
static int decode(struct pt_insn_decoder *decoder, int status, struct ips *ips)
{
	while (status >= 0) {
		struct pt_event event;
		struct pt_insn insn;

		while (status & pts_event_pending) {
			status = pt_insn_event(decoder, &event, sizeof(event));
			if (status < 0)
				return status;
		}
		if (status & pts_eos)
			return 0;
		memset(&insn, 0, sizeof(insn));
		status = pt_insn_next(decoder, &insn, sizeof(insn));
		/* This instruction was executed, although the next one was not found. */
		if (insn.iclass != ptic_error)
			ips_add(ips, insn.ip);
	}
	return status == -pte_eos ? 0 : status;
}

int pt_to_ips(const uint8_t *pt, size_t size, struct pt_image *image,
	      struct ips *ips)
{
	struct pt_insn_decoder *decoder;
	struct pt_config config;
	int status, errors = 0;

	if (!size)
		return 0;
	pt_config_init(&config);
	config.begin = (uint8_t *)pt;
	config.end = (uint8_t *)pt + size;
	decoder = pt_insn_alloc_decoder(&config);
	if (!decoder)
		errx(2, "no decoder");
	pt_insn_set_image(decoder, image);
	for (;;) {
		status = pt_insn_sync_forward(decoder);
		if (status < 0)
			break;
		status = decode(decoder, status, ips);
		if (!status)
			break;
		complain(decoder, status, ++errors, ips);
	}
	if (status && status != -pte_eos)
		complain(decoder, status, ++errors, ips);
	pt_insn_free_decoder(decoder);
	return errors;
}

struct pt_image *image_load(const char *list)
{
	struct pt_image *image = pt_image_alloc(list);
	FILE *file = fopen(list, "r");
	uint64_t offset, size, address;
	char name[4096];
	int code;

	if (!file || !image)
		err(2, "%s", list);
	while (fscanf(file, "%4095s %" SCNx64 " %" SCNx64 " %" SCNx64, name,
		      &offset, &size, &address) == 4) {
		code = pt_image_add_file(image, name, offset, size, NULL, address);
		if (code < 0)
			errx(2, "%s: section %s at %" PRIx64 ": %s", list, name,
			     address, pt_errstr(pt_errcode(code)));
	}
	if (!feof(file))
		errx(2, "%s: not FILE OFFSET SIZE ADDRESS", list);
	fclose(file);
	return image;
}
