// SPDX-License-Identifier: GPL-2.0-only
/*
 * auxview: show what auxrec has recorded. auxrec starts it for its commands view and export, so
 * auxrec itself needs none of the libraries that decode.
 */
#include <stdio.h>
#include <string.h>

#include "view/command/command.h"

int main(int argc, char **argv)
{
	char export[] = "auxrec export";
#if VIEW_HAS_PAGE
	char view[] = "auxrec view";

	if (argc > 1 && !strcmp(argv[1], "view")) {
		argv[1] = view;
		return view_main(argc - 1, argv + 1);
	}
#endif
	if (argc > 1 && !strcmp(argv[1], "export")) {
		argv[1] = export;
		return export_main(argc - 1, argv + 1);
	}
	fprintf(stderr, "auxview: start it by auxrec view or auxrec export\n");
	return VIEW_ERROR;
}
