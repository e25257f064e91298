// SPDX-License-Identifier: GPL-2.0-only
/* Printing strings, sizes and times of a stream as text or JSON. */
#include "base/text.h"

#include "base/bytes.h"

void read_print_text(FILE *f, const char *s, size_t max)
{
	size_t i;

	for (i = 0; i < max && s[i]; i++) {
		unsigned char c = s[i];

		if (c < ' ' || c >= 0x7f)
			fprintf(f, "\\x%02x", c);
		else
			fputc(c, f);
	}
}

/* Return the length of the UTF-8 sequence at @s, or 0 if there is none. */
static int utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char mask, lead;
	} kinds[] = {
		{ 0xe0, 0xc0 }, { 0xf0, 0xe0 }, { 0xf8, 0xf0 },
	};
	int i, k;

	for (k = 0; k < 3; k++) {
		if ((s[0] & kinds[k].mask) != kinds[k].lead)
			continue;
		for (i = 1; i <= k + 1; i++) {
			if ((s[i] & 0xc0) != 0x80)
				return 0;
		}
		/* overlong, surrogates, beyond U+10FFFF */
		if (s[0] < 0xc2 || s[0] > 0xf4 ||
		    (s[0] == 0xe0 && s[1] < 0xa0) ||
		    (s[0] == 0xed && s[1] > 0x9f) ||
		    (s[0] == 0xf0 && s[1] < 0x90) ||
		    (s[0] == 0xf4 && s[1] > 0x8f))
			return 0;
		return k + 2;
	}
	return 0;
}

void read_print_json(FILE *f, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	fputc('"', f);
	while (*p) {
		int n;

		if (*p == '"' || *p == '\\') {
			fprintf(f, "\\%c", *p++);
		} else if (*p < ' ' || *p == 0x7f) {
			fprintf(f, "\\u%04x", *p++);
		} else if (*p < 0x80) {
			fputc(*p++, f);
		} else {
			n = utf8_length(p);
			if (n) {
				fwrite(p, 1, n, f);
				p += n;
			} else {
				fputs("\\ufffd", f);
				p++;
			}
		}
	}
	fputc('"', f);
}

const char *read_print_size(char *buf, size_t len, double bytes)
{
	static const char * const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t i = 0;

	while (bytes >= 1024 && i + 1 < ARRAY_SIZE(units)) {
		bytes /= 1024;
		i++;
	}
	snprintf(buf, len, i ? "%.1f %s" : "%.0f %s", bytes, units[i]);
	return buf;
}

const char *read_print_time(char *buf, size_t len, __u64 ns)
{
	snprintf(buf, len, "%llu.%09llu", ns / 1000000000, ns % 1000000000);
	return buf;
}

const char *read_print_duration(char *buf, size_t len, __u64 ns)
{
	if (ns < 1000)
		snprintf(buf, len, "%llu ns", ns);
	else if (ns < 1000000)
		snprintf(buf, len, "%.1f us", ns / 1e3);
	else if (ns < 1000000000)
		snprintf(buf, len, "%.1f ms", ns / 1e6);
	else
		snprintf(buf, len, "%.3f s", ns / 1e9);
	return buf;
}
