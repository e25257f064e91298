/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The facts that a recorder tells about itself. The recorder tells each fact once, and the fact is
 * then written in one of three forms:
 *
 *   text	lines "KEY: VALUE", for people
 *   JSON	one object, each member on its own line
 *   metrics	the text format of Prometheus, with the prefix "auxrec_"
 *
 * JSON and metrics use base units: bytes and seconds.
 */
#ifndef AUXREC_FACTS_H
#define AUXREC_FACTS_H

#include "base/json.h"

enum facts_form {
	FACTS_TEXT,
	FACTS_JSON,
	FACTS_METRICS,
};

enum fact_unit {
	FACT_NUMBER,
	FACT_BYTES,		/* text: KiB */
	FACT_NS,		/* text: seconds with three digits; JSON and metrics: seconds */
	FACT_NS_ROUNDED,	/* the same, and in text whole seconds */
};

struct fact {
	const char *key;	/* of the text; NULL: the text does not have this fact */
	/*
	 * The name of the metric without "auxrec_" and "_total", and the key of JSON. If @label is
	 * set, the key of JSON is "NAME_VALUE". Facts of one name follow each other.
	 */
	const char *name;	/* NULL: only the text has this fact */
	const char *help;	/* one line, without a backslash */
	enum fact_unit unit;
	bool counter;		/* it only grows while the recorder runs */
	const char *label, *value;
};

/* Rows of numbers that have a name of their own, such as a trigger's */
struct fact_table {
	const char *key;	/* of the lines of text: "KEY NAME: NUMBER COLUMN, ..."; or NULL */
	const char *name;	/* of the array of JSON */
	const char *label;	/* of the name in metrics and JSON */
	bool quiet;		/* the text leaves out rows that have zeros only */
	/* In a column, @name is that of the metric, and @key that of text and JSON. */
	const struct fact *columns;
	size_t nr_columns;
};

#define FACT_COLUMNS_MAX	4

struct fact_row {
	const char *name;
	__u64 values[FACT_COLUMNS_MAX];
};

struct facts {
	FILE *to;
	enum facts_form form;
	struct json json;
	const char *last;	/* the metric whose HELP and TYPE are written */
};

/* Begin and end the facts. Everything is written to @to. */
void facts_begin(struct facts *f, enum facts_form form, FILE *to);
void facts_end(struct facts *f);

void facts_put(struct facts *f, const struct fact *fact, __u64 value);
void facts_table(struct facts *f, const struct fact_table *t, const struct fact_row *rows,
		 size_t nr);
/*
 * Tell a text. Metrics leave it out, because a label that changes makes a new time series. The key
 * of JSON is @key with '_' for each blank. In text, a control character becomes a '?'.
 */
void facts_text(struct facts *f, const char *key, const char *text);
/* Tell what identifies the recorder: a text, which is also a label of the metric @name. */
void facts_identity(struct facts *f, const struct fact *fact, const char *text);

#endif /* AUXREC_FACTS_H */
