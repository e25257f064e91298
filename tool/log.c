// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a daemon's messages go.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "log.h"

static bool to_syslog;
static char *log_path;
static int log_fd = -1;
static unsigned int missed;

/* A FIFO without a reader is an error, not a reason to wait. */
static int open_log(const char *path)
{
	return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0640);
}

static bool renamed(void)
{
	struct stat here, there;

	return stat(log_path, &there) || fstat(log_fd, &here) || here.st_dev != there.st_dev ||
	       here.st_ino != there.st_ino;
}

void log_to_syslog(void)
{
	openlog("auxrec", LOG_PID | LOG_NDELAY, LOG_DAEMON);
	to_syslog = true;
}

/* Its number may soon be that of a snapshot. */
int log_inherited(void)
{
	if (to_syslog) {
		closelog();
		openlog("auxrec", LOG_PID, LOG_DAEMON);
	}
	return log_fd;
}

int log_to_file(const char *path, struct diag *d)
{
	log_fd = open_log(path);
	if (log_fd < 0)
		return diag(d, -errno, "%s: no log can be written there: %s", path,
			    strerror(errno));
	log_path = strdup(path);
	if (!log_path) {
		log_close();
		return diag(d, -ENOMEM, "no memory");
	}
	return 0;
}

/* One write(): others may append to the same file. */
static bool write_line(const char *text)
{
	char line[5120], date[32], zone[8];
	struct timespec now;
	struct tm tm;
	int len;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	len = snprintf(line, sizeof(line), "%s.%03ld%s auxrec[%d]: %s\n", date,
		       now.tv_nsec / 1000000, zone, getpid(), text);
	if (len >= (int)sizeof(line)) {
		len = sizeof(line);
		line[len - 1] = '\n';
	}
	return write(log_fd, line, len) == len;
}

static void write_to_file(const char *text)
{
	char note[64];
	int fd;

	if (renamed()) {
		fd = open_log(log_path);
		/* Else it goes to where it went, which somebody may still look at. */
		if (fd >= 0) {
			close(log_fd);
			log_fd = fd;
		}
	}
	if (missed) {
		snprintf(note, sizeof(note), "%u messages could not be written here", missed);
		if (write_line(note))
			missed = 0;
	}
	if (!write_line(text))
		missed++;
}

void log_write(const char *text)
{
	if (to_syslog)
		syslog(LOG_NOTICE, "%s", text);
	if (log_fd >= 0)
		write_to_file(text);
}

void log_close(void)
{
	if (to_syslog)
		closelog();
	to_syslog = false;
	if (log_fd >= 0)
		close(log_fd);
	log_fd = -1;
	free(log_path);
	log_path = NULL;
}
