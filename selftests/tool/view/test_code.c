// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the limit of the cache of code within a run, with code.c built for MOST_BLOCKS blocks.
 * Prints TAP.
 */
#include <intel-pt.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../tap.h"
#include "view/code/object.h"
#include "view/decode/code.h"

#define ADDRESS	0x400000ULL
#define BYTES	4096

/* A file whose bytes are all RET, so each address begins a block. */
static bool write_code(const char *path)
{
	FILE *f = fopen(path, "w");
	int i;

	for (i = 0; f && i < BYTES; i++)
		putc(0xc3, f);
	return f && !fclose(f);
}

static bool map(struct image *i, const char *path)
{
	const int isid = pt_iscache_add_file(i->cache->sections, path, 0, BYTES, ADDRESS);

	i->sections = calloc(1, sizeof(*i->sections));
	if (isid <= 0 || !i->sections)
		return false;
	i->sections[0] = (struct image_section) { ADDRESS, ADDRESS + BYTES, isid };
	i->nr_sections = 1;
	return !pt_image_add_cached(i->pt, i->cache->sections, isid, NULL);
}

/* Return how many blocks are found before the first one that is not. */
static int count(struct code *c)
{
	int n = 0;

	while (n < BYTES && code_find(c, ADDRESS + n))
		n++;
	return n;
}

int main(void)
{
	struct objects objects = { .nr = 0 };
	const struct spaces spaces = { .objects = &objects };
	char path[] = "/dev/shm/test_code-XXXXXX";
	struct image_cache cache;
	struct image image;
	struct code *c;
	int fd = mkstemp(path);

	if (fd < 0 || image_cache_init(&cache, &spaces) || image_init(&image, &cache))
		return 1;
	c = code_new(&image);
	if (!c || !write_code(path) || !map(&image, path))
		return 1;
	tap_report(count(c) == 2 * MOST_BLOCKS, "a run caches at most twice the limit");
	tap_report(count(c) == 2 * MOST_BLOCKS, "blocks that are cached are still found");
	code_limit(c);
	tap_report(!!code_find(c, ADDRESS + BYTES - 1), "the next run has room again");
	code_free(c);
	image_free(&image);
	image_cache_free(&cache);
	unlink(path);
	return tap_end();
}
