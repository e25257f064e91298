// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/service/journal.c and tool/flight/tell.c: which entries arrive at the journal's
 * socket, and what goes to stderr if nobody takes an entry. The test owns the socket.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "flight/flight.h"
#include "service/journal.h"

FIXTURE(journal) {
	char dir[32], path[64];
	int fd;
	char entry[65536];
	size_t len;
};

FIXTURE_SETUP(journal)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	strcpy(self->dir, "/tmp/journal.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->path, sizeof(self->path), "%s/socket", self->dir);
	strcpy(addr.sun_path, self->path);
	self->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	ASSERT_EQ(0, bind(self->fd, (struct sockaddr *)&addr, sizeof(addr)));
}

FIXTURE_TEARDOWN(journal)
{
	close(self->fd);
	unlink(self->path);
	EXPECT_EQ(0, rmdir(self->dir));
}

/* Read an entry. Return false if there is none. */
static bool receive(FIXTURE_DATA(journal) *self)
{
	const ssize_t n = recv(self->fd, self->entry, sizeof(self->entry), 0);

	self->len = n > 0 ? n : 0;
	return n > 0;
}

/* Return the value of a field of the entry, or "(none)". */
static const char *field(const FIXTURE_DATA(journal) *self, const char *name)
{
	static char value[sizeof(self->entry)];
	const char *at = self->entry, *end = at + self->len;

	while (at < end) {
		const char *line = memchr(at, '\n', end - at);
		__u64 len;

		if (!line || line + 1 + sizeof(len) > end)
			return "(not an entry)";
		memcpy(&len, line + 1, sizeof(len));
		len = le64toh(len);
		if (len >= (size_t)(end - line) || line[1 + sizeof(len) + len] != '\n')
			return "(not an entry)";
		if (strlen(name) == (size_t)(line - at) && !memcmp(at, name, line - at)) {
			memcpy(value, line + 1 + sizeof(len), len);
			value[len] = '\0';
			return value;
		}
		at = line + 1 + sizeof(len) + len + 1;
	}
	return "(none)";
}

TEST_F(journal, entry)
{
	const struct journal_field fields[] = {
		{ "MESSAGE", "two\nlines" }, { "EMPTY", "" }, { "PRIORITY", "6" },
	};

	ASSERT_EQ(0, journal_send(self->path, fields, 3));
	ASSERT_TRUE(receive(self));
	EXPECT_STREQ("two\nlines", field(self, "MESSAGE"));
	EXPECT_STREQ("", field(self, "EMPTY"));
	EXPECT_STREQ("6", field(self, "PRIORITY"));
	EXPECT_STREQ("(none)", field(self, "OTHER"));
	EXPECT_FALSE(receive(self));
}

/* A journal that does not read, or is not there, does not delay the caller. */
TEST_F(journal, nobody_reads)
{
	const struct journal_field one = { "MESSAGE", "x" };
	int i, err = 0;

	for (i = 0; i < 100000 && !err; i++)
		err = journal_send(self->path, &one, 1);
	EXPECT_EQ(-EAGAIN, err);
	close(self->fd);
	EXPECT_EQ(-ECONNREFUSED, journal_send(self->path, &one, 1));
	self->fd = -1;
	EXPECT_EQ(-ENOENT, journal_send("/tmp/no/such/socket", &one, 1));
}

TEST(stderr_is_journal)
{
	struct stat st;
	char text[64];

	ASSERT_EQ(0, fstat(STDERR_FILENO, &st));
	unsetenv("JOURNAL_STREAM");
	EXPECT_FALSE(journal_is_stderr());
	snprintf(text, sizeof(text), "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	setenv("JOURNAL_STREAM", text, 1);
	EXPECT_TRUE(journal_is_stderr());
	strcat(text, "x");
	setenv("JOURNAL_STREAM", text, 1);
	EXPECT_FALSE(journal_is_stderr());
	/* A program that a service starts inherits the variable. Its stderr can be another file. */
	snprintf(text, sizeof(text), "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino + 1);
	setenv("JOURNAL_STREAM", text, 1);
	EXPECT_FALSE(journal_is_stderr());
	setenv("JOURNAL_STREAM", "1", 1);
	EXPECT_FALSE(journal_is_stderr());
}

static char said[4096];

static void note(const char *text)
{
	strcpy(said, text);
}

/* A recorder that has written its fifth snapshot */
struct recorder {
	struct session s;
	struct flight f;
	struct flight_wish wish;
	struct trigger trigger;
	struct options opt;
};

static struct recorder *recorder(const char *journal)
{
	static struct recorder r;

	memset(&r, 0, sizeof(r));
	r.trigger.kind = TRIGGER_CRASH;
	r.wish = (struct flight_wish){ .trigger = &r.trigger, .name = "boom", .triggers = 3 };
	r.f.writing = &r.wish;
	r.f.number = 5;
	r.f.journal = journal;
	r.s.flight = &r.f;
	r.s.opt = &r.opt;
	r.s.recording = 0xfaa8150baffb28f2;
	said[0] = '\0';
	say_to(note);
	return &r;
}

static const struct snapshot_facts facts = {
	.trigger = 17, .complete = { .any = true, .begin = 11, .end = 16 }, .lost = 9, .gaps = 2,
	.gap_bytes = 4096,
};

TEST_F(journal, written)
{
	struct recorder *r = recorder(self->path);
	static const char * const want[][2] = {
		{ "MESSAGE", "/a\nb: 1.5 MiB, boom" }, { "PRIORITY", "6" },
		{ "MESSAGE_ID", "11263cccdc3f4822b8a0158f87af3f5f" },
		{ "SYSLOG_IDENTIFIER", "auxrec" }, { "AUXREC_PATH", "/a\nb" },
		{ "AUXREC_BYTES", "1572864" }, { "AUXREC_RECORDING", "0xfaa8150baffb28f2" },
		{ "AUXREC_NUMBER", "5" }, { "AUXREC_TRIGGER", "boom" },
		{ "AUXREC_TRIGGER_KIND", "crash" }, { "AUXREC_TRIGGERS", "3" },
		{ "AUXREC_TRIGGER_TIME", "17" }, { "AUXREC_COMPLETE_BEGIN", "11" },
		{ "AUXREC_COMPLETE_END", "16" }, { "AUXREC_LOST_RECORDS", "9" },
		{ "AUXREC_GAPS", "2" }, { "AUXREC_GAP_BYTES", "4096" },
	};
	size_t i;

	flight_tell_written(&r->s, "/a\nb", 3 << 19, &facts);
	ASSERT_TRUE(receive(self));
	for (i = 0; i < ARRAY_LEN(want); i++)
		EXPECT_STREQ(want[i][1], field(self, want[i][0]));
	EXPECT_STREQ("", said);
	r->opt.quiet = true;
	flight_tell_written(&r->s, "/a", 1, &facts);
	EXPECT_FALSE(receive(self));
}

TEST_F(journal, failed)
{
	struct recorder *r = recorder(self->path);

	flight_tell_failed(&r->s, "no space");
	ASSERT_TRUE(receive(self));
	EXPECT_STREQ("snapshot 5 (boom) failed: no space; recording goes on",
		     field(self, "MESSAGE"));
	EXPECT_STREQ("b8a7a917edd84657ba31a0b5f675c638", field(self, "MESSAGE_ID"));
	EXPECT_STREQ("3", field(self, "PRIORITY"));
	EXPECT_STREQ("5", field(self, "AUXREC_NUMBER"));
	EXPECT_STREQ("(none)", field(self, "AUXREC_PATH"));
	EXPECT_STREQ("", said);
}

/* Without a journal, and if the journal does not take the entry, the message goes to stderr. */
TEST_F(journal, otherwise)
{
	struct recorder *r = recorder(NULL);

	flight_tell_written(&r->s, "/a", 3 << 19, &facts);
	EXPECT_STREQ("/a: 1.5 MiB, boom", said);
	r->f.journal = "/tmp/no/such/socket";
	flight_tell_failed(&r->s, "no space");
	EXPECT_STREQ("snapshot 5 (boom) failed: no space; recording goes on", said);
	EXPECT_FALSE(receive(self));
}

TEST_HARNESS_MAIN
