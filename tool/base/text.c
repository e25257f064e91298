// SPDX-License-Identifier: GPL-2.0-only
/* Printing strings, sizes and times of a stream as text. */
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
