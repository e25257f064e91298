// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log of a daemon. Messages go through a queue, which is a socket, to a thread that writes
 * them. So a disk that stands still, or a syslog that waits for it, holds up neither the recorder
 * nor its child processes, which use the same socket.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "service/log.h"

/* How long log_write() waits for its message, which is usually written by then */
#define PATIENCE_NS	100000000ULL
/* How long log_close() waits for all messages */
#define END_NS		(5 * NSEC_PER_SEC)

struct message {
	struct timespec time;
	pid_t pid;
	char text[5000];
};

static bool to_syslog;
static char *log_path;
static int log_fd = -1;
static int in = -1, out = -1;	/* the queue's ends */
static pid_t owner;		/* the process that has the thread */
static pthread_t thread;
static unsigned int missed;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER;
static unsigned long sent, written;	/* messages of the owner */

/* For a FIFO without a reader this fails instead of waiting. */
static int open_log(const char *path)
{
	return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0640);
}

/* --- the thread ------------------------------------------------------------ */

static bool renamed(void)
{
	struct stat here, there;

	return stat(log_path, &there) || fstat(log_fd, &here) || here.st_dev != there.st_dev ||
	       here.st_ino != there.st_ino;
}

/* Use one write(), because other processes may append to the same file. */
static bool write_line(const struct message *m)
{
	char line[5120], date[32], zone[8];
	struct tm tm;
	int len;

	localtime_r(&m->time.tv_sec, &tm);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	len = snprintf(line, sizeof(line), "%s.%03ld%s auxrec[%d]: %s\n", date,
		       m->time.tv_nsec / 1000000, zone, m->pid, m->text);
	return write(log_fd, line, len) == len;
}

static void reopen(void)
{
	const int fd = open_log(log_path);

	/* On failure the log stays in the old file, which somebody may still read. */
	if (fd < 0)
		return;
	close(log_fd);
	log_fd = fd;
}

static bool write_message(const struct message *m)
{
	if (to_syslog)
		syslog(LOG_NOTICE, "%s", m->text);
	return log_fd < 0 || write_line(m);
}

static void tell_missed(void)
{
	const unsigned int nr = __atomic_exchange_n(&missed, 0, __ATOMIC_RELAXED);
	struct message note = { .pid = owner };

	if (!nr)
		return;
	clock_gettime(CLOCK_REALTIME, &note.time);
	snprintf(note.text, sizeof(note.text), "%u messages could not be written here", nr);
	if (!write_message(&note))
		__atomic_fetch_add(&missed, nr, __ATOMIC_RELAXED);
}

static void *writer(void *arg)
{
	static struct message m;
	ssize_t n;

	while ((n = recv(out, &m, sizeof(m) - 1, 0))) {
		if (n < (ssize_t)offsetof(struct message, text))
			continue;
		((char *)&m)[n] = 0;
		if (log_fd >= 0 && renamed())
			reopen();
		tell_missed();
		if (!write_message(&m))
			__atomic_fetch_add(&missed, 1, __ATOMIC_RELAXED);
		pthread_mutex_lock(&lock);
		written += m.pid == owner;
		pthread_cond_broadcast(&progress);
		pthread_mutex_unlock(&lock);
	}
	tell_missed();
	return arg;
}

static int start(struct diag *d)
{
	sigset_t all, old;
	int pair[2], err;

	/* The socket's buffer bounds the queue: some hundred messages. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return diag(d, -errno, "socketpair: %s", strerror(errno));
	in = pair[0];
	out = pair[1];
	owner = getpid();
	sent = 0;
	written = 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = -pthread_create(&thread, NULL, writer, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!err)
		return 0;
	close(in);
	close(out);
	in = -1;
	return diag(d, err, "no thread for the log: %s", strerror(-err));
}

/* --- for other files ------------------------------------------------------- */

int log_to_syslog(struct diag *d)
{
	openlog("auxrec", LOG_PID | LOG_NDELAY, LOG_DAEMON);
	to_syslog = true;
	return start(d);
}

int log_to_file(const char *path, struct diag *d)
{
	int err = -ENOMEM;

	log_fd = open_log(path);
	if (log_fd < 0)
		return diag(d, -errno, "%s: cannot write a log there: %s", path,
			    strerror(errno));
	log_path = strdup(path);
	if (log_path)
		err = start(d);
	else
		diag(d, err, "no memory");
	if (err) {
		close(log_fd);
		log_fd = -1;
		free(log_path);
		log_path = NULL;
	}
	return err;
}

int log_inherited(void)
{
	return in;
}

static struct timespec in_ns(__u64 ns)
{
	const __u64 at = now_ns() + ns;

	return (struct timespec){ .tv_sec = at / NSEC_PER_SEC, .tv_nsec = at % NSEC_PER_SEC };
}

/*
 * Wait for the message just sent. If older messages are still waiting, do not wait: the thread
 * may be stuck at the disk.
 */
static void wait_for_it(void)
{
	const struct timespec until = in_ns(PATIENCE_NS);

	pthread_mutex_lock(&lock);
	if (++sent - written == 1)
		while (sent != written &&
		       !pthread_cond_clockwait(&progress, &lock, CLOCK_MONOTONIC, &until))
			;
	pthread_mutex_unlock(&lock);
}

/* The owner does not wait for room in the queue. A child may wait: it waits for the disk anyway. */
void log_write(const char *text)
{
	struct message m = { .pid = getpid() };
	const bool ours = m.pid == owner;
	const size_t head = offsetof(struct message, text);
	size_t len = strlen(text);
	struct iovec parts[] = { { &m, head }, { (void *)text, len } };
	const struct msghdr msg = { .msg_iov = parts, .msg_iovlen = 2 };

	if (in < 0)
		return;
	if (len >= sizeof(m.text))
		parts[1].iov_len = sizeof(m.text) - 1;
	clock_gettime(CLOCK_REALTIME, &m.time);
	if (sendmsg(in, &msg, MSG_NOSIGNAL | (ours ? MSG_DONTWAIT : 0)) < 0)
		__atomic_fetch_add(&missed, 1, __ATOMIC_RELAXED);
	else if (ours)
		wait_for_it();
}

void log_close(void)
{
	const struct timespec until = in_ns(END_NS);

	if (in < 0 || getpid() != owner)
		return;
	/*
	 * Child processes may have inherited the socket, so close() would not end the queue.
	 */
	shutdown(in, SHUT_WR);
	close(in);
	in = -1;
	/*
	 * If the thread still waits for the disk, leave its descriptors open: they end with the
	 * process.
	 */
	if (pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until))
		return;
	close(out);
	if (to_syslog)
		closelog();
	to_syslog = false;
	if (log_fd >= 0)
		close(log_fd);
	log_fd = -1;
	free(log_path);
	log_path = NULL;
}
