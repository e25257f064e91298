// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of `auxrec ctl` with a recorder in another process.
 */
#define _GNU_SOURCE
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "service/ctl.h"

/* A SILENT recorder accepts clients but never answers. DIES: it exits after the first snapshot. */
enum manner { GOOD, FAILS, SILENT, DIES };

FIXTURE(ctl) {
	char dir[32];
	struct recorder rec;
	pid_t pid;
	char out[65536];	/* stdout and stderr of the last ctl() */
};

FIXTURE_SETUP(ctl)
{
	strcpy(self->dir, "/tmp/control.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	memset(&self->rec, 0, sizeof(self->rec));
	snprintf(self->rec.path, sizeof(self->rec.path), "%s/sock", self->dir);
	self->pid = 0;
}

static void stop(FIXTURE_DATA(ctl) *self)
{
	char lock[80];

	if (!self->pid)
		return;
	kill(self->pid, SIGKILL);
	waitpid(self->pid, NULL, 0);
	self->pid = 0;
	unlink(self->rec.path);
	snprintf(lock, sizeof(lock), "%s.lock", self->rec.path);
	unlink(lock);
}

FIXTURE_TEARDOWN(ctl)
{
	stop(self);
	EXPECT_EQ(0, rmdir(self->dir));
}

/* Start a recorder and return when it listens. */
static void start(FIXTURE_DATA(ctl) *self, enum manner manner)
{
	struct recorder *r = &self->rec;
	struct diag d;
	int ready[2];
	char c;

	stop(self);
	if (pipe(ready))
		abort();
	self->pid = fork();
	if (self->pid) {
		close(ready[1]);
		if (read(ready[0], &c, 1))
			abort();
		close(ready[0]);
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	r->at_once = manner == GOOD;
	r->fails = manner == FAILS;
	r->status_bytes = 20000;
	if (!recorder_open(r, &d))
		_exit(1);
	close(ready[0]);
	close(ready[1]);
	for (;;) {
		struct pollfd p = { .fd = control_fd(r->control), .events = POLLIN };

		poll(&p, 1, -1);
		control_run(r->control);
		if (manner == DIES && r->snapshots)
			_exit(0);
	}
}

/* Run `auxrec ctl` with these words ('@' is the socket's path) and return its exit status. */
static int ctl(FIXTURE_DATA(ctl) *self, const char *words)
{
	char text[512], *argv[16], *word;
	int argc = 0, out[2], status;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	snprintf(text, sizeof(text), "%s", words);
	argv[argc++] = "auxrec ctl";
	for (word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = *word == '@' ? self->rec.path : word;
	argv[argc] = NULL;
	if (pipe(out))
		abort();
	pid = fork();
	if (!pid) {
		close(out[0]);
		dup2(out[1], 1);
		dup2(out[1], 2);
		exit(auxrec_ctl_main(argc, argv));
	}
	close(out[1]);
	while ((n = read(out[0], self->out + len, sizeof(self->out) - 1 - len)) > 0)
		len += n;
	self->out[len] = '\0';
	close(out[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void said(FIXTURE_DATA(ctl) *self, struct __test_metadata *_metadata, const char *text)
{
	EXPECT_NE(NULL, strstr(self->out, text)) {
		TH_LOG("%s", self->out);
	}
}

TEST_F(ctl, works)
{
	start(self, GOOD);
	EXPECT_EQ(0, ctl(self, "@ snapshot"));
	EXPECT_STREQ("/tmp/(none)\n", self->out);
	EXPECT_EQ(0, ctl(self, "--timeout=20 @ snapshot a.b"));
	EXPECT_STREQ("/tmp/a.b\n", self->out);
	EXPECT_EQ(0, ctl(self, "@ status"));
	EXPECT_EQ(0, strncmp(self->out, "snapshots: 2\nkey: va\n", 21));
	EXPECT_EQ(2501, count(self->out, "\n"));
	EXPECT_EQ(0, ctl(self, "@ stop"));
	EXPECT_STREQ("", self->out);
	EXPECT_EQ(0, ctl(self, "--help"));
	said(self, _metadata, "Usage: auxrec ctl");
}

TEST_F(ctl, refused)
{
	start(self, FAILS);
	EXPECT_EQ(1, ctl(self, "@ snapshot"));
	EXPECT_STREQ("auxrec ctl: the recorder says: the disk?is full\n", self->out);
	EXPECT_EQ(1, ctl(self, "@ stop"));
}

TEST_F(ctl, no_answer)
{
	EXPECT_EQ(125, ctl(self, "@ status"));
	said(self, _metadata, "no such socket: does a recorder run with --trigger socket=");
	start(self, SILENT);
	EXPECT_EQ(125, ctl(self, "--timeout=0.1 @ snapshot"));
	said(self, _metadata, "no answer within 0.1 s");
	/* A timeout of less than 1 ns must not become 0, which means no timeout. */
	EXPECT_EQ(125, ctl(self, "--timeout=0.0000000001 @ snapshot"));
	said(self, _metadata, "no answer within");
	/* A stopped recorder does not even accept() the client. */
	kill(self->pid, SIGSTOP);
	EXPECT_EQ(125, ctl(self, "--timeout=0.1 @ status"));
	said(self, _metadata, "no answer within 0.1 s");
	start(self, DIES);
	EXPECT_EQ(125, ctl(self, "@ snapshot"));
	said(self, _metadata, "the recorder ended before it answered");
	EXPECT_EQ(125, ctl(self, "@ snapshot"));
	said(self, _metadata, "nobody listens");
}

TEST_F(ctl, full_queue)
{
	int fds[200], nr = 0;

	start(self, GOOD);
	kill(self->pid, SIGSTOP);
	while (nr < 200 && (fds[nr] = client_connect(self->rec.path)) >= 0)
		nr++;
	ASSERT_GT(200, nr);
	EXPECT_EQ(125, ctl(self, "--timeout=0.1 @ status"));
	said(self, _metadata, "no answer within 0.1 s");
	while (nr)
		close(fds[--nr]);
}

TEST_F(ctl, usage)
{
	EXPECT_EQ(125, ctl(self, ""));
	said(self, _metadata, "the socket's path is missing");
	EXPECT_EQ(125, ctl(self, "@ dance"));
	said(self, _metadata, "unknown command");
	EXPECT_EQ(125, ctl(self, "@ snapshot a/b"));
	said(self, _metadata, "the name is 0x2f");
}

/* The recorder closes the connection without reading the request, but tells the reason first. */
TEST_F(ctl, too_many)
{
	int fds[32], i;

	start(self, GOOD);
	for (i = 0; i < 32; i++)
		fds[i] = client_connect(self->rec.path);
	EXPECT_EQ(1, ctl(self, "@ snapshot"));
	said(self, _metadata, "too many clients");
	for (i = 0; i < 32; i++)
		close(fds[i]);
}

TEST_HARNESS_MAIN
