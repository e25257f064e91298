// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make libipt's image of what is mapped.
 */
#include <errno.h>
#include <gelf.h>
#include <intel-pt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "view/code/find.h"
#include "view/decode/image.h"

/* Up to this size, sections stay mapped, and libipt keeps its cache of their blocks. */
#define CACHE_LIMIT	(1ULL << 40)

static int read_kcore(struct image_cache *c, const char *dir)
{
	size_t nr = 0, i;
	GElf_Phdr p;
	Elf *elf;

	if (asprintf(&c->kcore_path, "%s/kcore", dir) < 0)
		return -ENOMEM;
	elf = find_open(c->kcore_path);
	if (!elf)
		return 0;
	if (!elf_getphdrnum(elf, &nr))
		c->kcore = calloc(nr + 1, sizeof(*c->kcore));
	for (i = 0; c->kcore && i < nr; i++)
		if (gelf_getphdr(elf, i, &p) && p.p_type == PT_LOAD)
			c->kcore[c->nr_kcore++] = (struct kcore_segment) {
				p.p_offset, p.p_filesz, p.p_vaddr };
	elf_end(elf);
	return 0;
}

int image_cache_init(struct image_cache *c, const struct spaces *spaces)
{
	const char *kcore = spaces->objects->places.kcore;

	*c = (struct image_cache) { .spaces = spaces };
	c->sections = pt_iscache_alloc(NULL);
	if (!c->sections)
		return -ENOMEM;
	pt_iscache_set_limit(c->sections, CACHE_LIMIT);
	return kcore ? read_kcore(c, kcore) : 0;
}

void image_cache_free(struct image_cache *c)
{
	pt_iscache_free(c->sections);
	free(c->kcore);
	free(c->kcore_path);
}

static int add_section(struct image *i, const char *file, __u64 offset, __u64 size, __u64 address)
{
	const int isid = pt_iscache_add_file(i->cache->sections, file, offset, size, address);
	int rc = isid;

	if (isid > 0)
		rc = pt_image_add_cached(i->pt, i->cache->sections, isid, NULL);
	if (isid > 0 && grow((void **)&i->sections, i->nr_sections, sizeof(*i->sections)))
		return -ENOMEM;
	if (isid > 0)
		i->sections[i->nr_sections++] = (struct image_section) {
			address, address + size, isid };
	/* Code that cannot be read is an error where it is executed. */
	return rc == -pte_nomem ? -ENOMEM : 0;
}

static int add_mapping(struct image *i, const struct mapping *m)
{
	const char *file = object_file(m->object);

	return file ? add_section(i, file, m->offset, m->end - m->start, m->start) : 0;
}

static int add_kernel(struct image *i)
{
	const struct image_cache *c = i->cache;
	size_t k;
	int rc = 0;

	for (k = 0; k < c->nr_kcore && !rc; k++)
		rc = add_section(i, c->kcore_path, c->kcore[k].offset, c->kcore[k].size,
				 c->kcore[k].address);
	return rc;
}

/* libipt calls this where the image has no section. */
static int is_missing(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
		      void *context)
{
	struct image *i = context;

	(void)buffer;
	(void)size;
	(void)asid;
	i->missing = ip;
	return -pte_nomap;
}

static int build(struct image *i)
{
	size_t k;
	int rc;

	pt_image_free(i->pt);
	i->nr_sections = 0;
	i->pt = pt_image_alloc(NULL);
	if (!i->pt)
		return -ENOMEM;
	pt_image_set_callback(i->pt, is_missing, i);
	rc = add_kernel(i);
	for (k = 0; k < i->view.nr && !rc; k++)
		rc = add_mapping(i, &i->view.mappings[k]);
	return rc;
}

/* view_move() has changed the view. */
static int changed(struct view *v, const struct mapping *m)
{
	struct image *i = v->context;

	/* libipt has no function that removes a range of addresses, so build the image anew. */
	if (!m || !object_file(m->object))
		return build(i);
	return add_mapping(i, m);
}

static void forget(struct image *i)
{
	size_t k;

	i->generation++;
	/* An address that no instruction has */
	for (k = 0; k < IMAGE_FUNCTIONS; k++)
		i->functions[k].ip = ~0ULL;
}

int image_init(struct image *i, struct image_cache *cache)
{
	*i = (struct image) {
		.cache = cache,
		.functions = calloc(IMAGE_FUNCTIONS, sizeof(*i->functions)),
		.calls = calloc(IMAGE_CALLS, sizeof(*i->calls)),
	};
	view_init(&i->view, cache->spaces);
	i->view.changed = changed;
	i->view.context = i;
	if (!i->functions || !i->calls)
		return -ENOMEM;
	forget(i);
	return build(i);
}

void image_free(struct image *i)
{
	pt_image_free(i->pt);
	view_free(&i->view);
	free(i->sections);
	free(i->functions);
	free(i->calls);
}

int image_move(struct image *i, const struct space *space, __u64 time)
{
	const struct space *old = i->view.space;
	const size_t next = i->view.next;
	const int rc = view_move(&i->view, space, time);

	if (i->view.space != old || i->view.next != next)
		forget(i);
	return rc;
}

static inline size_t slot(__u64 ip, size_t nr)
{
	return (ip ^ ip >> 13) & (nr - 1);
}

struct function *image_function(struct image *i, __u64 ip, bool *is_begin)
{
	struct image_function *f = &i->functions[slot(ip, IMAGE_FUNCTIONS)];
	__u64 address = 0;

	if (f->ip != ip) {
		f->ip = ip;
		f->function = view_function(&i->view, ip, &address);
		f->is_begin = f->function && f->function->symbol &&
			      f->function->start == address;
	}
	*is_begin = f->is_begin;
	return f->function;
}

struct object *image_object(const struct image *i, __u64 ip)
{
	const struct mapping *m;

	if (is_kernel(ip))
		return i->view.spaces->objects->kernel;
	m = view_find(&i->view, ip);
	return m ? m->object : NULL;
}

int image_isid(const struct image *i, __u64 first, __u64 last)
{
	size_t k = i->nr_sections;

	while (k--) {
		const struct image_section *s = &i->sections[k];

		if (last >= s->begin && first < s->end)
			return first >= s->begin && last < s->end ? s->isid : 0;
	}
	return 0;
}

/* Return the size of a near call: E8 or FF /2, with any prefixes (SDM volume 2, chapter 2). */
static __u8 call_size(const __u8 *code, size_t size, bool is_64bit)
{
	static const __u8 prefixes[] = {
		0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65
	};
	bool short_operand = false, short_address = false;
	size_t i = 0;
	__u8 mod, rm;

	while (i < size && (memchr(prefixes, code[i], sizeof(prefixes)) ||
			    (is_64bit && (code[i] & 0xf0) == 0x40))) {
		/* In 64-bit mode, calls ignore 66, and 67 does not change sizes. */
		short_operand |= code[i] == 0x66 && !is_64bit;
		short_address |= code[i] == 0x67 && !is_64bit;
		i++;
	}
	if (i < size && code[i] == 0xe8)
		return i + (short_operand ? 3 : 5);
	if (i + 1 >= size || code[i] != 0xff)
		return 0;
	mod = code[i + 1] >> 6;
	rm = code[i + 1] & 7;
	i += 2;
	if (mod == 3)
		return i;
	if (short_address)
		return i + (mod == 1 ? 1 : mod == 2 || rm == 6 ? 2 : 0);
	if (rm == 4) {
		if (i >= size)
			return 0;
		rm = code[i++] & 7;
	}
	return i + (mod == 1 ? 1 : mod == 2 || rm == 5 ? 4 : 0);
}

__u8 image_call_size(struct image *i, __u64 ip, int isid, bool is_64bit)
{
	struct image_call *c = &i->calls[slot(ip, IMAGE_CALLS)];
	__u8 code[pt_max_insn_size];
	int size;

	if (c->ip != ip || c->isid != isid || !c->size) {
		size = pt_iscache_read(i->cache->sections, code, sizeof(code), isid, ip);
		*c = (struct image_call) {
			ip, isid, size > 0 ? call_size(code, size, is_64bit) : 0 };
	}
	return c->size;
}
