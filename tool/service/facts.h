/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The facts that a recorder tells about itself. A fact is written in one of three forms:
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
	FACT_NS_ROUNDED,	/* text: whole seconds; JSON and metrics: seconds */
};

struct fact {
	const char *key;	/* of the text; NULL: the text does not have this fact */
	/*
	 * The name of the metric without "auxrec_" and "_total", and the key of JSON. If @value is
	 * set, the key of JSON is "NAME_VALUE". The caller puts facts of one name one after the
	 * other.
	 */
	const char *name;	/* NULL: only the text has this fact */
	const char *help;	/* one line, without a backslash */
	enum fact_unit unit;
	bool counter;		/* the number only grows while the recorder runs */
	const char *label, *value;	/* of the metric, or NULL */
};

/* Rows of numbers. Each row has a name, such as that of a trigger. */
struct fact_table {
	/* Text has lines "KEY NAME: NUMBER COLUMN, ..."; NULL: text does not have the table. */
	const char *key;
	const char *name;	/* of the array in JSON */
	const char *label;	/* metrics: the label, JSON: the key that a row's name has */
	bool quiet;		/* the text leaves out rows that have zeros only */
	/*
	 * A column's @name is that of the metric. Its @key is that of text and JSON; NULL: JSON
	 * has "bytes".
	 */
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
	const char *last;	/* the metric whose HELP and TYPE were written last */
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
/* Tell a text that identifies the recorder. In metrics, the text is a label, and the value is 1. */
void facts_identity(struct facts *f, const struct fact *fact, const char *text);

#endif /* AUXREC_FACTS_H */
