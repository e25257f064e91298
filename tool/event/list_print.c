// SPDX-License-Identifier: GPL-2.0-only
/*
 * Printing for `auxrec list`. Names come from files, so characters that would
 * confuse a terminal are replaced.
 */
#include <stdlib.h>
#include <string.h>

#include "event/list_print.h"
#include "pmu/pmu.h"

#define NAME_WIDTH	44

static void print_plain(struct list_out *out, const char *string)
{
	for (const char *p = string; *p; p++)
		fputc(*p >= ' ' && *p < 0x7f ? *p : '?', out->file);
}

/* Begin the object of an entry. */
static void entry(struct list_out *out, const char *kind, const char *name)
{
	out->nr++;
	json_object(&out->json, NULL, JSON_SPACED);
	json_string(&out->json, "kind", kind);
	json_string(&out->json, "name", name);
}

/* Write a string that not all entries have. */
static void option(struct list_out *out, const char *key, const char *value)
{
	if (value)
		json_string(&out->json, key, value);
}

void list_begin(struct list_out *out)
{
	out->json.f = out->file;
	if (out->is_json)
		json_array(&out->json, NULL, JSON_BLOCK);
}

void list_end(struct list_out *out)
{
	if (out->is_json)
		json_end_array(&out->json);
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
	if (!out->is_json) {
		line(out, name, alias, kind);
		fputc('\n', out->file);
		return;
	}
	entry(out, kind, name);
	option(out, "alias", alias);
	json_end_object(&out->json);
}

static void pmu_json(struct list_out *out, const struct pmu *pmu, enum pmu_aux aux)
{
	struct json *j = &out->json;

	entry(out, "pmu", pmu->name);
	json_u64(j, "type", pmu->type);
	json_bool(j, "aux", aux);
	if (aux)
		json_bool(j, "raw_ring", aux == PMU_AUX_RING);
	option(out, "alias", pmu->alias_name);
	option(out, "cpus", pmu->cpus);
	json_array(j, "terms", JSON_SPACED);
	for (size_t i = 0; i < pmu->nr_formats; i++) {
		const struct pmu_format *format = &pmu->formats[i];

		json_object(j, NULL, JSON_SPACED);
		json_string(j, "name", format->name);
		json_string(j, "format", format->text);
		json_u64(j, "bits", __builtin_popcountll(format->bits));
		json_u64(j, "max", pmu_format_max(format));
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
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

	if (out->is_json) {
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
	if (!out->is_json) {
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
	json_string(&out->json, "pmu", pmu->name);
	json_string(&out->json, "alias", alias->name);
	json_string(&out->json, "terms", alias->terms);
	option(out, "unit", alias->unit);
	json_double(&out->json, "scale", alias->scale);
	json_bool(&out->json, "snapshot", alias->snapshot);
	json_end_object(&out->json);
}
