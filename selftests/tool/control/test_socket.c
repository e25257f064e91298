// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/service/control_socket.c: the socket's file, and other files in its place. Also
 * tests of the parsers of requests and of the command line of `auxrec ctl`.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "client.h"
#include "service/ctl_options.h"

#define RACERS	8

FIXTURE(socket) {
	char dir[32];
	struct diag diag;
	struct recorder rec;
};

FIXTURE_SETUP(socket)
{
	strcpy(self->dir, "/tmp/control.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	memset(&self->rec, 0, sizeof(self->rec));
	memset(&self->diag, 0, sizeof(self->diag));
	snprintf(self->rec.path, sizeof(self->rec.path), "%s/sock", self->dir);
}

FIXTURE_TEARDOWN(socket)
{
	control_close(self->rec.control);
	EXPECT_EQ(0, rmdir(self->dir));
}

static unsigned int mode_of(const char *path)
{
	struct stat st;

	return lstat(path, &st) ? 0 : st.st_mode;
}

TEST_F(socket, private)
{
	umask(0);
	ASSERT_TRUE(recorder_open(&self->rec, &self->diag));
	EXPECT_EQ(S_IFSOCK | 0600, mode_of(self->rec.path));
	control_close(self->rec.control);
	umask(022);
	ASSERT_TRUE(recorder_open(&self->rec, &self->diag));
	EXPECT_EQ(S_IFSOCK | 0600, mode_of(self->rec.path));
}

/* A child process opens the socket and exits without removing the file. */
static void leave_stale(struct recorder *r)
{
	struct diag d;
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(!recorder_open(r, &d));
	waitpid(pid, &status, 0);
}

TEST_F(socket, stale)
{
	leave_stale(&self->rec);
	ASSERT_EQ(-ECONNREFUSED, client_connect(self->rec.path));
	ASSERT_TRUE(recorder_open(&self->rec, &self->diag));
	EXPECT_LE(0, client_connect(self->rec.path));
}

TEST_F(socket, live)
{
	struct recorder other = self->rec;
	char pid[32];

	ASSERT_TRUE(recorder_open(&self->rec, &self->diag));
	ASSERT_FALSE(recorder_open(&other, &self->diag));
	snprintf(pid, sizeof(pid), "process %d,", getpid());
	EXPECT_NE(NULL, strstr(self->diag.msg, pid)) {
		TH_LOG("%s", self->diag.msg);
	}
	EXPECT_LE(0, client_connect(self->rec.path));
}

/* A program that does not take PATH.lock listens on the socket. */
TEST_F(socket, live_of_others)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(addr.sun_path, self->rec.path);
	ASSERT_EQ(0, bind(fd, (struct sockaddr *)&addr, sizeof(addr)));
	ASSERT_EQ(0, listen(fd, 0));
	ASSERT_FALSE(recorder_open(&self->rec, &self->diag));
	EXPECT_NE(NULL, strstr(self->diag.msg, "somebody listens"));
	/* Now the queue of that socket is full. */
	EXPECT_EQ(-EAGAIN, client_connect(self->rec.path));
	ASSERT_FALSE(recorder_open(&self->rec, &self->diag));
	EXPECT_NE(NULL, strstr(self->diag.msg, "somebody listens"));
	close(fd);
	ASSERT_EQ(0, unlink(self->rec.path));

	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	ASSERT_EQ(0, bind(fd, (struct sockaddr *)&addr, sizeof(addr)));
	ASSERT_FALSE(recorder_open(&self->rec, &self->diag));
	EXPECT_NE(NULL, strstr(self->diag.msg, "somebody listens"));
	close(fd);
	ASSERT_EQ(0, unlink(self->rec.path));
}

TEST_F(socket, no_socket)
{
	int fd = open(self->rec.path, O_CREAT | O_WRONLY, 0600);

	ASSERT_EQ(1, write(fd, "x", 1));
	close(fd);
	ASSERT_FALSE(recorder_open(&self->rec, &self->diag));
	EXPECT_NE(NULL, strstr(self->diag.msg, "not a socket"));
	EXPECT_EQ(S_IFREG | 0600, mode_of(self->rec.path));
	unlink(self->rec.path);

	ASSERT_EQ(0, symlink("/etc/passwd", self->rec.path));
	ASSERT_FALSE(recorder_open(&self->rec, &self->diag));
	EXPECT_NE(NULL, strstr(self->diag.msg, "not a socket"));
	unlink(self->rec.path);
}

/* A file that somebody has put in the socket's place does not get the group. */
TEST_F(socket, allow_replaced)
{
	char other[80];
	int fd;

	ASSERT_TRUE(recorder_open(&self->rec, &self->diag));
	snprintf(other, sizeof(other), "%s/other", self->dir);
	fd = open(other, O_CREAT | O_WRONLY, 0600);
	close(fd);
	ASSERT_EQ(0, unlink(self->rec.path));
	ASSERT_EQ(0, symlink(other, self->rec.path));
	EXPECT_EQ(-ESTALE, control_allow(self->rec.control, getegid(), &self->diag));
	EXPECT_NE(NULL, strstr(self->diag.msg, "has replaced"));
	EXPECT_EQ(S_IFREG | 0600, mode_of(other));
	unlink(self->rec.path);
	unlink(other);
}

TEST_F(socket, no_path)
{
	char path[200];

	EXPECT_EQ(NULL, control_open("", &recorder_ops, &self->rec, &self->diag));
	EXPECT_NE(NULL, strstr(self->diag.msg, "empty"));
	memset(path, 'x', sizeof(path));
	path[103] = '\0';
	EXPECT_EQ(NULL, control_open(path, &recorder_ops, &self->rec, &self->diag));
	EXPECT_NE(NULL, strstr(self->diag.msg, "103 bytes"));
	snprintf(path, sizeof(path), "%s/none/sock", self->dir);
	EXPECT_EQ(NULL, control_open(path, &recorder_ops, &self->rec, &self->diag));
	EXPECT_NE(NULL, strstr(self->diag.msg, "No such file"));

	/* The longest valid path */
	ASSERT_EQ(0, chdir(self->dir));
	memset(path, 'x', 102);
	path[102] = '\0';
	self->rec.control = control_open(path, &recorder_ops, &self->rec, &self->diag);
	ASSERT_NE(NULL, self->rec.control) {
		TH_LOG("%s", self->diag.msg);
	}
}

/*
 * Several recorders start at the same time where a killed one left its socket. Exactly one of them
 * gets the socket, and a client can connect to it.
 */
TEST_F(socket, race)
{
	int go[2], done[2], hold[2], i, round, winners, status, fd;
	pid_t pids[RACERS];
	char c;

	for (round = 0; round < 200; round++) {
		leave_stale(&self->rec);
		ASSERT_EQ(0, pipe(go));
		ASSERT_EQ(0, pipe(done));
		ASSERT_EQ(0, pipe(hold));
		for (i = 0; i < RACERS; i++) {
			pids[i] = fork();
			if (pids[i])
				continue;
			close(go[1]);
			close(hold[1]);
			if (read(go[0], &c, 1))
				_exit(2);
			c = recorder_open(&self->rec, &self->diag);
			if (write(done[1], &c, 1) != 1 || read(hold[0], &c, 1))
				_exit(3);
			/* The winner must see the connection that the parent makes below. */
			if (self->rec.control && !readable(control_fd(self->rec.control)))
				_exit(4);
			_exit(0);
		}
		close(go[1]);
		for (i = 0, winners = 0; i < RACERS; i++) {
			ASSERT_EQ(1, read(done[0], &c, 1));
			winners += c;
		}
		EXPECT_EQ(1, winners);
		fd = client_connect(self->rec.path);
		EXPECT_LE(0, fd);
		close(hold[1]);
		for (i = 0; i < RACERS; i++) {
			ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
			EXPECT_EQ(0, status);
		}
		close(fd);
		close(go[0]);
		close(done[0]);
		close(done[1]);
		close(hold[0]);
	}
	ASSERT_TRUE(recorder_open(&self->rec, &self->diag));
}

/* The recorder does not remove a file that has replaced its socket. */
TEST_F(socket, not_ours)
{
	int fd;

	ASSERT_TRUE(recorder_open(&self->rec, &self->diag));
	ASSERT_EQ(0, unlink(self->rec.path));
	fd = open(self->rec.path, O_CREAT | O_WRONLY, 0600);
	close(fd);
	control_close(self->rec.control);
	self->rec.control = NULL;
	EXPECT_EQ(0, unlink(self->rec.path));
}

#define NAME_63	"123456789012345678901234567890123456789012345678901234567890123"

static const struct {
	const char *line;
	int len;		/* 0: strlen() */
	const char *name;	/* NULL: an error */
	enum control_verb verb;
} requests[] = {
	{ "snapshot", 0, "", CONTROL_SNAPSHOT },
	{ "snapshot x", 0, "x", CONTROL_SNAPSHOT },
	{ "snapshot a%d{}~!", 0, "a%d{}~!", CONTROL_SNAPSHOT },
	{ "  status ", 0, "", CONTROL_STATUS },
	{ "status --json", 0, "", CONTROL_STATUS },
	{ " status  --json ", 0, "", CONTROL_STATUS },
	{ "metrics", 0, "", CONTROL_METRICS },
	{ "stop", 0, "", CONTROL_STOP },
	{ "snapshot --json", 0, "--json", CONTROL_SNAPSHOT },
	{ "snapshot " NAME_63, 0, NAME_63, CONTROL_SNAPSHOT },
	{ .line = "snapshot " NAME_63 "4" },
	{ .line = "" }, { .line = " " }, { .line = "snapshots" }, { .line = "snap" },
	{ .line = "Snapshot" }, { .line = "stop it" }, { .line = "status x" },
	{ .line = "snapshot a b" }, { .line = "snapshot a/b" }, { .line = "snapshot ." },
	{ .line = "snapshot .." }, { .line = "snapshot .x" },
	{ .line = "snapshot \xc3\xa4" }, { .line = "snapshot a\tb" },
	{ .line = "snapshot\ta" }, { .line = "stop\r" }, { .line = "snapshot a\x7f" },
	{ .line = "status --jso" }, { .line = "status --json x" }, { .line = "--json" },
	{ .line = "status --json --json" }, { .line = "metrics --json" }, { .line = "metric" },
	{ .line = "snapshot a\0b", .len = 12 }, { .line = "stop\0", .len = 5 },
};

TEST(parse_request)
{
	struct control_request rq;
	struct diag d;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_LEN(requests); i++) {
		const char *line = requests[i].line;
		const size_t len = requests[i].len ? (size_t)requests[i].len : strlen(line);
		char *exact = malloc(len + !len);

		/* The buffer has no spare byte, so that ASan catches a read beyond the line. */
		memcpy(exact, line, len);
		err = control_parse(exact, len, &rq, &d);
		free(exact);
		EXPECT_EQ(requests[i].name ? 0 : -EINVAL, err) {
			TH_LOG("'%s'", line);
		}
		if (err || !requests[i].name)
			continue;
		EXPECT_EQ(requests[i].verb, rq.verb);
		EXPECT_EQ(rq.verb == CONTROL_STATUS && strstr(line, "--json"), rq.json);
		EXPECT_STREQ(requests[i].name, rq.name);
	}
}

TEST(parse_reply)
{
	const char *text;

	EXPECT_EQ(CONTROL_OK, control_reply("ok", &text));
	EXPECT_STREQ("", text);
	EXPECT_EQ(CONTROL_OK, control_reply("ok /a b", &text));
	EXPECT_STREQ("/a b", text);
	EXPECT_EQ(CONTROL_ERROR, control_reply("error no", &text));
	EXPECT_STREQ("no", text);
	EXPECT_EQ(CONTROL_MORE, control_reply("okay: 1", &text));
	EXPECT_EQ(CONTROL_MORE, control_reply("errors: 1", &text));
	EXPECT_STREQ("errors: 1", text);
	EXPECT_EQ(CONTROL_MORE, control_reply("", &text));
}

static const struct {
	char *argv[8];
	const char *path;	/* NULL: an error */
	__u64 timeout;
	enum control_verb verb;
	const char *name;
} command_lines[] = {
	{ { "ctl", "/s", "status" }, "/s", 0, CONTROL_STATUS, "" },
	{ { "ctl", "/s", "status", "--json" }, "/s", 0, CONTROL_STATUS, "" },
	{ { "ctl", "--json", "/s", "status" }, "/s", 0, CONTROL_STATUS, "" },
	{ { "ctl", "/s", "metrics" }, "/s", 0, CONTROL_METRICS, "" },
	{ { "ctl", "--timeout=2.5", "/s", "stop" }, "/s", 2500000000, CONTROL_STOP, "" },
	{ { "ctl", "--timeout", "1", "/s", "snapshot", "x" }, "/s", 1000000000,
	  CONTROL_SNAPSHOT, "x" },
	{ { "ctl", "--", "-s", "snapshot" }, "-s", 0, CONTROL_SNAPSHOT, "" },
	{ .argv = { "ctl" } },
	{ .argv = { "ctl", "/s" } },
	{ .argv = { "ctl", "/s", "dance" } },
	{ .argv = { "ctl", "/s", "snapshot", "a b" } },
	{ .argv = { "ctl", "/s", "snapshot", "" } },
	{ .argv = { "ctl", "/s", "snapshot", "a/b" } },
	{ .argv = { "ctl", "/s", "status", "x" } },
	{ .argv = { "ctl", "--json", "/s", "metrics" } },
	{ .argv = { "ctl", "/s", "metrics", "--json" } },
	{ .argv = { "ctl", "/s", "snapshot", "a", "b" } },
	{ .argv = { "ctl", "--timeout" } },
	{ .argv = { "ctl", "--timeout=0", "/s", "stop" } },
	{ .argv = { "ctl", "--timeout=-1", "/s", "stop" } },
	{ .argv = { "ctl", "--timeout=1s", "/s", "stop" } },
	{ .argv = { "ctl", "--timeout=", "/s", "stop" } },
	{ .argv = { "ctl", "--timeout=inf", "/s", "stop" } },
	{ .argv = { "ctl", "--timeout=1.2.3", "/s", "stop" } },
	{ .argv = { "ctl", "--timeouts=1", "/s", "stop" } },
	{ .argv = { "ctl", "-x", "/s", "stop" } },
	{ .argv = { "ctl", "--" } },
};

TEST(parse_command_line)
{
	struct ctl_options o;
	struct diag d;
	size_t i;
	int argc, err;

	for (i = 0; i < ARRAY_LEN(command_lines); i++) {
		char **argv = (char **)command_lines[i].argv;
		bool json = false;

		for (argc = 0; argv[argc]; argc++)
			json |= !strcmp(argv[argc], "--json");
		err = ctl_parse(&o, argc, argv, &d);
		EXPECT_EQ(command_lines[i].path ? 0 : -EINVAL, err) {
			TH_LOG("case %zu", i);
		}
		if (err || !command_lines[i].path)
			continue;
		EXPECT_STREQ(command_lines[i].path, o.path);
		EXPECT_EQ(command_lines[i].timeout, o.timeout);
		EXPECT_EQ(command_lines[i].verb, o.request.verb);
		EXPECT_EQ(json, o.request.json);
		EXPECT_STREQ(command_lines[i].name, o.request.name);
	}
}

TEST_HARNESS_MAIN
