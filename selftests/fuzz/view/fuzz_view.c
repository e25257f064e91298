// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any bytes as a recording for auxview. The target runs the decoder of Intel PT,
 * the stacks, a page or another output, and bundles. All mapped files have the code of one small
 * program (code.S), and no file of this machine is read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../scratch.h"
#include "code.h"
#include "told.h"
#include "view/bundle/bundle.h"
#include "view/code/find.h"
#include "view/folded/folded.h"
#include "view/json/json_lines.h"
#include "view/page/page.h"
#include "view/perfetto/perfetto.h"

__asm__(".section .rodata\n"
	"code_begin: .incbin \"build/fuzz/view/code\"\n"
	"code_end: .byte 0\n"
	".previous\n");

static char code[SCRATCH_PATH];

void __wrap_find_file(struct object *o)
{
	if (!*code)
		scratch_file(code, code_begin, code_end - code_begin);
	if (o->kind == OBJECT_FILE || o->kind == OBJECT_VDSO)
		o->file = strdup(code);
	else
		o->why = strdup("it is no file");
}

char *__wrap_find_debug_file(const struct object *o, const __u8 *id, size_t id_size,
			     const char *link)
{
	(void)o;
	(void)id;
	(void)id_size;
	(void)link;
	return NULL;
}

static void warn(const char *text)
{
	must(*text);
}

static const struct source_options options = { .warn = warn };

static void make_output(int fd, struct timeline *output)
{
	struct timeline *t = told_new(output);
	struct source s;
	int rc;

	must(t);
	rc = source_init(&s, fd, t, &options);
	must(!rc);
	rc = source_run(&s);
	/* There are no other errors than those of the recording. */
	must(!rc || rc == -EBADMSG || s.problem);
	source_free(&s);
	t->ops->free(t);
}

static void make_bundle(int fd, int (*bundle)(struct source *s, const char *path, struct diag *d))
{
	struct diag d = { "" };
	struct source s;
	char dir[160];
	int rc;

	snprintf(dir, sizeof(dir), "%s/bundle", scratch_dir());
	must(!source_init(&s, fd, NULL, &options));
	rc = source_scan(&s) ?: bundle(&s, dir, &d);
	must(!rc || rc == -ENOENT || rc == -EBADMSG || d.msg[0]);
	source_free(&s);
	scratch_clear(dir);
	must(!rmdir(dir) || errno == ENOENT);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	char path[SCRATCH_PATH], page[160];
	const int fd = scratch_file(path, data, size);

	snprintf(page, sizeof(page), "%s/page.html", scratch_dir());
	/* A page takes longer than the rest. */
	switch (size % 16) {
	case 0:
		make_output(fd, page_new(page, "fuzz"));
		scratch_clear(scratch_dir());
		break;
	case 2:
		make_output(fd, perfetto_new("/dev/null", "fuzz"));
		break;
	case 4:
		make_bundle(fd, bundle_lldb);
		break;
	case 6:
		make_bundle(fd, bundle_ptxed);
		break;
	case 8:
		make_output(fd, folded_new("/dev/null", "fuzz"));
		break;
	default:
		make_output(fd, json_lines_new("/dev/null", "fuzz"));
	}
	close(fd);
	return 0;
}
