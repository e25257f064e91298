// SPDX-License-Identifier: GPL-2.0-only
/*
 * Divide the addresses of an object among its functions.
 *
 * Symbols can have the same address, and be inside each other. Compilers split a function, and
 * name the other part NAME.cold: it belongs to the same function here, because a jump between the
 * parts is no call.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/code/functions.h"
#include "view/code/object.h"

static int compare(const void *a, const void *b)
{
	const struct function_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	if (strlen(x->name) != strlen(y->name))
		return strlen(x->name) > strlen(y->name) ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Keep one symbol for each address, with the largest size of all. */
static void remove_aliases(struct functions *f)
{
	size_t i, nr = 0;

	for (i = 0; i < f->nr_symbols; i++) {
		if (nr && f->symbols[nr - 1].start == f->symbols[i].start) {
			if (f->symbols[i].end > f->symbols[nr - 1].end)
				f->symbols[nr - 1].end = f->symbols[i].end;
			continue;
		}
		f->symbols[nr++] = f->symbols[i];
	}
	f->nr_symbols = nr;
	/* A symbol without a size ends where the next one begins. */
	for (i = 0; i < nr; i++)
		if (f->symbols[i].end <= f->symbols[i].start)
			f->symbols[i].end = i + 1 < nr ? f->symbols[i + 1].start : ~0ULL;
}

static int compare_names(const void *a, const void *b)
{
	const struct function *const *x = a, *const *y = b;
	const int rc = strcmp((*x)->symbol, (*y)->symbol);

	return rc ?: *x < *y ? -1 : *x > *y;
}

/* Return the function NAME of which the symbol "NAME.cold" or "NAME.cold.N" is a part, or NULL. */
static struct function *whole_of(struct function **by_name, size_t nr, const char *name)
{
	const char *cold = strstr(name, ".cold");
	size_t low = 0, high = nr, mid, len;
	int rc;

	if (!cold || (cold[5] && cold[5] != '.'))
		return NULL;
	len = cold - name;
	while (low < high) {
		mid = low + (high - low) / 2;
		rc = strncmp(by_name[mid]->symbol, name, len);
		if (!rc && by_name[mid]->symbol[len])
			rc = 1;
		if (!rc && mid + 1 < nr && !strcmp(by_name[mid]->symbol, by_name[mid + 1]->symbol))
			return NULL;	/* several functions have this name */
		if (!rc && mid && !strcmp(by_name[mid]->symbol, by_name[mid - 1]->symbol))
			return NULL;
		if (!rc)
			return by_name[mid];
		if (rc < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* Set @of to the index of the function of each symbol. Return 0 or -ENOMEM. */
static int number(struct functions *f, __u32 *of)
{
	struct function **by_name = calloc(f->nr_symbols + 1, sizeof(*by_name)), *whole;
	size_t i;

	if (!by_name)
		return -ENOMEM;
	for (i = 0; i < f->nr_symbols; i++)
		by_name[i] = &f->list[i];
	qsort(by_name, f->nr_symbols, sizeof(*by_name), compare_names);
	for (i = 0; i < f->nr_symbols; i++) {
		whole = whole_of(by_name, f->nr_symbols, f->symbols[i].name);
		of[i] = whole ? whole - f->list : (long)i;
	}
	free(by_name);
	return 0;
}

static void add_part(struct functions *f, __u64 start, __u32 function)
{
	struct function_part *last = f->nr_parts ? &f->parts[f->nr_parts - 1] : NULL;

	if (last && last->start == start)
		last->function = function;
	else if (!last || last->function != function)
		f->parts[f->nr_parts++] = (struct function_part) { start, function };
}

/* Begin a function without a symbol at @start. */
static void add_gap(struct functions *f, __u64 start)
{
	f->list[f->nr] = (struct function) {
		.start = start, .end = ~0ULL, .object = f->object, .number = FUNCTION_NO_NUMBER,
	};
	add_part(f, start, f->nr++);
}

/* End the functions of @open that end before @start, the innermost first. */
static void end_before(struct functions *f, const __u32 *of, __u32 *open, size_t *nr,
		       __u64 start)
{
	__u64 end;

	while (*nr && f->symbols[open[*nr - 1]].end <= start) {
		end = f->symbols[open[--*nr]].end;
		while (*nr && f->symbols[open[*nr - 1]].end <= end)
			--*nr;
		if (*nr)
			add_part(f, end, of[open[*nr - 1]]);
		else if (end < start || start == ~0ULL)
			add_gap(f, end);
	}
}

static void divide(struct functions *f, const __u32 *of, __u32 *open)
{
	size_t i, nr_open = 0;

	add_gap(f, 0);
	for (i = 0; i < f->nr_symbols; i++) {
		end_before(f, of, open, &nr_open, f->symbols[i].start);
		/* If a function ends later than one that is open, the open one ends here. */
		while (nr_open && f->symbols[open[nr_open - 1]].end < f->symbols[i].end)
			nr_open--;
		add_part(f, f->symbols[i].start, of[i]);
		open[nr_open++] = i;
	}
	end_before(f, of, open, &nr_open, ~0ULL);
}

int functions_divide(struct functions *f)
{
	const size_t nr = f->nr_symbols;
	__u32 *of = calloc(2 * nr + 1, sizeof(*of));
	size_t i;
	int rc = -ENOMEM;

	if (nr)
		qsort(f->symbols, nr, sizeof(*f->symbols), compare);
	remove_aliases(f);
	/* At most one gap follows each function, and one is in front. */
	f->list = calloc(2 * nr + 2, sizeof(*f->list));
	f->parts = calloc(4 * nr + 4, sizeof(*f->parts));
	if (of && f->list && f->parts) {
		for (i = 0; i < f->nr_symbols; i++)
			f->list[i] = (struct function) {
				.start = f->symbols[i].start, .end = f->symbols[i].end,
				.symbol = f->symbols[i].name, .object = f->object,
				.number = FUNCTION_NO_NUMBER,
			};
		f->nr = f->nr_symbols;
		rc = number(f, of);
	}
	if (!rc)
		divide(f, of, of + nr);
	free(of);
	free(f->symbols);
	f->symbols = NULL;
	f->nr_symbols = 0;
	return rc;
}
