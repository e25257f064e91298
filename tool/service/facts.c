// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write the facts that a recorder tells about itself: as text, as JSON, or as metrics.
 */
#include <string.h>

#include "service/facts.h"

#define ULL(v)	((unsigned long long)(v))

void facts_begin(struct facts *f, enum facts_form form, FILE *to)
{
	*f = (struct facts){ .to = to, .form = form, .json = { .f = to } };
	if (form == FACTS_JSON)
		json_object(&f->json, NULL, JSON_BLOCK);
}

void facts_end(struct facts *f)
{
	if (f->form == FACTS_JSON)
		json_end_object(&f->json);
}

static bool is_time(const struct fact *fact)
{
	return fact->unit == FACT_NS || fact->unit == FACT_NS_ROUNDED;
}

/* --- text ------------------------------------------------------------------ */

static void text_value(FILE *to, const struct fact *fact, __u64 value)
{
	switch (fact->unit) {
	case FACT_NUMBER:
		fprintf(to, "%llu", ULL(value));
		break;
	case FACT_BYTES:
		fprintf(to, "%llu KiB", ULL(value >> 10));
		break;
	case FACT_NS:
		fprintf(to, "%.3f s", value / 1e9);
		break;
	case FACT_NS_ROUNDED:
		fprintf(to, "%.0f s", value / 1e9);
		break;
	}
}

static bool all_zero(const struct fact_table *t, const struct fact_row *row)
{
	size_t i;

	for (i = 0; i < t->nr_columns; i++)
		if (row->values[i])
			return false;
	return true;
}

static void text_row(FILE *to, const struct fact_table *t, const struct fact_row *row)
{
	size_t i;

	if (t->quiet && all_zero(t, row))
		return;
	fprintf(to, "%s %s: ", t->key, row->name);
	for (i = 0; i < t->nr_columns; i++) {
		if (i)
			fputs(", ", to);
		text_value(to, &t->columns[i], row->values[i]);
		if (t->columns[i].key)
			fprintf(to, " %s", t->columns[i].key);
	}
	fputc('\n', to);
}

/* A newline would begin another fact, or end the answer. */
static void text_line(FILE *to, const char *key, const char *text)
{
	fprintf(to, "%s: ", key);
	for (; *text; text++)
		fputc((unsigned char)*text < ' ' ? '?' : *text, to);
	fputc('\n', to);
}

/* --- JSON ------------------------------------------------------------------ */

static void json_value(struct json *j, const char *key, const struct fact *fact, __u64 value)
{
	if (is_time(fact))
		json_double(j, key, value / 1e9);
	else
		json_u64(j, key, value);
}

static const char *json_key(const char *a, const char *b, char buf[64])
{
	char *c;

	snprintf(buf, 64, "%s%s%s", a, b ? "_" : "", b ?: "");
	for (c = buf; *c; c++)
		if (*c == ' ')
			*c = '_';
	return buf;
}

static void json_rows(struct json *j, const struct fact_table *t, const struct fact_row *rows,
		      size_t nr)
{
	size_t i, c;

	json_array(j, t->name, JSON_BLOCK);
	for (i = 0; i < nr; i++) {
		json_object(j, NULL, JSON_SPACED);
		json_string(j, t->label, rows[i].name);
		for (c = 0; c < t->nr_columns; c++)
			json_value(j, t->columns[c].key ?: "bytes", &t->columns[c],
				   rows[i].values[c]);
		json_end_object(j);
	}
	json_end_array(j);
}

/* --- metrics --------------------------------------------------------------- */

/* Write the help text and the type of a metric once, before its first value. */
static void metric_head(struct facts *f, const struct fact *fact)
{
	const char *total = fact->counter ? "_total" : "";

	if (f->last && !strcmp(f->last, fact->name))
		return;
	f->last = fact->name;
	fprintf(f->to, "# HELP auxrec_%s%s %s\n", fact->name, total, fact->help);
	fprintf(f->to, "# TYPE auxrec_%s%s %s\n", fact->name, total,
		fact->counter ? "counter" : "gauge");
}

/* Prometheus knows three escapes in the value of a label. */
static void metric_label(FILE *to, const char *label, const char *value)
{
	fprintf(to, "%s=\"", label);
	for (; *value; value++) {
		if (*value == '\n')
			fputs("\\n", to);
		else if (*value == '"' || *value == '\\')
			fprintf(to, "\\%c", *value);
		else
			fputc(*value, to);
	}
	fputc('"', to);
}

static void metric(struct facts *f, const struct fact *fact, const char *label, const char *of,
		   __u64 value)
{
	metric_head(f, fact);
	fprintf(f->to, "auxrec_%s%s", fact->name, fact->counter ? "_total" : "");
	if (label) {
		fputc('{', f->to);
		metric_label(f->to, label, of);
		fputc('}', f->to);
	}
	if (is_time(fact))
		fprintf(f->to, " %.9f\n", value / 1e9);
	else
		fprintf(f->to, " %llu\n", ULL(value));
}

/* --- all forms ------------------------------------------------------------- */

void facts_put(struct facts *f, const struct fact *fact, __u64 value)
{
	char key[64];

	if (f->form == FACTS_TEXT ? !fact->key : !fact->name)
		return;
	switch (f->form) {
	case FACTS_TEXT:
		fprintf(f->to, "%s: ", fact->key);
		text_value(f->to, fact, value);
		fputc('\n', f->to);
		break;
	case FACTS_JSON:
		json_value(&f->json, json_key(fact->name, fact->value, key), fact, value);
		break;
	case FACTS_METRICS:
		metric(f, fact, fact->label, fact->value, value);
		break;
	}
}

/* Metrics are written column by column, because all values of one metric must follow each other. */
void facts_table(struct facts *f, const struct fact_table *t, const struct fact_row *rows,
		 size_t nr)
{
	size_t i, c;

	if (f->form == FACTS_JSON)
		json_rows(&f->json, t, rows, nr);
	for (i = 0; f->form == FACTS_TEXT && t->key && i < nr; i++)
		text_row(f->to, t, &rows[i]);
	for (c = 0; f->form == FACTS_METRICS && c < t->nr_columns; c++)
		for (i = 0; i < nr; i++)
			metric(f, &t->columns[c], t->label, rows[i].name, rows[i].values[c]);
}

void facts_text(struct facts *f, const char *key, const char *text)
{
	char name[64];

	if (f->form == FACTS_TEXT)
		text_line(f->to, key, text);
	else if (f->form == FACTS_JSON)
		json_string(&f->json, json_key(key, NULL, name), text);
}

void facts_identity(struct facts *f, const struct fact *fact, const char *text)
{
	if (f->form == FACTS_METRICS)
		metric(f, fact, fact->label, text, 1);
	else
		facts_text(f, fact->key, text);
}
