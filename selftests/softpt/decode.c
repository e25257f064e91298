// SPDX-License-Identifier: GPL-2.0-only
/* Print the instructions that libipt finds in Intel PT packets. See usage. */
#include <err.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <intel-pt.h>

#include "libipt.h"

static const char usage[] =
"usage: decode [-b] PT IMAGE [PT IMAGE...]\n"
"\n"
"Prints the address of each instruction that libipt finds in the Intel PT packets\n"
"of PT, one a line in hex, or with -b 8 bytes each, as stepper writes them. IMAGE\n"
"has a line for each section of code, numbers in hex:\n"
"\n"
"  FILE OFFSET SIZE ADDRESS\n"
"\n"
"The exit status is 1 if there were decode errors; they are on stderr.\n";

static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	uint8_t *bytes;
	long end;

	if (!file || fseek(file, 0, SEEK_END))
		err(2, "%s", path);
	end = ftell(file);
	if (end < 0)
		err(2, "%s", path);
	rewind(file);
	bytes = malloc(end + 1);
	if (!bytes)
		err(2, "malloc");
	*size = fread(bytes, 1, end, file);
	if (*size != (size_t)end)
		err(2, "%s", path);
	fclose(file);
	return bytes;
}

int main(int argc, char **argv)
{
	struct ips ips = {};
	bool binary = false;
	int errors = 0;

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "-b")) {
		binary = true;
		argv++;
		argc--;
	}
	if (argc < 3 || argc % 2 == 0) {
		fputs(usage, stderr);
		return 2;
	}
	for (int i = 1; i < argc; i += 2) {
		struct pt_image *image = image_load(argv[i + 1]);
		size_t size;
		uint8_t *pt = read_file(argv[i], &size);

		errors += pt_to_ips(pt, size, image, &ips);
		pt_image_free(image);
		free(pt);
	}
	if (binary) {
		fwrite(ips.ip, sizeof(*ips.ip), ips.nr, stdout);
	} else {
		for (size_t i = 0; i < ips.nr; i++)
			printf("%" PRIx64 "\n", ips.ip[i]);
	}
	ips_free(&ips);
	if (fflush(stdout))
		err(2, "cannot write");
	return errors ? 1 : 0;
}
