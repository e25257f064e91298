// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers, which make a flight recorder write a snapshot: parse --trigger, and apply its limits.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "base/parse_time.h"
#include "base/signames.h"
#include "trigger/trigger.h"
#include "trigger/spec.h"

#define KINDS		"signal=, socket=, event=, bpf=, exec=, exit=, pressure=, hang=, latency= and crash"

/* Most bytes of a task's name: TASK_COMM_LEN without the NUL */
#define COMM_MAX	15

/* Most segments of a raw ring, see perfaux.h */
#define SEGMENTS_MAX	4096

/* The least price of a token, so that rounding it to ns changes it by at most 0.1 %. */
#define TOKEN_MIN_NS	1000

/* The value that a kind needs, for messages. NULL: none */
static const char * const values[] = {
	[TRIGGER_SIGNAL]	= "signal=NAME, e.g. signal=USR1",
	[TRIGGER_SOCKET]	= "socket=PATH",
	[TRIGGER_EVENT]		= "event=EVENT, e.g. event=sched:sched_process_exit",
	[TRIGGER_BPF]		= "bpf=PATH of a pinned ring buffer",
	[TRIGGER_EXEC]		= "exec=PATTERN of a task's name",
	[TRIGGER_EXIT]		= "exit=PATTERN of a task's name",
	[TRIGGER_CRASH]		= NULL,
	[TRIGGER_PRESSURE]	= PRESSURE_FORM ", e.g. " PRESSURE_EXAMPLE,
	[TRIGGER_HANG]		= HANG_FORM ", e.g. " HANG_EXAMPLE,
	[TRIGGER_LATENCY]	= LATENCY_FORM ", e.g. " LATENCY_EXAMPLE,
};

/* The trigger that is being parsed */
struct parse {
	struct trigger *t;
	const char *spec;		/* for messages */
	bool given[NR_TRIGGER_OPTIONS];
	struct diag *d;
};

/* Begin a message with the trigger that it is about. */
static int wrong(struct parse *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int wrong(struct parse *p, const char *fmt, ...)
{
	char msg[sizeof(p->d->msg)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	return diag(p->d, -EINVAL, "--trigger %.100s: %.900s", p->spec, msg);
}

static int parse_kind(struct parse *p, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(values); i++) {
		const char *name = i == TRIGGER_MACHINE ? NULL : trigger_kind_name(i);

		if (name && strlen(name) == len && !strncmp(p->spec, name, len)) {
			p->t->kind = i;
			return 0;
		}
	}
	return wrong(p, "there is no trigger '%.*s': there are " KINDS,
		     len > 64 ? 64 : (int)len, p->spec);
}

static int parse_signal(struct parse *p, const char *s)
{
	const int sig = signal_by_name(s);

	if (!sig)
		return wrong(p, "there is no signal '%.64s': free are " SIGNALS_FREE, s);
	if (!signal_is_free(sig))
		return wrong(p, "auxrec cannot take %.64s as a trigger%s: free are " SIGNALS_FREE,
			     s, sig == SIGUSR2 ?
			     ", it ends the recording and merges its snapshots" : "");
	p->t->signal = sig;
	return 0;
}

/* Parse "SIG,SIG...". */
static int parse_crash(struct parse *p, const char *s)
{
	char one[64];
	size_t len;
	int sig;

	for (;; s += len + 1) {
		len = strcspn(s, ",");
		snprintf(one, sizeof(one), "%.*s", len > 63 ? 63 : (int)len, s);
		sig = signal_by_name(one);
		if (!sig)
			return wrong(p, "there is no signal '%s': give e.g. crash=SEGV,ABRT", one);
		if (!signal_is_fatal(sig))
			return wrong(p, "%s does not end a task: give signals that do, e.g. crash=SEGV,ABRT",
				     one);
		/*
		 * If a signal ends a task without a core dump, complete_signal() sends SIGKILL to
		 * all of its threads. exit_group() and execve() do the same to the other threads.
		 * In all of these cases the tracepoint signal_deliver shows only the SIGKILL.
		 */
		if (!(signals_of_core() & 1ULL << (sig - 1)))
			return wrong(p, "%s dumps no core: the kernel delivers it as KILL, as it does to threads of a process that just ends. With -a or -C, --trigger 'event=signal:signal_generate/sig == %d && result == 0/' triggers when it is sent",
				     one, sig);
		p->t->signals |= 1ULL << (sig - 1);
		if (!s[len])
			return 0;
	}
}

/* Split sys:name/filter/ into tracepoint and filter. PMUs and breakpoints keep their slashes. */
static int parse_event(struct parse *p, const char *s)
{
	const size_t len = strlen(s), name = strcspn(s, "/");

	if (!trigger_has_filter(s)) {
		p->t->value = strdup(s);
		return 0;
	}
	if (!trigger_filter_ends(s, len))
		return wrong(p, "the filter has no '/' at its end: give %.*s/FILTER/, and modifiers before the filter",
			     name > 200 ? 200 : (int)name, s);
	if (len - name == 2)
		return wrong(p, "the filter is empty: leave out the '//'");
	p->t->filter = strndup(s + name + 1, len - name - 2);
	if (p->t->filter)
		p->t->value = strndup(s, name);
	return 0;
}

static int parse_comm(struct parse *p, const char *s)
{
	/* A longer name without a wildcard matches nothing, because the kernel cuts names. */
	if (strlen(s) > COMM_MAX && !strpbrk(s, "*?[\\"))
		return wrong(p, "names of tasks have at most %d bytes: give %s=%.*s",
			     COMM_MAX, trigger_kind_name(p->t->kind), COMM_MAX, s);
	/* A '"' would end the string in the kernel's filter, see flight/event.c. */
	if (strchr(s, '"'))
		return wrong(p, "a '\"' cannot be in a pattern: give '?' in its place");
	p->t->value = strdup(s);
	return 0;
}

static int parse_socket(struct parse *p, const char *s)
{
	const size_t max = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;

	if (strlen(s) > max)
		return wrong(p, "a socket's path has at most %zu bytes: give a shorter one",
			     max);
	p->t->value = strdup(s);
	return 0;
}

static int parse_pressure(struct parse *p, const char *s)
{
	struct diag d;

	if (pressure_parse(s, &p->t->pressure, &d))
		return wrong(p, "%.800s", d.msg);
	p->t->value = strdup(s);
	return 0;
}

static int parse_hang(struct parse *p, const char *s)
{
	struct diag d;

	if (hang_parse(s, &p->t->hang, &d))
		return wrong(p, "%.800s", d.msg);
	p->t->value = strdup(s);
	return 0;
}

static int parse_latency(struct parse *p, const char *s)
{
	struct diag d;

	if (latency_parse(s, &p->t->latency, &p->t->value, &d))
		return wrong(p, "%.800s", d.msg);
	return 0;
}

static int parse_value(struct parse *p, const char *s)
{
	int i;

	if (!*s)
		return wrong(p, "%s needs a value: give %s",
			     trigger_kind_name(p->t->kind), values[p->t->kind]);
	/*
	 * If an option is still in the value, the text after that option is not an option: report
	 * it. For an event, the event parser does that.
	 */
	for (i = 0; i < NR_TRIGGER_OPTIONS && p->t->kind != TRIGGER_EVENT; i++) {
		char key[16];

		snprintf(key, sizeof(key), ",%s", trigger_option_key(i));
		if (strstr(s, key))
			return wrong(p, "'%.64s' is not an option: only count=, rate=, pre=, post= and name= can follow %s, none with a ','",
				     strrchr(s, ',') + 1, trigger_option_key(i));
	}
	switch (p->t->kind) {
	case TRIGGER_SIGNAL:
		return parse_signal(p, s);
	case TRIGGER_SOCKET:
		return parse_socket(p, s);
	case TRIGGER_EVENT:
		return parse_event(p, s);
	case TRIGGER_BPF:
		p->t->value = strdup(s);
		return 0;
	case TRIGGER_EXEC:
	case TRIGGER_EXIT:
		return parse_comm(p, s);
	case TRIGGER_CRASH:
		return parse_crash(p, s);
	case TRIGGER_PRESSURE:
		return parse_pressure(p, s);
	case TRIGGER_HANG:
		return parse_hang(p, s);
	case TRIGGER_LATENCY:
		return parse_latency(p, s);
	case TRIGGER_MACHINE:
		break;
	}
	return 0;
}

/* Parse @s, the value of @key: a number from 1 on. @end: set to the character after the number */
static int parse_from_1(struct parse *p, const char *key, const char *s,
			const char **end, __u64 *val)
{
	int err = parse_digits(s, end, val);

	if (err == -ERANGE)
		return wrong(p, "%s%.64s is too large", key, s);
	if (err || (**end && **end != '/'))
		return wrong(p, "%s'%.64s' is not a number", key, s);
	if (!*val)
		return wrong(p, "%s0 would never write a snapshot: leave the trigger out",
			     key);
	return 0;
}

static int parse_count(struct parse *p, const char *s)
{
	const char *end;
	int err;

	err = parse_from_1(p, "count=", s, &end, &p->t->count);
	if (!err && *end)
		return wrong(p, "count='%.64s' is not a number", s);
	return err;
}

/* Parse a time. In an error's message, the trigger precedes the message of parse_time(). */
static int parse_length(struct parse *p, const char *key, const char *s,
			__u64 *ns)
{
	struct diag d;

	if (parse_time(key, s, ns, &d))
		return wrong(p, "%.500s", d.msg);
	return 0;
}

/* Parse "N", "N/s" or "N/30s". */
static int parse_rate(struct parse *p, const char *s)
{
	const char *end;
	struct diag d;
	int err;

	err = parse_from_1(p, "rate=", s, &end, &p->t->rate_nr);
	if (err)
		return err;
	p->t->rate_time = NSEC_PER_SEC;
	if (*end && parse_time_per("rate=N/TIME", end + 1, &p->t->rate_time, &d))
		return wrong(p, "%.500s", d.msg);
	if (!p->t->rate_time)
		return wrong(p, "rate=%.64s: the time is 0: give e.g. rate=1/s", s);
	if (p->t->rate_time / p->t->rate_nr < TOKEN_MIN_NS)
		return wrong(p, "rate=%.64s is more than one in a microsecond: leave it out",
			     s);
	return 0;
}

bool trigger_is_event(const struct trigger *t)
{
	return t->kind == TRIGGER_EVENT || t->kind == TRIGGER_EXEC ||
	       t->kind == TRIGGER_EXIT || t->kind == TRIGGER_CRASH ||
	       t->kind == TRIGGER_LATENCY;
}

/* Parse a time. post= of an event can also be N segments of the raw ring, without a unit. */
static int parse_post(struct parse *p, const char *s)
{
	const char *end;
	__u64 nr;
	int err;

	err = parse_digits(s, &end, &nr);
	if (err || *end)
		return parse_length(p, "post", s, &p->t->post);
	if (!trigger_is_event(p->t))
		return wrong(p, "post=%.64s has no unit: give a time, e.g. post=20ms; a number of segments is for event=, exec=, exit=, latency= and crash",
			     s);
	if (nr > SEGMENTS_MAX)
		return wrong(p, "post=%.64s: a raw ring has at most %d segments; a time needs a unit, e.g. post=20ms",
			     s, SEGMENTS_MAX);
	p->t->post_segments = nr;
	p->t->post_in_segments = true;
	return 0;
}

static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

static int parse_name(struct parse *p, const char *s)
{
	const size_t len = strlen(s);
	size_t i;

	if (len >= TRIGGER_NAME_MAX)
		return wrong(p, "the name has %zu bytes, the limit is %d", len,
			     TRIGGER_NAME_MAX - 1);
	for (i = 0; i < len; i++) {
		if (!is_printable(s[i]) || s[i] == '/')
			return wrong(p, "the name has byte 0x%02x: names are printable ASCII without '/'",
				     (unsigned char)s[i]);
	}
	memcpy(p->t->name, s, len + 1);
	return 0;
}

static int parse_option(struct parse *p, enum trigger_option option,
			const char *s)
{
	static const char * const example[NR_TRIGGER_OPTIONS] = {
		[OPTION_COUNT]	= "count=10",
		[OPTION_RATE]	= "rate=5/min",
		[OPTION_PRE]	= "pre=10s",
		[OPTION_POST]	= "post=20ms",
		[OPTION_NAME]	= "name=slow",
	};
	const char *key, *value;

	if (option == OPTION_UNKNOWN)
		return wrong(p, "there is no option '%.*s': there are count=, rate=, pre=, post= and name=",
			     (int)strcspn(s, "=") > 64 ? 64 : (int)strcspn(s, "="), s);
	key = trigger_option_key(option);
	value = s + strlen(key);
	if (s[strlen(key) - 1] != '=' || !*value)
		return wrong(p, "%s has no value: give e.g. %s", key, example[option]);
	if (p->given[option])
		return wrong(p, "%s is given twice: give it once", key);
	p->given[option] = true;

	switch (option) {
	case OPTION_COUNT:
		return parse_count(p, value);
	case OPTION_RATE:
		return parse_rate(p, value);
	case OPTION_PRE:
		if (parse_length(p, "pre", value, &p->t->pre))
			return -EINVAL;
		if (!p->t->pre)
			return wrong(p, "pre=%.64s would keep nothing: leave it out to keep everything",
				     value);
		return 0;
	case OPTION_POST:
		return parse_post(p, value);
	default:
		return parse_name(p, value);
	}
}

/* Make a name of kind and value: signal-USR1, exec-foo*. Only the last part of a path is used. */
static void make_name(struct trigger *t, const char *value)
{
	char sig[SIGNAL_NAME_MAX];
	const char *slash = NULL;
	char *c;

	if (value && (t->kind == TRIGGER_SOCKET || t->kind == TRIGGER_BPF))
		slash = strrchr(value, '/');
	if (slash && slash[1])
		value = slash + 1;
	if (t->kind == TRIGGER_SIGNAL) {
		signal_name(t->signal, sig);
		value = sig;
	} else if (t->kind == TRIGGER_EVENT) {
		value = t->value;
	}
	snprintf(t->name, sizeof(t->name), "%s%s%s", trigger_kind_name(t->kind),
		 value ? "-" : "", value ? value : "");
	for (c = t->name; *c; c++) {
		if (!is_printable(*c) || *c == '/')
			*c = '_';
	}
	/* The last '/' of pmu/terms/ has become a '_'. */
	while (c[-1] == '_')
		*--c = '\0';
	if (c == t->name + strlen(trigger_kind_name(t->kind)) + 1)
		c[-1] = '\0';
}

/* Parse the text after the kind, "=VALUE,OPTION..." or ",OPTION...", and cut it into pieces. */
static int parse_text(struct parse *p, char *text)
{
	const bool has_value = *text == '=';
	enum trigger_option found;
	struct trigger *t = p->t;
	char *option;
	int err;

	if (has_value)
		text++;
	if (*text && text[strlen(text) - 1] == ',')
		return wrong(p, "a ',' is at the end: leave it out");
	for (;;) {
		found = trigger_cut_option(text, t->kind == TRIGGER_EVENT, &option);
		if (found == OPTION_NONE)
			break;
		err = parse_option(p, found, option);
		if (err)
			return err;
	}
	if (!has_value && *text)
		return wrong(p, "'%.64s' is not an option: there are count=, rate=, pre=, post= and name=",
			     text + 1);
	if (has_value && !*text && t->kind == TRIGGER_CRASH)
		return wrong(p, "which signals? Give e.g. crash=SEGV,ABRT, or crash for all that dump core");
	if (!has_value && t->kind == TRIGGER_CRASH) {
		t->signals = signals_of_core();
	} else {
		err = parse_value(p, text);
		if (err)
			return err;
		if (!t->value && t->kind != TRIGGER_SIGNAL &&
		    t->kind != TRIGGER_CRASH)
			return diag(p->d, -ENOMEM, "out of memory");
	}
	if (!p->given[OPTION_NAME])
		make_name(t, has_value ? text : NULL);
	if (t->rate_nr)
		t->credit = t->rate_time / t->rate_nr * t->rate_nr;
	return 0;
}

int trigger_parse(struct trigger *t, const char *spec, struct diag *d)
{
	const size_t kind = strcspn(spec, "=,");
	struct parse p = { .t = t, .spec = spec, .d = d };
	char *text;
	int err;

	memset(t, 0, sizeof(*t));
	err = parse_kind(&p, kind);
	if (err)
		return err;
	text = strdup(spec + kind);
	if (!text)
		return diag(d, -ENOMEM, "out of memory");
	err = parse_text(&p, text);
	free(text);
	if (err)
		trigger_free(t);
	return err;
}

void trigger_free(struct trigger *t)
{
	free(t->value);
	free(t->filter);
	t->value = NULL;
	t->filter = NULL;
}

/*
 * A token bucket: it allows rate_nr snapshots at the same time, and then one snapshot per
 * rate_time / rate_nr, which is the price of a snapshot.
 */
static __u64 price(const struct trigger *t)
{
	return t->rate_time / t->rate_nr;
}

static void earn(struct trigger *t, __u64 now)
{
	const __u64 full = price(t) * t->rate_nr;
	const __u64 passed = now > t->credited ? now - t->credited : 0;

	t->credit = passed < full - t->credit ? t->credit + passed : full;
	if (now > t->credited)
		t->credited = now;
}

bool trigger_may(struct trigger *t, __u64 now)
{
	if (t->count && t->taken >= t->count)
		return false;
	if (!t->rate_nr)
		return true;
	earn(t, now);
	return t->credit >= price(t);
}

bool trigger_take(struct trigger *t, __u64 now)
{
	if (!trigger_may(t, now)) {
		t->suppressed++;
		return false;
	}
	if (t->rate_nr)
		t->credit -= price(t);
	t->taken++;
	return true;
}
