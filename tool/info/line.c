// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the time line as text.
 */
#include <stdlib.h>
#include <string.h>

#include "info/info.h"
#include "base/text.h"

#define LABEL		22
#define MAX_ROWS	40

/* From little to much. A bucket that is not empty is never blank. */
static const char density[] = ".:-=+*#@";

static int by_weight(const void *a, const void *b)
{
	const struct timeline_row *x = *(struct timeline_row * const *)a;
	const struct timeline_row *y = *(struct timeline_row * const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	if (x->gaps != y->gaps)
		return x->gaps < y->gaps ? 1 : -1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static void print_label(const struct info *info, __u64 key)
{
	const struct info_thread *t;
	char text[64];

	if (key == TIMELINE_OTHERS) {
		snprintf(text, sizeof(text), "others");
	} else if (key & INFO_ROW_CPU) {
		if ((__u32)key == INFO_NOBODY)
			snprintf(text, sizeof(text), "no CPU known");
		else
			snprintf(text, sizeof(text), "CPU %u", (__u32)key);
	} else {
		t = info_find_thread(info, key);
		snprintf(text, sizeof(text), "%s %u",
			 t && t->comm[0] ? t->comm : "?", (__u32)key);
	}
	/*
	 * Replace unprintable characters by '?': an escape would be longer and
	 * move the columns.
	 */
	for (char *p = text; *p; p++) {
		if (*p < ' ' || *p > '~')
			*p = '?';
	}
	fprintf(info->out, "%-*.*s", LABEL, LABEL - 1, text);
}

static char glyph(double value, double max)
{
	size_t n = sizeof(density) - 1, i = value / max * n;

	return density[i < n ? i : n - 1];
}

static void print_row(const struct info *info, const struct timeline_row *row,
		      struct timeline_bucket *columns, int nr, double max_bytes,
		      __u32 max_samples)
{
	int i;

	print_label(info, row->key);
	timeline_columns(&info->line, row, columns, nr);
	for (i = 0; i < nr; i++) {
		char c = ' ';

		if (columns[i].gaps)
			c = '!';
		else if (columns[i].bytes > 0)
			c = glyph(columns[i].bytes, max_bytes);
		else if (columns[i].samples)
			c = columns[i].samples * 4ULL > max_samples ? 'S' : 's';
		fputc(c, info->out);
	}
	fputc('\n', info->out);
}

static void print_axis(const struct info *info, int nr)
{
	const struct timeline *t = &info->line;
	char a[32], b[32];

	read_print_time(a, sizeof(a), t->first);
	read_print_time(b, sizeof(b), t->last);
	fprintf(info->out, "%-*s%s", LABEL, "", a);
	fprintf(info->out, "%*s\n", nr - (int)strlen(a), b);
}

void info_print_line(const struct info *info, int width)
{
	const struct timeline *t = &info->line;
	int nr = width - LABEL, i;
	struct timeline_bucket *columns;
	struct timeline_row **rows;
	char a[32], b[32];
	__u32 max_samples = 0;
	double max = 0;
	size_t r;

	if (!t->nr) {
		fputs("  nothing that has a time\n", info->out);
		return;
	}
	columns = calloc(nr, sizeof(*columns));
	rows = malloc(t->nr * sizeof(*rows));
	if (!columns || !rows)
		goto out;
	for (r = 0; r < t->nr; r++) {
		rows[r] = t->rows[r];
		timeline_columns(t, rows[r], columns, nr);
		for (i = 0; i < nr; i++) {
			if (columns[i].bytes > max)
				max = columns[i].bytes;
			if (columns[i].samples > max_samples)
				max_samples = columns[i].samples;
		}
	}
	qsort(rows, t->nr, sizeof(*rows), by_weight);
	print_axis(info, nr);
	for (r = 0; r < t->nr && r < MAX_ROWS; r++)
		print_row(info, rows[r], columns, nr, max, max_samples);
	if (r < t->nr)
		fprintf(info->out, "%-*s(%zu more)\n", LABEL, "", t->nr - r);
	fprintf(info->out, "  one column is %s",
		read_print_duration(a, sizeof(a), (t->last - t->first) / nr));
	if (max > 0)
		fprintf(info->out, "; AUX data '%c' little to '%c' %s",
			density[0], density[sizeof(density) - 2],
			read_print_size(b, sizeof(b), max));
	fputs("\n  's' few samples, 'S' many, '!' a gap, ' ' nothing\n",
	      info->out);
out:
	free(columns);
	free(rows);
}
