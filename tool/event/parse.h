/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations that the files of the event parser share.
 */
#ifndef AUXREC_EVENT_PARSE_H
#define AUXREC_EVENT_PARSE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "event/event.h"
#include "pmu/pmu.h"

/* One call of auxrec_events_parse(). */
struct ev_ctx {
	const char *spec;
	struct auxrec_sysroot root;
	char *err;
	size_t err_len;
	struct auxrec_events out;	/* the events that this call has found so far */
	struct pmu_set pmus;
	int group;			/* group of events that are added now, or -1 */
	bool leader;			/* the next event leads its group */
};

/* event/lex.c: where an event begins and ends */

/* A piece of the spec; not terminated. */
struct ev_text {
	const char *p;
	size_t len;
};

/* An event as it is written, "cpu/event=1,name='a,b'/u", and its parts */
struct ev_item {
	struct ev_text text;	/* the whole event, without blanks around it */
	struct ev_text head;	/* before the slashes */
	bool has_terms;
	struct ev_text terms;	/* between the slashes */
	struct ev_text tail;	/* after the slashes */
};

/* Find the event at @p, and set @end to the character after it. Return 0 or -EINVAL. */
int ev_item_scan(struct ev_ctx *ctx, const char *p, struct ev_item *item,
		 const char **end);
const char *ev_skip_blanks(const char *p);
struct ev_text ev_trim(struct ev_text text);
/*
 * Move the part of @rest before the next @sep to @part. Separators between single quotes do
 * not count. After the last part, @rest->p becomes NULL, and the next call returns false.
 */
bool ev_split(struct ev_text *rest, char sep, struct ev_text *part);
bool ev_equal(struct ev_text text, const char *string);
/* Return a copy as a string, or NULL if there is no memory. */
char *ev_strdup(struct ev_text text);
/*
 * Parse @text as a number, decimal or 0x... Return 0, -ERANGE if it does not fit
 * in 64 bits, or -EINVAL if not all of @text is a number.
 */
int ev_number(struct ev_text text, __u64 *value);
/* The same for a hexadecimal number, with or without 0x. */
int ev_hex(struct ev_text text, __u64 *value);

/* event/error.c: messages */

struct ev_shown {
	char s[64];
};

/*
 * Write the message and return @ret. @at: the place in the spec, or NULL.
 */
int ev_fail(struct ev_ctx *ctx, const char *at, int ret, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Make @text printable, and cut it, for use in a message. */
const char *ev_show(struct ev_shown *shown, struct ev_text text);
const char *ev_show_string(struct ev_shown *shown, const char *string);
int ev_no_memory(struct ev_ctx *ctx);
/* The message for a machine without Intel PT. */
int ev_no_intel_pt(struct ev_ctx *ctx, const char *at);

/* A text of several parts in a buffer. It ends in "..." if the buffer is too small. */
struct ev_buf {
	size_t len;
	char s[1024];
};

void ev_printf(struct ev_buf *buf, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* event/new.c: making events and freeing them */

/* Append an event. The pointer is valid until the next call. NULL: no memory. */
struct auxrec_event *ev_new(struct ev_ctx *ctx, __u32 type, __u64 config);
/* Remove the last event. */
void ev_drop(struct ev_ctx *ctx);
void ev_free(struct auxrec_event *ev);
/* Return config, config1 ... config4 for @number 0, 1 ... 4. */
__u64 *ev_config(struct auxrec_event *ev, int number);
int ev_read_pmus(struct ev_ctx *ctx);

/*
 * event/event.c: copy @from to @to, with the defaults instead of NULL. @tracefs:
 * room for a path, of @size bytes
 */
void ev_root_init(struct auxrec_sysroot *to, const struct auxrec_sysroot *from,
		  char *tracefs, size_t size);

/* event/terms.c: terms between slashes */

enum ev_kind {
	EV_USER,		/* the PMU's own */
	EV_CONFIG, EV_CONFIG1, EV_CONFIG2, EV_CONFIG3, EV_CONFIG4,
	EV_NAME, EV_PERIOD, EV_FREQ, EV_BRANCH, EV_TIME, EV_CALLGRAPH,
	EV_STACK_SIZE, EV_MAX_STACK, EV_NR, EV_INHERIT, EV_NO_INHERIT,
	EV_OVERWRITE, EV_NO_OVERWRITE, EV_PERCORE, EV_AUX_OUTPUT,
	EV_AUX_SAMPLE_SIZE, EV_METRIC_ID,
	EV_SINK,		/* @NAME */
};

enum ev_value { EV_NOTHING, EV_NUMBER, EV_STRING };

struct ev_term {
	enum ev_kind kind;
	char *name;
	enum ev_value value;
	char *string;		/* the value as it was written, without quotes */
	__u64 number;		/* 1 for EV_NOTHING */
	struct ev_text at;	/* the name, in the spec */
	const char *at_value;
	bool used;		/* the value was put in for an alias's "?" */
};

struct ev_terms {
	struct ev_term *list;
	size_t nr;
};

/*
 * Parse @text. @at: the place that errors point to if @text is not in the spec.
 * Return 0 or -errno. The caller must free @terms in both cases.
 */
int ev_terms_parse(struct ev_ctx *ctx, struct ev_text text, struct ev_text *at,
		   struct ev_terms *terms);
void ev_terms_free(struct ev_terms *terms);
/* Write "config, config1 ..." to @buf, for messages. */
void ev_terms_list(struct ev_buf *buf, bool tracepoint);

/* event/apply.c: terms that every event can have */
int ev_apply(struct ev_ctx *ctx, struct auxrec_event *ev,
	     const struct ev_term *term);
/* Parse and apply all terms of an event that does not name a PMU. */
int ev_apply_item(struct ev_ctx *ctx, struct auxrec_event *ev,
		  const struct ev_item *item);

/* event/modifiers.c: apply modifiers (":ukhp") to the events from @first on */
int ev_mods(struct ev_ctx *ctx, struct ev_text mods, size_t first, bool group);
/* Could this be a list of modifiers? */
bool ev_is_mods(struct ev_text text);

/*
 * event/group.c: the events from @first on are group @group. Divide them into one
 * group per kind of core, and set @group to the number of the last group.
 */
int ev_group_split(struct ev_ctx *ctx, size_t first, int *group);

/*
 * The kinds of events. Functions with @mods set it to the modifiers that follow the
 * event, without the colon.
 */

/* event/hardware.c */
struct ev_symbol {
	const char *name;
	const char *alias;	/* or NULL */
	__u32 type;
	__u64 config;
};

extern const struct ev_symbol ev_symbols[];
extern const size_t ev_nr_symbols;

const struct ev_symbol *ev_symbol(struct ev_text name);
int ev_hw(struct ev_ctx *ctx, const struct ev_item *item,
	  const struct ev_symbol *symbol);
int ev_raw(struct ev_ctx *ctx, const struct ev_item *item, __u64 config);
int ev_numeric(struct ev_ctx *ctx, const struct ev_item *item,
	       struct ev_text *mods);
/*
 * Add an event. If the machine has several kinds of core and the kernel can tell
 * them apart (PERF_PMU_CAP_EXTENDED_HW_TYPE), add one event per kind of core.
 */
int ev_add_legacy(struct ev_ctx *ctx, const struct ev_item *item, __u32 type,
		  __u64 config);
bool ev_has_hw_types(struct ev_ctx *ctx);

/* event/cache.c */

/*
 * Return 0, -ENOENT if @name is not the name of a cache event, or -EINVAL if @name's cache
 * does not have @name's operation.
 */
int ev_cache_config(struct ev_text name, __u64 *config);
int ev_cache(struct ev_ctx *ctx, const struct ev_item *item, __u64 config);
int ev_cache_names(struct names *names);

/* event/breakpoint.c */
int ev_breakpoint(struct ev_ctx *ctx, const struct ev_item *item,
		  struct ev_text *mods);
/* event/probe.c: a function of a file */
int ev_probe(struct ev_ctx *ctx, const struct ev_item *item);
/* event/tracepoint.c */
int ev_tracepoint(struct ev_ctx *ctx, const struct ev_item *item,
		  struct ev_text system, struct ev_text name);

/* event/pmu_event.c: a PMU with terms, or the name of an event in events/ */
int ev_pmu(struct ev_ctx *ctx, const struct ev_item *item);
/* Add the event @name of each PMU that has it. -ENOENT (without a message): no PMU has it. */
int ev_alias(struct ev_ctx *ctx, const struct ev_item *item,
	     struct ev_text name);

/* event/expand.c: the terms of one PMU's event */
int ev_pmu_terms(struct ev_ctx *ctx, struct auxrec_event *ev,
		 const struct pmu *pmu, struct ev_terms *terms);

/* event/suggest.c: append "; did you mean cycles?" to a message, or nothing */

/* @terms: @name is followed by terms */
void ev_suggest(struct ev_ctx *ctx, struct ev_text name, bool terms,
		struct ev_buf *buf);
void ev_suggest_tracepoint(struct ev_ctx *ctx, struct ev_text system,
			   struct ev_text name, struct ev_buf *buf);
/* The most similar names of @names */
void ev_suggest_from(const struct names *names, const char *name, struct ev_buf *buf);

/* event/pmu_default.c: set what perf sets for this PMU, before the user's terms */
void ev_pmu_default(struct auxrec_event *ev, const struct pmu *pmu,
		    const char *sysfs);
/* After the user's terms: refuse values that the PMU's driver is known to refuse. */
int ev_pmu_check(struct ev_ctx *ctx, struct auxrec_event *ev,
		 const struct pmu *pmu, struct ev_text at);

#endif /* AUXREC_EVENT_PARSE_H */
