// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_ways LIST: map one executable page of each file in LIST. The lines of LIST are
 * "WAY-NAME PATH".
 */
#include <stdio.h>
#include <string.h>

#include "../ids/ids_lib.h"

static int map_named(const char *name, const char *path)
{
	size_t length = strcspn(name, "-");
	int i;

	for (i = 0; i < NR_WAYS; i++)
		if (strlen(way_names[i]) == length &&
		    !strncmp(name, way_names[i], length))
			return map_path(path, i);
	return -1;
}

int main(int argc, char **argv)
{
	char name[64], path[256];
	FILE *list = argc == 2 ? fopen(argv[1], "re") : NULL;

	if (!list) {
		fprintf(stderr, "usage: map_ways LIST\n");
		return 2;
	}
	while (fscanf(list, "%63s %255s", name, path) == 2) {
		if (map_named(name, path)) {
			fprintf(stderr, "map_ways: cannot map %s (%s)\n", name,
				path);
			return 1;
		}
	}
	fclose(list);
	return 0;
}
