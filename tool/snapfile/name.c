// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make the names of snapshots from a pattern, and recognise names that the pattern can make.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/parse_time.h"
#include "snapfile/snapfile.h"
#include "snapfile/name.h"
#include "trigger/trigger.h"

#define CENTISECOND	(NSEC_PER_SEC / 100)
#define TIME_DIGITS	16	/* YYYYmmddHHMMSScc */
#define NUMBER_DIGITS	20	/* of 2^64 */
#define AGAIN_DIGITS	5	/* SNAPFILE_SAME */

/* Return where @conversion is first in the pattern, or NULL. */
static const char *find(const char *pattern, char conversion)
{
	const char *p;

	for (p = pattern; *p; p++) {
		if (*p != '%')
			continue;
		if (p[1] == conversion)
			return p;
		if (p[1])
			p++;
	}
	return NULL;
}

int snapfile_check(const char *pattern, struct diag *d)
{
	const char *p = pattern, *slash = strrchr(pattern, '/');

	for (; *p; p++) {
		if (*p != '%')
			continue;
		p++;
		if (!*p || !strchr("otns%", *p))
			return diag(d, -EINVAL,
				    "'%.200s': there is no %%%.1s: there are %%o (the name of -o), %%t (time), %%n (trigger), %%s (number) and %%%%",
				    pattern, p);
		if (*p == '%')
			continue;
		if (find(p + 1, *p))
			return diag(d, -EINVAL,
				    "'%.200s': %%%c is given twice: give it once",
				    pattern, *p);
		if (*p != 'o' && slash && p < slash)
			return diag(d, -EINVAL,
				    "'%.200s': %%%c is in a directory's name: give it after the last '/', all snapshots go to one directory",
				    pattern, *p);
	}
	if (!find(pattern, 't') && !find(pattern, 's'))
		return diag(d, -EINVAL,
			    "'%.200s' would be the name of each snapshot: give %%t (time) or %%s (number) in it",
			    pattern);
	return 0;
}

/* Return the length of the longest name that @tail can make, "-N" included. */
static size_t longest(const char *tail)
{
	size_t len = 1 + AGAIN_DIGITS;

	for (; *tail; tail++) {
		if (*tail != '%')
			len++;
		else if (*++tail == 't')
			len += TIME_DIGITS;
		else if (*tail == 's')
			len += NUMBER_DIGITS;
		else
			len += *tail == 'n' ? TRIGGER_NAME_MAX - 1 : 1;
	}
	return len;
}

/* Return the pattern with @base instead of %o. A % in @base becomes %%, so that it stays a %. */
static char *put_base(const char *pattern, const char *base)
{
	char *all = malloc(strlen(pattern) + 2 * strlen(base) + 1), *to = all;

	for (; all && *pattern; pattern++) {
		if (strncmp(pattern, "%o", 2)) {
			if (*pattern == '%')
				*to++ = *pattern++;
			*to++ = *pattern;
			continue;
		}
		pattern++;
		for (; *base; base++) {
			if (*base == '%')
				*to++ = '%';
			*to++ = *base;
		}
	}
	if (all)
		*to = '\0';
	return all;
}

/*
 * Split @all at its last '/'. Its directory can contain a conversion only if %o has a directory.
 * Such a name is refused.
 */
static int split(struct snapfile_name *n, char *all, const char *pattern,
		 const char *base, struct diag *d)
{
	char *slash = strrchr(all, '/'), *tail = slash ? slash + 1 : all;
	char *from, *to = n->dir;

	if (longest(tail) > NAME_MAX)
		return diag(d, -ENAMETOOLONG,
			    "names of snapshots ('%.100s', '%.100s') could have %zu bytes, the limit is %d: give a shorter -o or pattern",
			    pattern, base, longest(tail), NAME_MAX);
	strcpy(n->tail, tail);
	if (!slash) {
		strcpy(n->dir, ".");
		return 0;
	}
	*slash = '\0';
	/* Two more bytes are for the '/' in between and the NUL at the end. */
	if (strlen(all) + NAME_MAX + 2 > PATH_MAX)
		return diag(d, -ENAMETOOLONG,
			    "'%.100s': the name of the snapshots' directory is too long",
			    all);
	for (from = all; *from; from++) {
		if (*from == '%' && *++from != '%')
			return diag(d, -EINVAL,
				    "'%.100s', '%.100s': %%%c is in a directory's name: give it after %%o, all snapshots go to one directory",
				    pattern, base, *from);
		*to++ = *from;
	}
	*to = '\0';
	if (slash == all)
		strcpy(n->dir, "/");
	return 0;
}

int snapfile_name_init(struct snapfile_name *n, const char *pattern,
		       const char *base, struct diag *d)
{
	char *all;
	int err;

	err = snapfile_check(pattern, d);
	if (err)
		return err;
	all = put_base(pattern, base);
	if (!all)
		return diag(d, -ENOMEM, "out of memory");
	err = split(n, all, pattern, base, d);
	free(all);
	return err;
}

static bool is_safe(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.+-", c));
}

/*
 * Put in a trigger's name so that shells, rsync and make do not interpret it, the file is not
 * hidden, and its name does not look like an option.
 */
static char *put_trigger(char *to, const char *name)
{
	size_t i;

	for (i = 0; name[i] && i < TRIGGER_NAME_MAX - 1; i++)
		*to++ = is_safe(name[i]) && (i || isalnum((unsigned char)*name)) ?
			name[i] : '_';
	return to;
}

static char *put_time(char *to, __u64 time)
{
	const time_t s = time / NSEC_PER_SEC;
	struct tm tm = { 0 };

	localtime_r(&s, &tm);
	to += strftime(to, TIME_DIGITS + 1, "%Y%m%d%H%M%S", &tm);
	return to + sprintf(to, "%02u",
			    (unsigned int)(time % NSEC_PER_SEC / CENTISECOND));
}

void snapfile_name_make(const struct snapfile_name *n, const char *trigger,
			__u64 number, __u64 time, unsigned int again,
			char name[NAME_MAX + 1])
{
	const char varies = find(n->tail, 't') ? 't' : 's';
	const char *p;

	for (p = n->tail; *p; p++) {
		if (*p != '%' || p[1] == '%') {
			*name++ = *p;
			p += *p == '%';
			continue;
		}
		p++;
		if (*p == 't')
			name = put_time(name, time);
		else if (*p == 's')
			name += sprintf(name, "%llu", number);
		else
			name = put_trigger(name, trigger);
		if (*p == varies && again > 1)
			name += sprintf(name, "-%u", again);
	}
	*name = '\0';
}

static unsigned int digits(const char *s, unsigned int nr)
{
	unsigned int val = 0;

	while (nr--)
		val = val * 10 + *s++ - '0';
	return val;
}

/* Does @convert keep these fields? mktime() and timegm() turn 30 February into a date in March. */
static bool is_kept(time_t (*convert)(struct tm *tm), const struct tm *tm)
{
	struct tm copy = *tm;

	convert(&copy);
	return copy.tm_year == tm->tm_year && copy.tm_mon == tm->tm_mon &&
	       copy.tm_mday == tm->tm_mday && copy.tm_hour == tm->tm_hour &&
	       copy.tm_min == tm->tm_min && copy.tm_sec == tm->tm_sec;
}

/*
 * Refuse digits that no clock shows. The zone may have changed since a name was made, so a time
 * that this zone skips in spring matches too. timegm() keeps each time of the calendar. In a zone
 * with leap seconds, a clock also shows second 60, which only mktime() keeps.
 */
static bool match_time(const char *s, __u64 *time)
{
	struct tm tm = { .tm_isdst = -1 };
	time_t secs;
	int i;

	for (i = 0; i < TIME_DIGITS; i++) {
		if (!isdigit((unsigned char)s[i]))
			return false;
	}
	tm.tm_year = digits(s, 4) - 1900;
	tm.tm_mon = digits(s + 4, 2) - 1;
	tm.tm_mday = digits(s + 6, 2);
	tm.tm_hour = digits(s + 8, 2);
	tm.tm_min = digits(s + 10, 2);
	tm.tm_sec = digits(s + 12, 2);
	if (!is_kept(timegm, &tm) && !is_kept(mktime, &tm))
		return false;
	secs = mktime(&tm);
	/* 2^64 ns are 584 years. */
	if (secs < 0 || (__u64)secs >= UINT64_MAX / NSEC_PER_SEC)
		return false;
	*time = secs * NSEC_PER_SEC + digits(s + 14, 2) * CENTISECOND;
	return true;
}

/* Are the first @len bytes a number without a leading 0? */
static bool match_number(const char *s, size_t len, __u64 *val)
{
	char nr[NUMBER_DIGITS + 1];
	const char *end;

	if (*s == '0' || len > NUMBER_DIGITS)
		return false;
	memcpy(nr, s, len);
	nr[len] = '\0';
	return !parse_digits(nr, &end, val) && !*end;
}

struct match {
	struct snapfile_parts *parts;
	char varies;
};

static bool match(const struct match *m, const char *p, const char *s);

/* There may be "-N" behind the conversion that varies. Digits may follow, so try each length. */
static bool match_rest(const struct match *m, const char *p, const char *s)
{
	__u64 again;
	size_t len;

	m->parts->again = 1;
	if (match(m, p + 1, s))
		return true;
	if (*p != m->varies || *s != '-')
		return false;
	for (len = 1; isdigit((unsigned char)s[len]); len++) {
		if (!match_number(s + 1, len, &again) || again > SNAPFILE_SAME)
			return false;
		if (again > 1 && match(m, p + 1, s + 1 + len)) {
			m->parts->again = again;
			return true;
		}
	}
	return false;
}

static bool match_snapshot(const struct match *m, const char *p, const char *s)
{
	__u64 number;
	size_t len;

	for (len = 1; isdigit((unsigned char)s[len - 1]); len++) {
		if (!match_number(s, len, &number))
			return false;
		if (match_rest(m, p, s + len)) {
			m->parts->number = number;
			return true;
		}
	}
	return false;
}

/* Try each length of the trigger's name until the rest matches. */
static bool match_trigger(const struct match *m, const char *p, const char *s)
{
	size_t i;

	for (i = 0; i < TRIGGER_NAME_MAX - 1 && is_safe(s[i]); i++) {
		if (match(m, p + 1, s + i + 1))
			return true;
	}
	return false;
}

/* @p: the tail of a pattern, which has each conversion at most once */
static bool match(const struct match *m, const char *p, const char *s)
{
	for (; *p; p++, s++) {
		if (*p == '%' && *++p != '%')
			break;
		if (*p != *s)
			return false;
	}
	switch (*p) {
	case '\0':
		return !*s;
	case 't':
		if (!match_time(s, &m->parts->time))
			return false;
		m->parts->has_time = true;
		return match_rest(m, p, s + TIME_DIGITS);
	case 's':
		return match_snapshot(m, p, s);
	default:
		return match_trigger(m, p, s);
	}
}

bool snapfile_name_match(const struct snapfile_name *n, const char *name,
			 struct snapfile_parts *parts)
{
	const struct match m = {
		.parts = parts,
		.varies = find(n->tail, 't') ? 't' : 's',
	};

	*parts = (struct snapfile_parts){ .again = 1 };
	return match(&m, n->tail, name);
}
