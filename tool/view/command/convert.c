// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read a recording, and write it as an output does.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command_line.h"
#include "base/same_file.h"
#include "view/command/command.h"

#define MOST_THREADS	1024

static int set_threads(struct convert *c, const char *value)
{
	char *end;
	const long n = strtol(value, &end, 10);

	if (*end || end == value || n < 1 || n > MOST_THREADS) {
		fprintf(stderr, "%s: --threads needs a number from 1 to %d, not '%s'\n", c->who,
			MOST_THREADS, value);
		return VIEW_ERROR;
	}
	/* With workers, the thread that writes the output also decodes: it does not only wait. */
	c->source.threads = n > 1 ? n : 0;
	return COMMAND_GO_ON;
}

/* All messages begin with the name of the command, and this callback has no argument for it. */
static void warn_view(const char *text)
{
	fprintf(stderr, "auxrec view: %s\n", text);
}

static void warn_export(const char *text)
{
	fprintf(stderr, "auxrec export: %s\n", text);
}

void convert_begin(struct convert *c)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);

	c->source.threads = processors > 1 ? processors : 0;
	c->source.warn = strstr(c->who, "view") ? warn_view : warn_export;
}

int convert_option(struct convert *c, char letter, const char *value)
{
	switch (letter) {
	case 'o':
		c->out = value;
		break;
	case 's':
		c->source.places.symfs = value;
		break;
	case 'k':
		c->source.places.kcore = value;
		break;
	case 't':
		return set_threads(c, value);
	}
	return COMMAND_GO_ON;
}

/* Copy what @fd has to a file without a name. Return its descriptor, or -1 with errno. */
static int spool(int fd)
{
	FILE *file = tmpfile();
	char buf[65536];
	ssize_t n;
	int copy = -1;

	if (!file)
		return -1;
	for (;;) {
		n = read(fd, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || fwrite(buf, 1, n, file) != (size_t)n)
			break;
	}
	if (!n && !fflush(file))
		copy = dup(fileno(file));
	fclose(file);
	if (copy >= 0)
		lseek(copy, 0, SEEK_SET);
	return copy;
}

/* The recording is read twice, so a pipe needs a copy. */
static int open_input(const struct convert *c, const char *path)
{
	const int fd = command_open(c->who, path);
	struct stat st;
	int copy;

	/* Opening the output would empty the recording. */
	if (fd >= 0 && same_file(fd, c->out)) {
		fprintf(stderr, "%s: %s: is the recording itself: give -o another name\n", c->who,
			c->out);
		command_close(fd);
		return -1;
	}
	if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode) && !lseek(fd, 0, SEEK_CUR)))
		return fd;
	copy = spool(fd);
	if (copy < 0)
		fprintf(stderr, "%s: %s: cannot copy it to a temporary file: %s\n", c->who, path,
			strerror(errno));
	command_close(fd);
	return copy;
}

static int status(const struct convert *c, const struct source *s, const char *path, int rc)
{
	if (rc == -EBADMSG) {
		fprintf(stderr, "%s: %s: %s\n", c->who, path, s->problem ?: "no recording");
		return VIEW_BROKEN;
	}
	if (rc) {
		fprintf(stderr, "%s: %s to %s: %s\n", c->who, path, c->out, strerror(-rc));
		return VIEW_ERROR;
	}
	if (!s->problem)
		return VIEW_OK;
	fprintf(stderr, "%s: %s: %s; what comes before is in the output\n", c->who, path,
		s->problem);
	return VIEW_BROKEN;
}

static int with_output(const struct convert *c, const char *path, int fd, bool *written)
{
	const char *slash = strrchr(path, '/');
	struct source source;
	struct timeline *t;
	int rc;

	t = c->new(c->out, slash && slash[1] ? slash + 1 : path);
	if (!t) {
		fprintf(stderr, "%s: cannot write %s: %s\n", c->who, c->out, strerror(errno));
		return VIEW_ERROR;
	}
	rc = source_init(&source, fd, t, &c->source);
	if (!rc)
		rc = source_run(&source);
	*written = !rc;
	rc = status(c, &source, path, rc);
	source_free(&source);
	t->ops->free(t);
	return rc;
}

static int with_bundle(const struct convert *c, const char *path, int fd)
{
	struct diag d = { "" };
	struct source source;
	int rc = source_init(&source, fd, NULL, &c->source);

	if (!rc)
		rc = source_scan(&source);
	if (!rc)
		rc = c->bundle(&source, c->out, &d);
	if (rc == -ENOENT && !d.msg[0]) {
		fprintf(stderr, "%s: %s: it has no Intel PT data (auxrec info shows what it has)\n",
			c->who, path);
		rc = VIEW_BROKEN;
	} else if (d.msg[0]) {
		fprintf(stderr, "%s: %s\n", c->who, d.msg);
		rc = VIEW_ERROR;
	} else {
		rc = status(c, &source, path, rc);
	}
	source_free(&source);
	return rc;
}

int convert(const struct convert *c, const char *path, bool *written)
{
	const int fd = open_input(c, path);
	int rc;

	*written = false;
	if (fd < 0)
		return VIEW_ERROR;
	rc = c->bundle ? with_bundle(c, path, fd) : with_output(c, path, fd, written);
	command_close(fd);
	return rc;
}
