// SPDX-License-Identifier: GPL-2.0-only
/* Arguments of ioctls, right and wrong, and the errors that each may return. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

/* The errors that uapi/perfaux.h documents. All ioctls also have EINVAL, E2BIG and EFAULT. */
static const struct {
	unsigned int cmd;
	enum kind kind;
	int errors[12];
} documented[] = {
	{ PERFAUX_IOC_INFO, KIND_DEVICE, { 0 } },
	{ PERFAUX_IOC_CREATE, KIND_DEVICE,
	  { EOVERFLOW, EPERM, ENOMEM, EINTR, EMFILE, ENFILE, ENODEV, ENOSPC, EBUSY, EEXIST } },
	{ PERFAUX_IOC_KEPT, KIND_DEVICE,
	  { ENODEV, ENODATA, EBUSY, EPERM, EMFILE, ENFILE, ENOMEM } },
	{ PERFAUX_IOC_IDS, KIND_DEVICE, { EOPNOTSUPP, EMFILE, ENFILE, ENOMEM } },
	{ PERFAUX_IOC_ATTACH, KIND_RING,
	  { EBADF, EOPNOTSUPP, EXDEV, EBUSY, EMFILE, ENODEV, ENOMEM } },
	{ PERFAUX_IOC_DETACH, KIND_RING, { EBADF, ENOENT } },
	{ PERFAUX_IOC_FLUSH, KIND_RING, { 0 } },
	{ PERFAUX_IOC_HOLD, KIND_RING, { ENOMEM } },
	{ PERFAUX_IOC_UNHOLD, KIND_RING, { ENOENT } },
	{ PERFAUX_IOC_THAW, KIND_RING, { ENOENT } },
	{ PERFAUX_IOC_HANDLE, KIND_RING, { EOPNOTSUPP, ENOMEM, EBUSY } },
	{ PERFAUX_IOC_IDS_STATS, KIND_IDS, { 0 } },
};

static bool is_documented(unsigned int cmd, enum kind is, int error)
{
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(documented); i++) {
		if (documented[i].cmd != cmd || documented[i].kind != is)
			continue;
		if (error == EINVAL || error == E2BIG || error == EFAULT)
			return true;
		for (k = 0; k < ARRAY_SIZE(documented[i].errors); k++)
			if (error == documented[i].errors[k])
				return true;
		return false;
	}
	return error == ENOTTY;
}

void unexpected(struct caller *c, const char *format, ...)
{
	char line[512];
	va_list args;
	int n;

	if (atomic_fetch_add(&shared->unexpected, 1) > 20)
		return;
	n = snprintf(line, sizeof(line), "# seed %llu thread %u call %llu %s%s: ",
		     (unsigned long long)opt.seed, c->call.thread,
		     (unsigned long long)c->call.n, c->depth ? "child of " : "",
		     ops[c->call.op].name);
	va_start(args, format);
	n += vsnprintf(line + n, sizeof(line) - n, format, args);
	va_end(args);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	if (write(STDOUT_FILENO, line, n) != n)
		return;
}

int checked(struct caller *c, enum kind is, unsigned int cmd, int ret)
{
	int error = errno;

	if (ret >= 0)
		return ret;
	if (is == KIND_DEVICE || is == KIND_RING || is == KIND_IDS) {
		bool expected = error == EBADF || is_documented(cmd, is, error);

		/*
		 * A slot can be empty (EBADF). With several threads, another thread can close
		 * the descriptor, and open another object of perfaux with the same number.
		 */
		if (opt.threads > 1)
			expected |= is_documented(cmd, KIND_DEVICE, error) ||
				    is_documented(cmd, KIND_RING, error) ||
				    is_documented(cmd, KIND_IDS, error);
		if (!expected)
			unexpected(c, "ioctl %#x: errno %d (%s) is not documented", cmd,
				   error, strerror(error));
	}
	return -error;
}

/* Change whole words, because all fields of arguments have 4 or 8 bytes. */
static void spoil(struct caller *c, uint8_t *arg, size_t size)
{
	uint32_t nr = 1 + below(c, 3);

	while (nr--) {
		uint64_t value = some_value(c);
		size_t at = below(c, size / 4) * 4;

		memcpy(arg + at, &value, at % 8 || size - at < 8 ? 4 : 8);
	}
}

static void spoil_size(struct caller *c, uint8_t *arg, size_t size, size_t least)
{
	const uint32_t sizes[] = {
		0, 4, least - 1, least, size + 8, size + 8, size + 64, PAGE, PAGE + 1, ~0U,
	};
	uint32_t i = below(c, ARRAY_SIZE(sizes) + 1), value = draw(c);

	if (i < ARRAY_SIZE(sizes))
		value = sizes[i];
	memcpy(arg, &value, 4);
	/* A byte that is not 0 in the tail that the kernel does not know */
	if (one_in(c, 2))
		arg[size + below(c, 8)] = 1;
}

/* Choose an address for the argument, also in memory that others write to at the same time. */
static void *place(struct caller *c, size_t size)
{
	unsigned int w = below(c, WINDOWS);

	switch (below(c, 16)) {
	case 0:
		return c->args + 2 * PAGE - size;	/* the next page is not mapped */
	case 1:
		return c->args + 2 * PAGE - below(c, size);
	case 2:
		return c->args + 1 + below(c, 7);
	case 3:
		return c->args + PAGE - below(c, size);
	case 4:
		return c->read_only;
	case 5:
		return window_at(w) + below(c, 64) * 8;
	case 6:
		return window_at(w) + PAGE - below(c, size);
	case 7:
		return (void *)some_value(c);
	default:
		return c->args;
	}
}

static void copy(uint8_t *to, const uint8_t *from, size_t size)
{
	while (size--)
		*(volatile uint8_t *)to++ = *from++;
}

void *some_argument(struct caller *c, void *arg, size_t size, size_t least,
		    void (*bound)(struct caller *c, void *arg))
{
	uint8_t longer[512] = { 0 };
	uint8_t *at;

	memcpy(longer, arg, size);
	switch (below(c, 8)) {
	case 0:
		spoil_size(c, longer, size, least);
		break;
	case 1:
	case 2:
		spoil(c, longer, size);
		break;
	case 3:
		if (one_in(c, 2))
			spoil(c, longer, size);
		spoil(c, longer, size);
		break;
	}
	if (bound)
		bound(c, longer);
	memcpy(c->writable, longer, sizeof(longer));
	if (one_in(c, 4))
		at = place(c, size);
	else
		at = c->args;
	/* Copy up to the first fault, so the tail can be missing. */
	if (at != c->read_only && !faults(c)) {
		copy(at, longer, size);
		copy(at + size, longer + size, 72);
	}
	c->may_fault = false;
	return at;
}
