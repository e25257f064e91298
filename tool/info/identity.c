// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tell where a recording comes from: the ids of machine and boot, and its labels.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/util.h"
#include "info/info.h"
#include "origin/identity.h"

/* A merged stream has the identity of one of its snapshots, as they are of one recording. */
int info_identity(struct info *info, const struct read_record *rec)
{
	struct read_bytes b;

	if (info->identity || !read_identity(rec, &b))
		return 0;
	info->identity = malloc(rec->size);
	if (!info->identity)
		return -ENOMEM;
	memcpy(info->identity, rec->hdr, rec->size);
	return 0;
}

static bool begin(const struct info *info, struct read_bytes *b)
{
	const struct read_record rec = {
		.hdr = info->identity, .type = REC_EVENT_TYPE,
		.size = info->identity ? info->identity->size : 0,
	};

	return info->identity && read_identity(&rec, b);
}

/* Return the value of a key, or NULL. */
static const char *value_of(const struct info *info, const char *name)
{
	const char *key, *value;
	struct read_bytes b;
	size_t len;

	if (!begin(info, &b))
		return NULL;
	while (read_identity_next(&b, &key, &len, &value))
		if (len == strlen(name) && !memcmp(key, name, len))
			return value;
	return NULL;
}

/* Take the next label. @name has room for the longest name, which read_identity_next() checks. */
static const char *next_label(struct read_bytes *b, char name[AUXREC_LABEL_KEY_MAX + 1])
{
	const size_t prefix = strlen(AUXREC_IDENTITY_LABEL);
	const char *key, *value;
	size_t len;

	while (read_identity_next(b, &key, &len, &value)) {
		if (len <= prefix || memcmp(key, AUXREC_IDENTITY_LABEL, prefix))
			continue;
		snprintf(name, AUXREC_LABEL_KEY_MAX + 1, "%.*s", (int)(len - prefix), key + prefix);
		return value;
	}
	return NULL;
}

void info_print_identity(const struct info *info)
{
	static const char * const ids[][2] = { { "machine-id", "machine" }, { "boot-id", "boot" } };
	char name[AUXREC_LABEL_KEY_MAX + 1];
	struct read_bytes b;
	const char *value;
	size_t i;

	for (i = 0; i < ARRAY_LEN(ids); i++) {
		value = value_of(info, ids[i][0]);
		if (!value)
			continue;
		fprintf(info->out, "  %-9s ", ids[i][1]);
		read_print_text(info->out, value, 64);
		fputc('\n', info->out);
	}
	if (!begin(info, &b))
		return;
	while ((value = next_label(&b, name))) {
		fprintf(info->out, "  %-9s %s=", "label", name);
		read_print_text(info->out, value, AUXREC_LABEL_VALUE_MAX);
		fputc('\n', info->out);
	}
}

void info_json_identity(const struct info *info, struct json *j)
{
	char name[AUXREC_LABEL_KEY_MAX + 1];
	struct read_bytes b;
	const char *value;

	json_string(j, "machine_id", value_of(info, "machine-id"));
	json_string(j, "boot_id", value_of(info, "boot-id"));
	json_object(j, "labels", JSON_SPACED);
	if (begin(info, &b))
		while ((value = next_label(&b, name)))
			json_string(j, name, value);
	json_end_object(j);
}
