// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any string as --filter, with any bytes as the ELF file that it names. The
 * input is the string, a newline, and the contents of the file, whose name is "f". If the string
 * begins with NAME, the rest is the name of a symbol.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../scratch.h"
#include "event/filter.h"
#include "event/symbol.h"

#define FILE_NAME	"f"
#define NAME		'='
/* Look for at most this number of symbols of one name: each takes a search. */
#define MANY		16

/* Check one filter. Return the text after it. */
static const char *check_one(const char *p)
{
	unsigned long long start, size = 0;
	char action[8] = "";
	int len = 0;

	must(sscanf(p, "%7[a-z] 0x%llx%n", action, &start, &len) == 2 && len);
	p += len;
	if (*p == '/') {
		must(sscanf(p, "/0x%llx%n", &size, &len) == 1);
		p += len;
		/* A region must not be empty. */
		must(size);
	}
	must(!strcmp(action, "filter") ? !!size :
	     !strcmp(action, "start") || !strcmp(action, "stop"));
	if (*p == '@') {
		must(p[1] == '/');
		p += strcspn(p, " ,\n");
	}
	return p;
}

/* Filters must follow the kernel's grammar exactly. */
static void check_kernel(const char *p)
{
	for (;; p++) {
		p = check_one(p);
		if (!*p)
			return;
		must(*p == ',');
	}
}

static void try_filter(const char *text)
{
	struct diag d = { "" };
	char *kernel;
	int err;

	err = filter_addresses(text, &kernel, &d);
	must(err <= 0 && !err == !!kernel && !err == !d.msg[0]);
	must(strnlen(d.msg, sizeof(d.msg)) < sizeof(d.msg));
	if (!err)
		check_kernel(kernel);
	free(kernel);
}

/* Each symbol that is counted must be found by its number, in order, and no other. */
static void try_symbol(const char *name)
{
	struct symbol sym = { 0 }, last;
	unsigned int nr, again, i;
	int err;

	err = symbol_find(FILE_NAME, name, 0, &sym, &nr);
	if (err == -ENOEXEC)
		return;
	must(!err || err == -ESRCH);
	must(!err == (nr == 1));
	for (i = 1; i <= nr && i < MANY; i++) {
		last = sym;
		must(!symbol_find(FILE_NAME, name, i, &sym, &again) && again == nr);
		must(i == 1 || last.offset < sym.offset);
	}
	must(symbol_find(FILE_NAME, name, nr + 1, &sym, &again) == -ESRCH);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	const __u8 *end = memchr(data, '\n', size), *file = end ? end + 1 : data + size;
	char *text = scratch_string(data, (end ?: data + size) - data);
	struct scratch_cwd cwd;

	scratch_enter(&cwd);
	scratch_write(FILE_NAME, file, data + size - file);
	if (*text == NAME)
		try_symbol(text + 1);
	else
		try_filter(text);
	scratch_clear(".");
	scratch_leave(&cwd);
	free(text);
	return 0;
}
