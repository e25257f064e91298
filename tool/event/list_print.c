// SPDX-License-Identifier: GPL-2.0-only
/*
 * Printing for `auxrec list`. Names come from files, so characters that would
 * confuse a terminal or a JSON reader are replaced or escaped.
 */
#include <stdlib.h>
#include <string.h>

#include "event/list_print.h"
#include "pmu/pmu.h"

#define NAME_WIDTH	44

static void print_string(struct list_out *out, const char *string)
{
	fputc('"', out->file);
	for (const char *p = string; *p; p++) {
		unsigned char c = *p;

		if (c == '"' || c == '\\')
			fprintf(out->file, "\\%c", c);
		else if (c < ' ' || c >= 0x7f)
			fprintf(out->file, "\\u%04x", c);
		else
			fputc(c, out->file);
	}
	fputc('"', out->file);
}

static void print_plain(struct list_out *out, const char *string)
{
	for (const char *p = string; *p; p++)
		fputc(*p >= ' ' && *p < 0x7f ? *p : '?', out->file);
}

static void print_key(struct list_out *out, const char *key, const char *value)
{
	fprintf(out->file, ", \"%s\": ", key);
	print_string(out, value);
}

static void entry(struct list_out *out, const char *kind, const char *name)
{
	fputs(out->nr++ ? ",\n" : "\n", out->file);
	fputs("  {\"kind\": ", out->file);
	print_string(out, kind);
	print_key(out, "name", name);
}

void list_begin(struct list_out *out)
{
	if (out->json)
		fputc('[', out->file);
}

void list_end(struct list_out *out)
{
	if (out->json)
		fputs(out->nr ? "\n]\n" : "]\n", out->file);
}

/* "  NAME OR ALIAS        [KIND]" */
static void line(struct list_out *out, const char *name, const char *alias,
		 const char *kind)
{
	int width = strlen(name);

	out->nr++;
	fputs("  ", out->file);
	print_plain(out, name);
	if (alias) {
		fputs(" OR ", out->file);
		print_plain(out, alias);
		width += 4 + strlen(alias);
	}
	fprintf(out->file, "%*s [%s]",
		width < NAME_WIDTH ? NAME_WIDTH - width : 0, "", kind);
}

void list_event(struct list_out *out, const char *kind, const char *name,
		const char *alias)
{
	if (!out->json) {
		line(out, name, alias, kind);
		fputc('\n', out->file);
		return;
	}
	entry(out, kind, name);
	if (alias)
		print_key(out, "alias", alias);
	fputc('}', out->file);
}

static void pmu_json(struct list_out *out, const struct pmu *pmu, enum pmu_aux aux)
{
	entry(out, "pmu", pmu->name);
	fprintf(out->file, ", \"type\": %u, \"aux\": %s", pmu->type,
		aux ? "true" : "false");
	if (aux)
		fprintf(out->file, ", \"raw_ring\": %s",
			aux == PMU_AUX_RING ? "true" : "false");
	if (pmu->alias_name)
		print_key(out, "alias", pmu->alias_name);
	if (pmu->cpus)
		print_key(out, "cpus", pmu->cpus);
	fputs(", \"terms\": [", out->file);
	for (size_t i = 0; i < pmu->nr_formats; i++) {
		const struct pmu_format *format = &pmu->formats[i];

		fputs(i ? ", {\"name\": " : "{\"name\": ", out->file);
		print_string(out, format->name);
		print_key(out, "format", format->text);
		fprintf(out->file, ", \"bits\": %d, \"max\": %llu}",
			__builtin_popcountll(format->bits),
			(unsigned long long)pmu_format_max(format));
	}
	fputs("]}", out->file);
}

static void print_format(struct list_out *out, const struct pmu_format *format)
{
	int bits = __builtin_popcountll(format->bits);

	fputs("      ", out->file);
	print_plain(out, format->name);
	if (bits)
		fprintf(out->file, "=0..%llu",
			(unsigned long long)pmu_format_max(format));
	fputs("  ", out->file);
	print_plain(out, format->text);
	if (bits)
		fprintf(out->file, " (%d bit%s)\n", bits, bits > 1 ? "s" : "");
	else
		fputs(" (not understood)\n", out->file);
}

void list_pmu(struct list_out *out, const struct pmu *pmu, enum pmu_aux aux)
{
	static const char *const kinds[] = {
		[PMU_AUX_NONE] = "PMU",
		[PMU_AUX_RING] = "PMU, AUX",
		[PMU_AUX_OTHER] = "PMU, AUX for perf only",
	};
	char name[300];

	if (out->json) {
		pmu_json(out, pmu, aux);
		return;
	}
	snprintf(name, sizeof(name), "%s//", pmu->name);
	line(out, name, NULL, kinds[aux]);
	if (pmu->cpus) {
		fputs("  cpus ", out->file);
		print_plain(out, pmu->cpus);
	}
	fputc('\n', out->file);
	for (size_t i = 0; i < pmu->nr_formats; i++) {
		const struct pmu_format *format = &pmu->formats[i];

		print_format(out, format);
	}
}

void list_alias(struct list_out *out, const struct pmu *pmu, const char *name,
		const struct pmu_alias *alias)
{
	if (!out->json) {
		line(out, name, NULL, "PMU event");
		if (*alias->terms)
			fputs("  ", out->file);
		print_plain(out, alias->terms);
		if (alias->unit) {
			fputs("  in ", out->file);
			print_plain(out, alias->unit);
		}
		fputc('\n', out->file);
		return;
	}
	entry(out, "pmu-event", name);
	print_key(out, "pmu", pmu->name);
	print_key(out, "alias", alias->name);
	print_key(out, "terms", alias->terms);
	if (alias->unit)
		print_key(out, "unit", alias->unit);
	fprintf(out->file, ", \"scale\": %.17g, \"snapshot\": %s}",
		alias->scale, alias->snapshot ? "true" : "false");
}
