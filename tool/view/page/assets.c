// SPDX-License-Identifier: GPL-2.0-only
/*
 * The HTML, CSS and JavaScript of a page, as the files of browser/ have them.
 *
 * The assembler reads the files. Their paths are relative to the top of the tree, where make runs
 * the compiler.
 */
#include <stddef.h>

#include "view/page/assets.h"

/* Include files, one after the other, between two symbols. */
#define BEGIN(name)	".global " #name ", " #name "_end\n"	\
			".hidden " #name ", " #name "_end\n" #name ":\n"
#define FILE(name)	".incbin \"tool/view/page/browser/" name "\"\n"
#define END(name)	#name "_end:\n.byte 0\n"

__asm__(".section .rodata\n"
	BEGIN(page_css) FILE("page.css") END(page_css)
	BEGIN(page_html) FILE("page.html") END(page_html)
	BEGIN(page_js)
	FILE("store.js") FILE("decode.js") FILE("index.js") FILE("calls.js")
	FILE("model.js") FILE("search.js") FILE("flame.js")
	FILE("text.js") FILE("colour.js") FILE("layout.js") FILE("draw.js") FILE("marks.js")
	FILE("panel.js") FILE("input.js") FILE("view.js")
	END(page_js)
	".previous\n");

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	/* Whatever names the recording has, the page loads nothing. */
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<title>auxview</title>\n<style>\n";
static const char style_end[] = "</style>\n</head>\n<body>\n";
static const char script[] = "<script>\n\"use strict\";\n";
static const char script_end[] = "</script>\n</body>\n</html>\n";

const struct asset assets_head[] = {
	{ head, head + sizeof(head) - 1 },
	{ page_css, page_css_end },
	{ style_end, style_end + sizeof(style_end) - 1 },
	{ page_html, page_html_end },
	{ NULL, NULL },
};

const struct asset assets_tail[] = {
	{ script, script + sizeof(script) - 1 },
	{ page_js, page_js_end },
	{ script_end, script_end + sizeof(script_end) - 1 },
	{ NULL, NULL },
};
