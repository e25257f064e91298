// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages of the event parser.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "event/parse.h"

int ev_fail(struct ev_ctx *ctx, const char *at, int ret, const char *fmt, ...)
{
	size_t used = 0;
	va_list args;
	int len;

	if (!ctx->err_len)
		return ret;
	if (at) {
		len = snprintf(ctx->err, ctx->err_len, "column %zu: ",
			       (size_t)(at - ctx->spec) + 1);
		if (len > 0)
			used = len;
	}
	if (used >= ctx->err_len)
		return ret;
	va_start(args, fmt);
	vsnprintf(ctx->err + used, ctx->err_len - used, fmt, args);
	va_end(args);
	return ret;
}

int ev_no_memory(struct ev_ctx *ctx)
{
	return ev_fail(ctx, NULL, -ENOMEM, "out of memory");
}

int ev_no_intel_pt(struct ev_ctx *ctx, const char *at)
{
	return ev_fail(ctx, at, -ENOENT,
		       "this machine has no Intel PT, or its kernel hides it; softpt is Intel PT of user space in software: %s",
		       LOAD_SOFTPT);
}

const char *ev_show(struct ev_shown *shown, struct ev_text text)
{
	size_t room = sizeof(shown->s) - sizeof("...");
	size_t len = text.len < room ? text.len : room;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = text.p[i];

		shown->s[i] = c >= ' ' && c < 0x7f ? c : '?';
	}
	snprintf(shown->s + len, sizeof(shown->s) - len, "%s",
		 text.len > len ? "..." : "");
	return shown->s;
}

const char *ev_show_string(struct ev_shown *shown, const char *string)
{
	struct ev_text text = { string, strlen(string) };

	return ev_show(shown, text);
}

void ev_printf(struct ev_buf *buf, const char *fmt, ...)
{
	size_t room = sizeof(buf->s) - buf->len;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(buf->s + buf->len, room, fmt, args);
	va_end(args);
	if (len < 0)
		return;
	if ((size_t)len < room) {
		buf->len += len;
		return;
	}
	buf->len = sizeof(buf->s) - 1;
	snprintf(buf->s + buf->len - 3, 4, "...");
}
