// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any bytes as a stream for `auxrec check`, `info` and `extract`, from a file
 * and from a pipe, and for libauxstream.
 *
 * If an input begins with PACKED, the target compresses the end of the stream, because
 * mutations of compressed bytes would rarely be valid. After PACKED, 16 bits tell how many bytes
 * are not compressed. The stream follows. If an input begins with FRAMES, the target compresses the
 * whole stream to two frames of zstd, and the 16 bits tell how many bytes the first one contains.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "../scratch.h"
#include "auxstream/auxstream.h"
#include "check/main.h"
#include "extract/main.h"
#include "info/main.h"
#include "stream/records.h"

#define PACKED	"PACKED"
#define FRAMES	"FRAMES"	/* as long as PACKED */
#define HEAD	(sizeof(PACKED) - 1 + 2)
/* The maximum size of data in a COMPRESSED record, a multiple of 8 */
#define MOST	65520

/* The exit statuses of all three commands */
enum { GOOD, BAD, ERROR, CUT };

struct input {
	char path[SCRATCH_PATH];
	const __u8 *data;
	size_t size;
};

/* Write a stream with a compressed end to @out, which has enough room. Return its size. */
static size_t pack(const __u8 *data, size_t size, __u8 *out)
{
	size_t plain = data[HEAD - 2] | data[HEAD - 1] << 8, at, left;

	data += HEAD;
	size -= HEAD;
	if (plain > size)
		plain = size;
	memcpy(out, data, plain);
	left = ZSTD_compress(out + plain + sizeof(struct perf_event_header), MOST,
			     data + plain, size - plain, 1);
	must(!ZSTD_isError(left));
	at = plain;
	left += sizeof(struct perf_event_header);
	memcpy(out + at, &(struct perf_event_header){ REC_COMPRESSED, 0, left },
	       sizeof(struct perf_event_header));
	return at + left;
}

/* Compress the whole stream to @out, which has @room bytes. Return its size. */
static size_t frames(const __u8 *data, size_t size, __u8 *out, size_t room)
{
	size_t first = data[HEAD - 2] | data[HEAD - 1] << 8, n, m;

	data += HEAD;
	size -= HEAD;
	if (first > size)
		first = size;
	n = ZSTD_compress(out, room, data, first, 1);
	must(!ZSTD_isError(n));
	m = ZSTD_compress(out + n, room - n, data + first, size - first, 1);
	must(!ZSTD_isError(m));
	return n + m;
}

/* Return how many lines of the index begin with @word. */
static unsigned int count_lines(const char *dir, const char *word)
{
	char path[256], line[1024];
	unsigned int nr = 0;
	bool begin = true;
	FILE *f;

	snprintf(path, sizeof(path), "%s/index", dir);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		nr += begin && !strncmp(line, word, strlen(word));
		begin = strchr(line, '\n');
	}
	if (f)
		fclose(f);
	return nr;
}

/* @valid: `check` accepts the stream. */
static void extract(const char *what, const char *from, bool valid)
{
	char dir[160];
	unsigned int queues, files;
	int status;

	snprintf(dir, sizeof(dir), "%s/x", scratch_dir());
	status = scratch_main(auxrec_extract_main, what, from, dir, NULL);
	must(status != ERROR);
	/* extract also returns BAD for a valid stream that contains no data of this kind. */
	must(!valid || status == GOOD || status == BAD);
	queues = count_lines(dir, "queue ");
	files = scratch_clear(dir);
	must(!rmdir(dir) || errno == ENOENT);
	/* If two queues had the same file name, one would be lost. */
	must(!strcmp(what, "--raw") || files == queues + !!queues);
}

static ssize_t fill(void *context, void *buf, size_t size)
{
	struct input *left = context;

	if (size > left->size)
		size = left->size;
	memcpy(buf, left->data, size);
	left->data += size;
	left->size -= size;
	return size;
}

/* Touch all bytes that an item points to, so that the sanitizers see reads outside. */
static __u64 touch(struct auxstream *s, const struct auxstream_item *item)
{
	const void *data = NULL;
	__u8 buf[1000];
	__u64 sum = 0;
	size_t size = 0, i;
	ssize_t n;

	switch (item->kind) {
	case AUXSTREAM_SAMPLE:
		for (i = 0; item->sample.chain && i < item->sample.nr_chain; i++)
			sum += item->sample.chain[i];
		data = item->sample.raw;
		size = item->sample.raw_size;
		break;
	case AUXSTREAM_AUX:
		data = item->aux.data;
		size = data ? item->aux.size : 0;
		break;
	case AUXSTREAM_PAYLOAD:
		data = item->payload.data;
		size = item->payload.size;
		break;
	case AUXSTREAM_SNAPSHOT:
		sum += strlen(item->snapshot.name);
		break;
	default:
		break;
	}
	for (i = 0; data && i < size; i++)
		sum += ((const __u8 *)data)[i];
	if (item->event)
		sum += strlen(item->event->name);
	for (i = 0; i < item->header->size; i++)
		sum += ((const __u8 *)item->header)[i];
	while ((n = auxstream_data(s, buf, sizeof(buf))) > 0)
		sum += buf[n - 1];
	return sum;
}

/* Makes the compiler keep the reads of touch(). */
static volatile __u64 touched;

/* The public library. @valid: `check` finds nothing wrong with the stream. */
static void library(const struct input *in, bool valid)
{
	struct input left = *in;
	struct auxstream *s = auxstream_open(fill, &left);
	struct auxstream_item item;
	int rc;

	must(s);
	while ((rc = auxstream_next(s, &item)) > 0)
		touched += touch(s, &item);
	must(rc == 0 || auxstream_problem(s)[0]);
	must(!valid || !rc);
	must(auxstream_next(s, &item) == rc);
	auxstream_close(s);
}

static void run(const struct input *in)
{
	/* The input chooses the size of pieces. */
	const size_t piece = in->size ? 1 + in->data[in->size - 1] * 16 : 1;
	int strict, relaxed, info;

	strict = scratch_main(auxrec_check_main, in->path, NULL);
	must(strict != ERROR);
	scratch_pipe(in->data, in->size, piece);
	relaxed = scratch_main(auxrec_check_main, "--perf", "--json", "-", NULL);
	must(relaxed != ERROR);
	/* --perf checks fewer rules: a stream that it rejects must be rejected without it, too. */
	must(relaxed != BAD || strict == BAD);

	info = scratch_main(auxrec_info_main, "--json", in->path, NULL);
	must(info != ERROR && (strict == BAD || info == strict));
	must(scratch_main(auxrec_info_main, "--by", "cpu", in->path, NULL) == info);
	scratch_pipe(in->data, in->size, piece);
	must(scratch_main(auxrec_info_main, "--records", "-", NULL) == info);

	library(in, strict == GOOD);
	extract("--aux", in->path, strict == GOOD);
	scratch_pipe(in->data, in->size, piece);
	extract("--raw", "-", strict == GOOD);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	struct input in = { .data = data, .size = size };
	const size_t room = size + MOST + sizeof(struct perf_event_header);
	__u8 *packed = NULL;
	int fd;

	if (size >= HEAD && (!memcmp(data, PACKED, HEAD - 2) || !memcmp(data, FRAMES, HEAD - 2))) {
		packed = malloc(room);
		must(packed);
		in.data = packed;
		in.size = *data == *PACKED ? pack(data, size, packed) :
					     frames(data, size, packed, room);
	}
	fd = scratch_file(in.path, in.data, in.size);
	run(&in);
	close(fd);
	free(packed);
	return 0;
}
