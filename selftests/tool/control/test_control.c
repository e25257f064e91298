// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/service/control.c: requests, answers, and clients that misbehave.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "service/control_client.h"

#define CLIENTS	32
#define NOBODY	65534

static int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

FIXTURE(control) {
	char dir[32];
	struct diag diag;
	struct recorder rec;
};

FIXTURE_SETUP(control)
{
	strcpy(self->dir, "/tmp/control.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	memset(&self->rec, 0, sizeof(self->rec));
	snprintf(self->rec.path, sizeof(self->rec.path), "%s/sock", self->dir);
	self->rec.at_once = true;
	self->diag.msg[0] = '\0';
	ASSERT_TRUE(recorder_open(&self->rec, &self->diag)) {
		TH_LOG("%s", self->diag.msg);
	}
}

/* rmdir() fails if the recorder left a file in the directory. */
FIXTURE_TEARDOWN(control)
{
	control_close(self->rec.control);
	EXPECT_EQ(0, rmdir(self->dir));
}

TEST_F(control, requests)
{
	struct recorder *r = &self->rec;
	int fd = client_connect(r->path);

	ASSERT_LE(0, fd);
	client_send(fd, "snapshot\n");
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("ok /tmp/(none)\n", client_read(fd));
	client_send(fd, "  snapshot   a-name.1\n");
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("ok /tmp/a-name.1\n", client_read(fd));
	client_send(fd, "status\n");
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("snapshots: 2\nok\n", client_read(fd));
	EXPECT_EQ(FACTS_TEXT, r->form);
	client_send(fd, "status --json\n");
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("snapshots: 2\nok\n", client_read(fd));
	EXPECT_EQ(FACTS_JSON, r->form);
	client_send(fd, "metrics\n");
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("snapshots: 2\nok\n", client_read(fd));
	EXPECT_EQ(FACTS_METRICS, r->form);
	client_send(fd, "stop\n");
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("ok\n", client_read(fd));
	EXPECT_EQ(1, r->stops);

	r->fails = true;
	client_send(fd, "snapshot x\nstop\n");
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("error the disk?is full\nerror Device or resource busy\n", client_read(fd));
	client_send(fd, "\nmake tea\nstatus now\nsnapshot a/b\nsnapshot a b\n");
	ASSERT_TRUE(run(r));
	EXPECT_EQ(5, count(client_read(fd), "error "));
	close(fd);
}

/* A snapshot's name becomes part of a file name, so its length is limited. */
TEST_F(control, longest_name)
{
	char name[CONTROL_NAME_MAX], text[128];
	int fd = client_connect(self->rec.path);

	ASSERT_LE(0, fd);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(text, sizeof(text), "snapshot %s\n", name);
	client_send(fd, text);
	ASSERT_TRUE(run(&self->rec));
	snprintf(text, sizeof(text), "ok /tmp/%s\n", name);
	EXPECT_STREQ(text, client_read(fd));
	snprintf(text, sizeof(text), "snapshot %sx\n", name);
	client_send(fd, text);
	ASSERT_TRUE(run(&self->rec));
	EXPECT_EQ(1, count(client_read(fd), "error the name has 64 bytes, at most 63"));
	close(fd);
}

/* The recorder answers when a request is done, and only to the client that sent the request. */
TEST_F(control, later)
{
	struct recorder *r = &self->rec;
	int a = client_connect(r->path), b = client_connect(r->path);

	r->at_once = false;
	client_send(a, "snapshot one\nsnapshot two\nstatus\n");
	ASSERT_TRUE(run(r));
	client_send(b, "snapshot three\n");
	ASSERT_TRUE(run(r));
	ASSERT_EQ(3, r->snapshots);
	EXPECT_STREQ("snapshots: 2\nok\n", client_read(a));
	EXPECT_STREQ("", client_read(b));
	control_answer(r->control, r->tokens[2], "ok %s", "/3");
	EXPECT_STREQ("ok /3\n", client_read(b));
	EXPECT_STREQ("", client_read(a));
	control_answer(r->control, r->tokens[1], "ok /%d", 2);
	control_answer(r->control, r->tokens[0], "error no\nspace");
	EXPECT_STREQ("ok /2\nerror no?space\n", client_read(a));
	/* The client does not wait for an answer any more. */
	control_answer(r->control, r->tokens[0], "ok again");
	control_answer(r->control, 12345, "ok nobody");
	EXPECT_STREQ("", client_read(a));
	ASSERT_TRUE(run(r));
	close(a);
	close(b);
}

/*
 * A client can shut down its sending side and wait for the answers. The recorder closes the
 * connection after the last answer.
 */
TEST_F(control, half_closed)
{
	struct recorder *r = &self->rec;
	int fd = client_connect(r->path);

	r->at_once = false;
	client_send(fd, "snapshot\nsnapshot\n");
	shutdown(fd, SHUT_WR);
	ASSERT_TRUE(run(r));
	ASSERT_EQ(2, r->snapshots);
	control_answer(r->control, r->tokens[0], "ok 1");
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("ok 1\n", client_read(fd));
	control_answer(r->control, r->tokens[1], "ok 2");
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("ok 2\n(end)", client_read(fd));
	close(fd);
}

TEST_F(control, half_lines)
{
	struct recorder *r = &self->rec;
	const char *text = "snapshot abc\nstatus\n";
	int fd = client_connect(r->path);

	for (; *text; text++) {
		ASSERT_EQ(1, send(fd, text, 1, 0));
		ASSERT_TRUE(run(r));
	}
	EXPECT_STREQ("ok /tmp/abc\nsnapshots: 1\nok\n", client_read(fd));
	client_send(fd, "snapshot ab");
	ASSERT_TRUE(run(r));
	shutdown(fd, SHUT_WR);
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("error the last request does not end in a newline\n(end)", client_read(fd));
	EXPECT_EQ(1, r->snapshots);
	close(fd);
}

TEST_F(control, many_in_one)
{
	struct recorder *r = &self->rec;
	int fd = client_connect(r->path);
	unsigned int answers = 0;

	ASSERT_EQ(35000, client_send_times(fd, "status\n", 5000));
	while (r->statuses < 5000) {
		ASSERT_TRUE(run(r));
		answers += count(client_read(fd), "ok\n");
	}
	answers += count(client_read(fd), "ok\n");
	EXPECT_EQ(5000, answers);
	close(fd);
}

/* In one call of control_run(), a client gets the answer to at most one request for the status. */
TEST_F(control, takes_turns)
{
	struct recorder *r = &self->rec;
	int a = client_connect(r->path), b = client_connect(r->path);

	client_send_times(a, "metrics\n", 100);
	control_run(r->control);
	control_run(r->control);
	EXPECT_EQ(1, r->statuses);
	client_send(b, "snapshot\n");
	control_run(r->control);
	EXPECT_EQ(1, r->snapshots);
	EXPECT_EQ(2, r->statuses);
	/* The recorder stops when the client's socket is full, until the client reads. */
	ASSERT_TRUE(run(r));
	client_read(a);
	ASSERT_TRUE(run(r));
	client_read(a);
	ASSERT_TRUE(run(r));
	EXPECT_EQ(100, r->statuses);
	close(a);
	close(b);
}

TEST_F(control, long_lines)
{
	struct recorder *r = &self->rec;
	char text[CONTROL_LINE_MAX + 2];
	int fd = client_connect(r->path);

	memset(text, ' ', sizeof(text));
	memcpy(text, "status", 6);
	strcpy(text + CONTROL_LINE_MAX - 1, "\n");
	client_send(fd, text);
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("snapshots: 0\nok\n", client_read(fd));
	text[CONTROL_LINE_MAX - 1] = ' ';
	strcpy(text + CONTROL_LINE_MAX, "\n");
	client_send(fd, text);
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("error a request has more than 1024 bytes: connection closed\n(end)",
		     client_read(fd));
	EXPECT_EQ(1, r->statuses);
	close(fd);
}

/*
 * The recorder reads no more requests from a client that does not read its answers. The requests
 * stay in the socket, and the recorder serves the other clients. When the client reads, it gets all
 * its answers.
 */
TEST_F(control, never_reads)
{
	struct recorder *r = &self->rec;
	int fd = client_connect(r->path), other, i;
	unsigned int sent = 0, done = 0;

	r->status_bytes = CONTROL_STATUS_MAX - 64;
	for (i = 0; i < 10000; i++) {
		if (client_send(fd, "status\n") != 7)
			break;
		sent++;
		ASSERT_TRUE(run(r));
	}
	ASSERT_GT(10000, i);
	EXPECT_LT(r->statuses, 100);
	other = client_connect(r->path);
	client_send(other, "snapshot\n");
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("ok /tmp/(none)\n", client_read(other));
	for (i = 0; i < 100000 && done < sent; i++) {
		done += count(client_read(fd), "ok\n");
		ASSERT_TRUE(run(r));
	}
	EXPECT_EQ(sent, done);
	close(fd);
	close(other);
}

/* At most CONTROL_PENDING_MAX requests of a client wait for their answers at the same time. */
TEST_F(control, never_waits)
{
	struct recorder *r = &self->rec;
	int fd = client_connect(r->path);
	unsigned int answered = 0, read = 0, i;

	r->at_once = false;
	ASSERT_EQ(9000, client_send_times(fd, "snapshot\n", 1000));
	ASSERT_TRUE(run(r));
	EXPECT_EQ(CONTROL_PENDING_MAX, r->snapshots);
	for (i = 0; i < 1000; i++) {
		while (answered < r->snapshots) {
			control_answer(r->control, r->tokens[answered++], "ok %04000d", 1);
			ASSERT_TRUE(run(r));
		}
		ASSERT_GE(CONTROL_PENDING_MAX, r->snapshots - answered);
		read += count(client_read(fd), "ok ");
		ASSERT_TRUE(run(r));
	}
	EXPECT_EQ(1000, answered);
	EXPECT_EQ(1000, read);
	close(fd);
}

TEST_F(control, goes_away)
{
	struct recorder *r = &self->rec;
	int before = open_files(), fd, i;

	r->at_once = false;
	for (i = 0; i < 100; i++) {
		fd = client_connect(r->path);
		ASSERT_LE(0, fd);
		client_send(fd, i % 2 ? "snapshot\nstatus\nsnap" : "snapshot\n");
		if (i % 3)
			ASSERT_TRUE(run(r));
		close(fd);
		if (i % 5)
			ASSERT_TRUE(run(r));
		control_answer(r->control, r->tokens[0], "ok too late");
	}
	ASSERT_TRUE(run(r));
	EXPECT_EQ(100, r->snapshots);
	EXPECT_EQ(before, open_files());
	/* A new client gets the slot of a client that has gone, but not that client's answers. */
	fd = client_connect(r->path);
	client_send(fd, "snapshot\n");
	ASSERT_TRUE(run(r));
	control_answer(r->control, r->tokens[99], "ok too late");
	EXPECT_STREQ("", client_read(fd));
	close(fd);
}

/*
 * A child of the recorder has the client's descriptor too. Closing the descriptor in the recorder
 * then does not remove it from epoll, and epoll could report its events as events of the next
 * client in the same slot.
 */
TEST_F(control, goes_away_with_child)
{
	struct recorder *r = &self->rec;
	int fd = client_connect(r->path), status;
	pid_t child;

	client_send(fd, "status\n");
	ASSERT_TRUE(run(r));
	child = fork();
	if (!child) {
		close(fd);
		raise(SIGSTOP);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, WUNTRACED));
	close(fd);
	ASSERT_TRUE(run(r));

	r->at_once = false;
	fd = client_connect(r->path);
	client_send(fd, "snapshot\n");
	ASSERT_TRUE(run(r));
	EXPECT_EQ(1, r->snapshots);
	control_answer(r->control, r->tokens[0], "ok /1");
	EXPECT_STREQ("ok /1\n", client_read(fd));
	close(fd);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
}

/* A request for a snapshot is carried out even if its client has gone. */
TEST_F(control, gone_with_requests)
{
	struct recorder *r = &self->rec;
	int fd = client_connect(r->path), before = open_files() - 1;

	r->at_once = false;
	ASSERT_EQ(4500, client_send_times(fd, "snapshot\n", 500));
	close(fd);
	ASSERT_TRUE(run(r));
	EXPECT_EQ(500, r->snapshots);
	EXPECT_EQ(before, open_files());
}

TEST_F(control, many_clients)
{
	struct recorder *r = &self->rec;
	int fds[CLIENTS], i, one_more;

	for (i = 0; i < CLIENTS; i++) {
		fds[i] = client_connect(r->path);
		ASSERT_LE(0, fds[i]);
		ASSERT_TRUE(run(r));
	}
	one_more = client_connect(r->path);
	client_send(one_more, "snapshot\n");
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("error too many clients\n(end)", client_read(one_more));
	EXPECT_EQ(0, r->snapshots);
	close(one_more);
	for (i = 0; i < CLIENTS; i++)
		client_send(fds[i], "status\n");
	ASSERT_TRUE(run(r));
	for (i = 0; i < CLIENTS; i++)
		EXPECT_STREQ("snapshots: 0\nok\n", client_read(fds[i]));
	close(fds[7]);
	ASSERT_TRUE(run(r));
	fds[7] = client_connect(r->path);
	client_send(fds[7], "snapshot\n");
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("ok /tmp/(none)\n", client_read(fds[7]));
	for (i = 0; i < CLIENTS; i++)
		close(fds[i]);
}

/* The poll loop must not spin if no descriptor is free for a new client. */
TEST_F(control, no_descriptor)
{
	struct recorder *r = &self->rec;
	int fd = client_connect(r->path), low = dup(0);
	struct rlimit lim;

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &lim));
	lim.rlim_cur = low;
	close(low);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &lim));
	EXPECT_TRUE(run(r));
	EXPECT_STREQ("error the recorder has too many open files\n(end)", client_read(fd));
	lim.rlim_cur = lim.rlim_max;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &lim));
	close(fd);
	fd = client_connect(r->path);
	client_send(fd, "status\n");
	ASSERT_TRUE(run(r));
	EXPECT_STREQ("snapshots: 0\nok\n", client_read(fd));
	close(fd);
}

/* The recorder refuses another user even if the mode of the socket's file allows the connection. */
TEST_F(control, wrong_user)
{
	struct recorder *r = &self->rec;
	int status, report[2];
	pid_t pid;
	char c;

	if (geteuid())
		SKIP(return, "only root can become another user");
	ASSERT_EQ(0, chmod(r->path, 0666));
	ASSERT_EQ(0, chmod(self->dir, 0755));
	ASSERT_EQ(0, pipe(report));
	pid = fork();
	if (!pid) {
		struct pollfd p = { .events = POLLIN };
		char buf[256] = "";

		close(report[0]);
		if (setresuid(NOBODY, NOBODY, NOBODY))
			_exit(1);
		p.fd = client_connect(r->path);
		if (p.fd < 0)
			_exit(2);
		client_send(p.fd, "snapshot\n");
		close(report[1]);
		poll(&p, 1, 10000);
		if (recv(p.fd, buf, sizeof(buf) - 1, 0) <= 0)
			_exit(3);
		_exit(strncmp(buf, "error only root", 15) ? 4 : 0);
	}
	close(report[1]);
	EXPECT_EQ(0, read(report[0], &c, 1));
	ASSERT_TRUE(run(r));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, r->snapshots);
	close(report[0]);
}

#define GROUP	54321

/*
 * As a user with these groups, send a request and check that the answer begins with @answer. Return
 * the status of the process: 0, or the number of the step that failed.
 */
static int ask_as(struct recorder *r, gid_t primary, gid_t other, const char *request,
		  const char *answer)
{
	int status, report[2];
	pid_t pid;
	char c;

	if (pipe(report))
		return -1;
	pid = fork();
	if (!pid) {
		struct pollfd p = { .events = POLLIN };
		char buf[256] = "";

		close(report[0]);
		if (setgroups(1, &other) || setresgid(primary, primary, primary) ||
		    setresuid(NOBODY, NOBODY, NOBODY))
			_exit(1);
		p.fd = client_connect(r->path);
		if (p.fd < 0)
			_exit(-p.fd);
		client_send(p.fd, request);
		close(report[1]);
		poll(&p, 1, 10000);
		if (recv(p.fd, buf, sizeof(buf) - 1, 0) <= 0)
			_exit(200);
		_exit(strncmp(buf, answer, strlen(answer)) ? 201 : 0);
	}
	close(report[1]);
	/* The other end is closed when the request has been sent, or the process has ended. */
	if (read(report[0], &c, 1))
		return -1;
	close(report[0]);
	if (!run(r) || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Members of a group may request snapshots and the status, and nothing else. */
TEST_F(control, group)
{
	static const char no[] = "error only root and the user who records may end";
	struct recorder *r = &self->rec;
	struct stat st;

	if (geteuid())
		SKIP(return, "only root can become another user");
	ASSERT_EQ(0, chmod(self->dir, 0755));
	/* Without control_allow() the mode of the socket keeps the group out. */
	EXPECT_EQ(EACCES, ask_as(r, GROUP, GROUP, "status\n", ""));
	ASSERT_EQ(0, control_allow(r->control, GROUP, &self->diag)) {
		TH_LOG("%s", self->diag.msg);
	}
	ASSERT_EQ(0, stat(r->path, &st));
	EXPECT_EQ(GROUP, st.st_gid);
	EXPECT_EQ(S_IFSOCK | 0660, st.st_mode);
	r->at_once = true;
	EXPECT_EQ(0, ask_as(r, GROUP, NOBODY, "snapshot\n", "ok /tmp/(none)"));
	EXPECT_EQ(0, ask_as(r, NOBODY, GROUP, "snapshot\n", "ok /tmp/(none)"));
	EXPECT_EQ(2, r->snapshots);
	EXPECT_EQ(0, ask_as(r, NOBODY, GROUP, "status\n", "snapshots: 2"));
	EXPECT_EQ(0, ask_as(r, NOBODY, GROUP, "stop\n", no));
	EXPECT_EQ(0, r->stops);
	EXPECT_EQ(EACCES, ask_as(r, NOBODY, NOBODY, "snapshot\n", ""));
	/* The recorder refuses another user even if the mode allows the connection. */
	ASSERT_EQ(0, chmod(r->path, 0666));
	EXPECT_EQ(0, ask_as(r, NOBODY, NOBODY, "snapshot\n", "error only root, the user"));
	EXPECT_EQ(2, r->snapshots);
}

/* Several clients connect, send random text and disconnect. */
TEST_F(control, noise)
{
	static const char * const pieces[] = {
		"snapshot\n", "snapshot a\n", "status\n", "stop\n", "\n", "\0\n", "snap",
		"\xff\xfe", "snapshot ../../x\n", " ", "status", "\r\n",
	};
	struct recorder *r = &self->rec;
	int before = open_files(), fds[40], i, n;
	unsigned int answered = 0;

	srand(1);
	for (i = 0; i < 40; i++)
		fds[i] = -1;
	r->at_once = false;
	for (i = 0; i < 30000; i++) {
		n = rand() % 40;
		if (fds[n] < 0)
			fds[n] = client_connect(r->path);
		if (fds[n] < 0)
			continue;
		switch (rand() % 12) {
		case 0:
			close(fds[n]);
			fds[n] = -1;
			break;
		case 1:
			shutdown(fds[n], SHUT_WR);
			break;
		case 2:
		case 3:
			client_read(fds[n]);
			break;
		case 4:
			if (answered < r->snapshots && r->snapshots - answered <= MOST_TOKENS)
				control_answer(r->control, r->tokens[answered++ % MOST_TOKENS],
					       rand() % 2 ? "ok %0900d" : "error", 1);
			break;
		case 5:
		case 6:
			control_run(r->control);
			break;
		default:
			client_send(fds[n], pieces[rand() % ARRAY_LEN(pieces)]);
		}
	}
	ASSERT_TRUE(run(r));
	EXPECT_LT(100, r->snapshots);
	for (i = 0; i < 40; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	ASSERT_TRUE(run(r));
	EXPECT_EQ(before, open_files());
}

/*
 * When the recorder ends, its last answers still arrive. The connections of clients that wait for
 * other answers are closed.
 */
TEST_F(control, ends)
{
	struct recorder *r = &self->rec;
	int a = client_connect(r->path), b = client_connect(r->path);

	r->at_once = false;
	client_send(a, "stop\n");
	client_send(b, "snapshot\n");
	ASSERT_TRUE(run(r));
	control_close(r->control);
	EXPECT_STREQ("ok\n(end)", client_read(a));
	EXPECT_STREQ("(end)", client_read(b));
	EXPECT_EQ(-ENOENT, client_connect(r->path));
	ASSERT_TRUE(recorder_open(r, &self->diag));
	close(a);
	close(b);
}

TEST_HARNESS_MAIN
