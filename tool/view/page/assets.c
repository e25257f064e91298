// SPDX-License-Identifier: GPL-2.0-only
/*
 * The HTML, CSS and JavaScript of a page, as the files of this folder have them.
 *
 * The assembler reads the files. Their paths are relative to the top of the tree, where make runs
 * the compiler.
 */
#include <stddef.h>

#include "view/page/assets.h"

#define ASSET(name, file)						\
	__asm__(".section .rodata\n"					\
		".global page_" #name "_begin, page_" #name "_end\n"	\
		".hidden page_" #name "_begin, page_" #name "_end\n"	\
		"page_" #name "_begin:\n"				\
		".incbin \"tool/view/page/" file "\"\n"			\
		"page_" #name "_end:\n"					\
		".byte 0\n"						\
		".previous\n");						\
	extern const char page_##name##_begin[], page_##name##_end[]

#define PART(name)	{ page_##name##_begin, page_##name##_end }
#define TEXT(s)		{ s, s + sizeof(s) - 1 }

ASSET(css, "page.css");
ASSET(html, "page.html");
ASSET(store, "store.js");
ASSET(decode, "decode.js");
ASSET(index, "index.js");
ASSET(calls, "calls.js");
ASSET(model, "model.js");
ASSET(search, "search.js");
ASSET(flame, "flame.js");
ASSET(text, "text.js");
ASSET(colour, "colour.js");
ASSET(layout, "layout.js");
ASSET(draw, "draw.js");
ASSET(marks, "marks.js");
ASSET(panel, "panel.js");
ASSET(input, "input.js");
ASSET(view, "view.js");

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	/* The page loads nothing, whatever is in it. */
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<title>auxview</title>\n<style>\n";
static const char style_end[] = "</style>\n</head>\n<body>\n";
static const char script[] = "<script>\n\"use strict\";\n";
static const char script_end[] = "</script>\n</body>\n</html>\n";

const struct asset assets_head[] = {
	TEXT(head), PART(css), TEXT(style_end), PART(html), { NULL, NULL },
};

const struct asset assets_tail[] = {
	TEXT(script),
	PART(store), PART(decode), PART(index), PART(calls), PART(model), PART(search),
	PART(flame), PART(text), PART(colour), PART(layout), PART(draw), PART(marks), PART(panel),
	PART(input), PART(view),
	TEXT(script_end), { NULL, NULL },
};
