// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/trigger/trigger.c: what --trigger means, which messages mistakes get, and how
 * many snapshots count= and rate= allow.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "kselftest_harness.h"
#include "base/parse_time.h"
#include "trigger/trigger.h"

#define MS	1000000ULL
#define S	NSEC_PER_SEC

/* Describe the whole trigger in one line, to compare and to read. */
static void describe(const struct trigger *t, char *out, size_t size)
{
	size_t len;

	len = snprintf(out, size, "%s '%s'", trigger_kind_name(t->kind), t->name);
	if (t->value)
		len += snprintf(out + len, size - len, " %s", t->value);
	if (t->filter)
		len += snprintf(out + len, size - len, " [%s]", t->filter);
	if (t->signal)
		len += snprintf(out + len, size - len, " sig %d", t->signal);
	if (t->signals)
		len += snprintf(out + len, size - len, " sigs %llx", t->signals);
	if (t->pressure.resource)
		len += snprintf(out + len, size - len, " %s %s %u/%u",
				t->pressure.full ? "full" : "some", t->pressure.resource,
				t->pressure.threshold_us, t->pressure.window_us);
	if (t->hang.pid)
		len += snprintf(out + len, size - len, " task %d %llu", t->hang.pid, t->hang.time);
	if (t->latency.time)
		len += snprintf(out + len, size - len, " takes %llu", t->latency.time);
	if (t->pre)
		len += snprintf(out + len, size - len, " pre %llu", t->pre);
	if (t->post)
		len += snprintf(out + len, size - len, " post %llu", t->post);
	if (t->post_in_segments)
		len += snprintf(out + len, size - len, " post %u segs",
				t->post_segments);
	if (t->count)
		len += snprintf(out + len, size - len, " count %llu", t->count);
	if (t->rate_nr)
		len += snprintf(out + len, size - len, " rate %llu/%llu",
				t->rate_nr, t->rate_time);
}

#define DIGITS "01234567890123456789012345678901"

static const struct {
	const char *spec;
	const char *means;
} good[] = {
	{ "signal=USR1", "signal 'signal-USR1' sig 10" },
	{ "signal=SIGUSR1", "signal 'signal-USR1' sig 10" },
	{ "signal=10", "signal 'signal-USR1' sig 10" },
	{ "signal=usr1", "signal 'signal-USR1' sig 10" },
	{ "signal=RTMIN", "signal 'signal-RTMIN' sig 34" },
	{ "signal=RTMIN+3", "signal 'signal-RTMIN+3' sig 37" },
	{ "signal=SIGRTMAX-1", "signal 'signal-RTMIN+29' sig 63" },
	{ "signal=64", "signal 'signal-RTMIN+30' sig 64" },
	{ "signal=USR1,count=3,rate=2/min,pre=30s,post=500us,name=by hand",
	  "signal 'by hand' sig 10 pre 30000000000 post 500000 count 3 rate 2/60000000000" },
	{ "signal=USR1,name=by hand,post=0s", "signal 'by hand' sig 10" },
	{ "signal=USR1,rate=5", "signal 'signal-USR1' sig 10 rate 5/1000000000" },
	{ "signal=USR1,rate=5/30s", "signal 'signal-USR1' sig 10 rate 5/30000000000" },
	{ "signal=USR1,rate=1/h", "signal 'signal-USR1' sig 10 rate 1/3600000000000" },
	{ "socket=/run/a.sock", "socket 'socket-a.sock' /run/a.sock" },
	{ "socket=/run/a,b/c=d,name=x", "socket 'x' /run/a,b/c=d" },
	{ "socket=/run/a,b,pre=1min", "socket 'socket-a,b' /run/a,b pre 60000000000" },
	{ "signal=USR1,name=a,pre=9223372036854775807ns",
	  "signal 'a' sig 10 pre 9223372036854775807" },
	{ "socket=dir/", "socket 'socket-dir' dir/" },
	{ "bpf=/sys/fs/bpf/ring,count=1", "bpf 'bpf-ring' /sys/fs/bpf/ring count 1" },
	{ "exec=foo*", "exec 'exec-foo*' foo*" },
	{ "exec=a,b", "exec 'exec-a,b' a,b" },
	{ "exec=averyveryveryvery*", "exec 'exec-averyveryveryvery*' averyveryveryvery*" },
	{ "exit=kworker/[0-9]:?", "exit 'exit-kworker_[0-9]:?' kworker/[0-9]:?" },
	/* QUIT ILL TRAP ABRT BUS FPE SEGV XCPU XFSZ SYS */
	{ "crash", "crash 'crash' sigs 418004fc" },
	{ "crash,name=x,count=2", "crash 'x' sigs 418004fc count 2" },
	{ "crash=SEGV", "crash 'crash-SEGV' sigs 400" },
	{ "crash=SEGV,6,SIGQUIT,post=1s", "crash 'crash-SEGV,6,SIGQUIT' sigs 424 post 1000000000" },
	{ "pressure=memory/150ms/1s",
	  "pressure 'pressure-memory_150ms_1s' memory/150ms/1s some memory 150000/1000000" },
	{ "pressure=io:full/1us/500ms,count=2,name=disk",
	  "pressure 'disk' io:full/1us/500ms full io 1/500000 count 2" },
	{ "pressure=cpu:some/10s/10s,post=1s,name=c",
	  "pressure 'c' cpu:some/10s/10s some cpu 10000000/10000000 post 1000000000" },
	{ "latency=f@./a/p/10ms/", "latency 'latency-f@._a_p_10ms' f@./a/p takes 10000000" },
	{ "latency=f@./p/1s,count=2,post=3",
	  "latency 'latency-f@._p_1s' f@./p takes 1000000000 post 3 segs count 2" },
	{ "latency=f#2@'/a b'/3us/,name=x", "latency 'x' f#2@'/a b' takes 3000" },
	{ "hang=1234/5s", "hang 'hang-1234_5s' 1234/5s task 1234 5000000000" },
	{ "hang=2147483647/100ms,count=1,name=h",
	  "hang 'h' 2147483647/100ms task 2147483647 100000000 count 1" },
	/* events: commas, slashes and terms of their own */
	{ "event=cycles", "event 'event-cycles' cycles" },
	{ "event=cycles:u,post=3", "event 'event-cycles:u' cycles:u post 3 segs" },
	{ "event=cycles,post=0", "event 'event-cycles' cycles post 0 segs" },
	{ "event=cycles,post=3ms", "event 'event-cycles' cycles post 3000000" },
	{ "event=sched:sched_switch", "event 'event-sched:sched_switch' sched:sched_switch" },
	{ "event=sched:exec/pid == 1 && comm != \"a,b/c\"/,count=2",
	  "event 'event-sched:exec' sched:exec [pid == 1 && comm != \"a,b/c\"] count 2" },
	{ "event=s:n/c == \"x/,count=3\"/", "event 'event-s:n' s:n [c == \"x/,count=3\"]" },
	{ "event=s:n/c == \"x/,count=3\"/,count=4",
	  "event 'event-s:n' s:n [c == \"x/,count=3\"] count 4" },
	{ "event=s:n/c == 'x/,count=3\"'/,count=4",
	  "event 'event-s:n' s:n [c == 'x/,count=3\"'] count 4" },
	{ "event=s:n/c ~ \"*/x\"/,name=b,count=4,post=3",
	  "event 'b' s:n [c ~ \"*/x\"] post 3 segs count 4" },
	{ "event=s:n/a == \"x/,count=1,count=2\"/",
	  "event 'event-s:n' s:n [a == \"x/,count=1,count=2\"]" },
	{ "event=s:n:k/x/", "event 'event-s:n:k' s:n:k [x]" },
	{ "event=s:n/a/b/", "event 'event-s:n' s:n [a/b]" },
	{ "event=cpu/event=0x3c,umask=1/",
	  "event 'event-cpu_event=0x3c,umask=1' cpu/event=0x3c,umask=1/" },
	{ "event=cpu/event=0x3c,umask=1/u,count=3",
	  "event 'event-cpu_event=0x3c,umask=1_u' cpu/event=0x3c,umask=1/u count 3" },
	{ "event=cpu/a=1,name=foo/", "event 'event-cpu_a=1,name=foo' cpu/a=1,name=foo/" },
	{ "event=cpu/a=1,count=3,rate=5/h,name=b", "event 'b' cpu/a=1,count=3,rate=5/h" },
	{ "event=cpu/a=1,rate=5/h,rate=5/h",
	  "event 'event-cpu_a=1,rate=5_h' cpu/a=1,rate=5/h rate 5/3600000000000" },
	{ "event=cpu/a=1,name='x/y',count=5/,count=6",
	  "event 'event-cpu_a=1,name='x_y',count=5' cpu/a=1,name='x/y',count=5/ count 6" },
	{ "event=mem:0x1000/4:w", "event 'event-mem:0x1000_4:w' mem:0x1000/4:w" },
	{ "event=mem:0x1000/4:w,rate=1/s",
	  "event 'event-mem:0x1000_4:w' mem:0x1000/4:w rate 1/1000000000" },
	/* probes: a path has slashes, but no filter */
	{ "event=func=main@./prog", "event 'event-func=main@._prog' func=main@./prog" },
	{ "event=func=main@./a/prog,count=3",
	  "event 'event-func=main@._a_prog' func=main@./a/prog count 3" },
	{ "event=probe:func=f@/bin/x%return,post=2",
	  "event 'event-probe:func=f@_bin_x%return' probe:func=f@/bin/x%return post 2 segs" },
	{ "event=func=f@'/a,count=3',count=4",
	  "event 'event-func=f@'_a,count=3'' func=f@'/a,count=3' count 4" },
	{ "event=func=f@'/a,count=3'", "event 'event-func=f@'_a,count=3'' func=f@'/a,count=3'" },
	{ "event=intel_pt//", "event 'event-intel_pt' intel_pt//" },
	{ "event=" DIGITS DIGITS ",post=1",
	  "event 'event-" DIGITS "0123456789012345678901234' " DIGITS DIGITS " post 1 segs" },
	{ "event=\xc3\xa4\n", "event 'event' \xc3\xa4\n" },
};

TEST(means)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(good); i++) {
		char is[1024] = "";
		struct diag d = { "" };
		struct trigger t;

		EXPECT_EQ(0, trigger_parse(&t, good[i].spec, &d))
			TH_LOG("%s: %s", good[i].spec, d.msg);
		describe(&t, is, sizeof(is));
		EXPECT_STREQ(good[i].means, is)
			TH_LOG("%s", good[i].spec);
		trigger_free(&t);
	}
}

#define FREE_SIGNALS "free are USR1, QUIT, ALRM, VTALRM, PROF, URG, IO, PWR and RTMIN to RTMAX"
#define LIST "count=, rate=, pre=, post= and name="
#define NO_DUMP \
	"TERM dumps no core: the kernel delivers it as KILL, as it does to threads of a process that just ends. With -a or -C, --trigger 'event=signal:signal_generate/sig == 15 && result == 0/' triggers when it is sent"
#define OPTIONS "there are " LIST
#define KINDS "there are signal=, socket=, event=, bpf=, exec=, exit=, pressure=, hang=, latency= and crash"
#define NO_END "the filter has no '/' at its end: give s:n/FILTER/, and modifiers before the filter"
#define NO_TIME "is not a time: give a whole number with one of " UNITS ", e.g. 30s"
#define FORM "pressure=cpu|memory|io[:some|full]/TIME/WINDOW, e.g. pressure=memory/150ms/1s"
#define LATENCY "latency=FUNC@FILE/TIME/, e.g. latency=handle@./server/10ms/"
#define EACH_CALL "give the time that a call may take, or event=func=FUNC@FILE for each call"
#define NO_UNIT "has no unit: give one of " UNITS ", e.g. 30s"
#define UNITS "ns, us, ms, s, min, h or d"

static const struct {
	const char *spec;
	const char *says;	/* after "--trigger SPEC: " */
} bad[] = {
	{ "", "there is no trigger '': " KINDS },
	{ "timer=1s", "there is no trigger 'timer': " KINDS },
	{ "signa=1", "there is no trigger 'signa': " KINDS },
	{ "signal", "signal needs a value: give signal=NAME, e.g. signal=USR1" },
	{ "signal=", "signal needs a value: give signal=NAME, e.g. signal=USR1" },
	{ "signal=,count=1", "signal needs a value: give signal=NAME, e.g. signal=USR1" },
	{ "socket,count=1", "socket needs a value: give socket=PATH" },
	{ "event=", "event needs a value: give event=EVENT, e.g. event=sched:sched_process_exit" },
	{ "bpf=", "bpf needs a value: give bpf=PATH of a pinned ring buffer" },
	{ "exec=", "exec needs a value: give exec=PATTERN of a task's name" },
	{ "exit=", "exit needs a value: give exit=PATTERN of a task's name" },
	{ "crash=", "which signals? Give e.g. crash=SEGV,ABRT, or crash for all that dump core" },
	{ "crash,SEGV", "'SEGV' is not an option: " OPTIONS },
	{ "crash=SEGV,CHLD",
	  "CHLD does not end a task: give signals that do, e.g. crash=SEGV,ABRT" },
	{ "crash=SEGV,TERM", NO_DUMP },
	{ "crash=SEGV,,ABRT", "there is no signal '': give e.g. crash=SEGV,ABRT" },
	{ "crash=FOO", "there is no signal 'FOO': give e.g. crash=SEGV,ABRT" },
	{ "signal=FOO", "there is no signal 'FOO': " FREE_SIGNALS },
	{ "signal=0", "there is no signal '0': " FREE_SIGNALS },
	{ "signal=65", "there is no signal '65': " FREE_SIGNALS },
	{ "signal=10x", "there is no signal '10x': " FREE_SIGNALS },
	{ "signal=-1", "there is no signal '-1': " FREE_SIGNALS },
	{ "signal=4294967306", "there is no signal '4294967306': " FREE_SIGNALS },
	{ "signal=RTMIN-1", "there is no signal 'RTMIN-1': " FREE_SIGNALS },
	{ "signal=RTMIN+", "there is no signal 'RTMIN+': " FREE_SIGNALS },
	{ "signal=RTMIN+31", "there is no signal 'RTMIN+31': " FREE_SIGNALS },
	{ "signal=RTMIN+4294967296", "there is no signal 'RTMIN+4294967296': " FREE_SIGNALS },
	{ "signal=RTMAX-4294967296", "there is no signal 'RTMAX-4294967296': " FREE_SIGNALS },
	{ "signal=RTMIN+99999999999999999999",
	  "there is no signal 'RTMIN+99999999999999999999': " FREE_SIGNALS },
	{ "signal=USR2",
	  "auxrec cannot take USR2 as a trigger, it ends the recording and merges its snapshots: "
	  FREE_SIGNALS },
	{ "signal=USR1,cuont=3", "there is no option 'cuont': " OPTIONS },
	{ "socket=/a,cuont=3", "there is no option 'cuont': " OPTIONS },
	{ "event=s:n/f/,cuont=3,name=b", "there is no option 'cuont': " OPTIONS },
	{ "event=s:n/f/,cuont=3", "there is no option 'cuont': " OPTIONS },
	{ "signal=USR1,count=", "count= has no value: give e.g. count=10" },
	{ "signal=USR1,count", "count= has no value: give e.g. count=10" },
	{ "signal=USR1,name=", "name= has no value: give e.g. name=slow" },
	{ "signal=USR1,", "a ',' is at the end: leave it out" },
	{ "crash,", "a ',' is at the end: leave it out" },
	{ "signal=USR1,count=1,count=2", "count= is given twice: give it once" },
	{ "signal=USR1,count=0", "count=0 would never write a snapshot: leave the trigger out" },
	{ "signal=USR1,count=3x", "count='3x' is not a number" },
	{ "signal=USR1,count=3/s", "count='3/s' is not a number" },
	{ "signal=USR1,count=-3", "count='-3' is not a number" },
	{ "signal=USR1,count=18446744073709551616", "count=18446744073709551616 is too large" },
	{ "signal=USR1,rate=x", "rate='x' is not a number" },
	{ "signal=USR1,rate=0/s", "rate=0 would never write a snapshot: leave the trigger out" },
	{ "signal=USR1,rate=1/", "rate=N/TIME: '' " NO_TIME },
	{ "signal=USR1,rate=1/30", "rate=N/TIME: the time '30' " NO_UNIT },
	{ "signal=USR1,rate=1/0s", "rate=1/0s: the time is 0: give e.g. rate=1/s" },
	{ "signal=USR1,rate=1000001",
	  "rate=1000001 is more than one in a microsecond: leave it out" },
	{ "signal=USR1,pre=30", "pre: the time '30' " NO_UNIT },
	{ "signal=USR1,pre=0s", "pre=0s would keep nothing: leave it out to keep everything" },
	{ "signal=USR1,pre=1.5s", "pre: '1.5s' " NO_TIME },
	{ "signal=USR1,pre=5m", "pre: '5m' " NO_TIME },
	{ "signal=USR1,pre=200000d", "pre: '200000d' is too long: at most 106751d" },
	{ "signal=USR1,pre=9223372036854775808ns",
	  "pre: '9223372036854775808ns' is too long: at most 106751d" },
	{ "signal=USR1,post=3",
	  "post=3 has no unit: give a time, e.g. post=20ms; "
	  "a number of segments is for event=, exec=, exit=, latency= and crash" },
	{ "event=x,post=4097",
	  "post=4097: a raw ring has at most 4096 segments; a time needs a unit, e.g. post=20ms" },
	{ "event=x,post=99999999999999999999",
	  "post: '99999999999999999999' is too long: at most 106751d" },
	{ "signal=USR1,name=a/b", "the name has byte 0x2f: names are printable ASCII without '/'" },
	{ "signal=USR1,name=a\tb",
	  "the name has byte 0x09: names are printable ASCII without '/'" },
	{ "signal=USR1,name=" DIGITS DIGITS,
	  "the name has 64 bytes, the limit is 63" },
	{ "socket=/x,name=a,b",
	  "'b' is not an option: only " LIST " can follow name=, none with a ','" },
	{ "exec=averyveryveryverylongname",
	  "names of tasks have at most 15 bytes: give exec=averyveryveryve" },
	{ "socket=/" DIGITS DIGITS DIGITS "0123456789a",
	  "a socket's path has at most 107 bytes: give a shorter one" },
	{ "pressure", "pressure needs a value: give " FORM },
	{ "pressure=", "pressure needs a value: give " FORM },
	{ "pressure=irq/1ms/1s", "there is no pressure of 'irq': there are cpu, memory and io" },
	{ "pressure=mem/1ms/1s", "there is no pressure of 'mem': there are cpu, memory and io" },
	{ "pressure=/1ms/1s", "there is no pressure of '': there are cpu, memory and io" },
	{ "pressure=cpu:half/1ms/1s",
	  "'half' is not some or full: some tasks wait, or all at the same time" },
	{ "pressure=cpu:/1ms/1s",
	  "'' is not some or full: some tasks wait, or all at the same time" },
	{ "pressure=cpu:full/1ms/1s",
	  "cpu:full never comes: tasks that wait for a CPU wait for one that runs; give cpu:some" },
	{ "pressure=io", "a time or its window is missing: give " FORM },
	{ "pressure=io/1ms", "a time or its window is missing: give " FORM },
	{ "pressure=io/30/1s", "TIME: the time '30' " NO_UNIT },
	{ "pressure=io//1s", "TIME: '' " NO_TIME },
	{ "pressure=io/1ms/", "WINDOW: '' " NO_TIME },
	{ "pressure=io/1ms/1s/", "WINDOW: '1s/' " NO_TIME },
	{ "pressure=io/1500ns/1s", "TIME: 1500ns is not a number of whole microseconds" },
	{ "pressure=io/1ms/500000001ns",
	  "WINDOW: 500000001ns is not a number of whole microseconds" },
	{ "pressure=io/0s/1s", "the time is 0: give the time that tasks must wait in 1s" },
	{ "pressure=io/1ms/499999us", "the window 499999us is not from 500ms to 10s" },
	{ "pressure=io/1ms/10000001us", "the window 10000001us is not from 500ms to 10s" },
	/* 2^32 us and a second */
	{ "pressure=io/1ms/4295967296us", "the window 4295967296us is not from 500ms to 10s" },
	{ "pressure=io/4295967296us/1s",
	  "tasks cannot wait for 4295967296us in 1s: give a time up to the window" },
	{ "pressure=io/1001ms/1s",
	  "tasks cannot wait for 1001ms in 1s: give a time up to the window" },
	{ "pressure=io/1ms/1s,post=3",
	  "post=3 has no unit: give a time, e.g. post=20ms; "
	  "a number of segments is for event=, exec=, exit=, latency= and crash" },
	{ "pressure=io/1ms/1s,pre=1s,x,name=y",
	  "'x' is not an option: only " LIST " can follow pre=, none with a ','" },
	{ "hang", "hang needs a value: give hang=PID/TIME, e.g. hang=1234/5s" },
	{ "latency", "latency needs a value: give " LATENCY },
	{ "latency=f@p", "a part is missing: give " LATENCY },
	{ "latency=f/10ms/", "a part is missing: give " LATENCY },
	{ "latency=/a@b/10ms/x/", "TIME: 'x' " NO_TIME },
	{ "latency=f@p/30/", "TIME: the time '30' " NO_UNIT },
	{ "latency=f@p//", "TIME: '' " NO_TIME },
	{ "latency=f@p/0s/",
	  "the time is 0: " EACH_CALL },
	{ "latency=f@p%return/1s/",
	  "latency= always measures up to the return: leave %return out" },
	{ "hang=1", "the time is missing: give hang=PID/TIME, e.g. hang=1234/5s" },
	{ "hang=/5s", "'' is not the id of a process or thread" },
	{ "hang=0/5s", "'0' is not the id of a process or thread" },
	{ "hang=-1/5s", "'-1' is not the id of a process or thread" },
	{ "hang=1x/5s", "'1x' is not the id of a process or thread" },
	{ "hang=2147483648/5s", "'2147483648' is not the id of a process or thread" },
	{ "hang=4294967297/5s", "'4294967297' is not the id of a process or thread" },
	{ "hang=1/30", "TIME: the time '30' " NO_UNIT },
	{ "hang=1/", "TIME: '' " NO_TIME },
	{ "hang=1/99ms", "99ms is too short: give at least 100ms" },
	{ "hang=1/5s,pre=1s,x,name=y",
	  "'x' is not an option: only " LIST " can follow pre=, none with a ','" },
	{ "machine", "there is no trigger 'machine': " KINDS },
	{ "event=s:n//", "the filter is empty: leave out the '//'" },
	{ "event=s:n/x", NO_END },
	{ "event=s:n/x/u", NO_END },
	{ "event=s:n/c == \"x/", NO_END },
	{ "event=s:n/c == 1,count=3", NO_END },
	{ "event=s:n/", NO_END },
};

TEST(mistakes)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(bad); i++) {
		char says[1024];
		struct diag d = { "" };
		struct trigger t;

		EXPECT_EQ(-EINVAL, trigger_parse(&t, bad[i].spec, &d))
			TH_LOG("%s", bad[i].spec);
		snprintf(says, sizeof(says), "--trigger %.100s: %s", bad[i].spec,
			 bad[i].says);
		EXPECT_STREQ(says, d.msg);
		EXPECT_EQ(NULL, t.value);
		EXPECT_EQ(NULL, t.filter);
	}
}

/* Each of these signals is refused as a trigger, and each other signal is accepted. */
TEST(signals)
{
	static const int needed[] = {
		SIGKILL, SIGSTOP, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE,
		SIGXFSZ, SIGUSR2, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP,
		SIGABRT, SIGSYS,
		/* Signals that come by themselves, or stop the recorder, are refused, too. */
		SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGWINCH, SIGXCPU, SIGSTKFLT,
		32, 33,
	};
	int sig;

	for (sig = 1; sig <= 64; sig++) {
		bool is_needed = false;
		char spec[32];
		struct trigger t;
		struct diag d;
		size_t i;

		for (i = 0; i < ARRAY_LEN(needed); i++)
			is_needed |= needed[i] == sig;
		snprintf(spec, sizeof(spec), "signal=%d", sig);
		EXPECT_EQ(is_needed ? -EINVAL : 0, trigger_parse(&t, spec, &d))
			TH_LOG("signal %d", sig);
		EXPECT_EQ(is_needed ? 0 : sig, t.signal);
		/* The name that the trigger was given means the same signal. */
		if (!is_needed) {
			snprintf(spec, sizeof(spec), "signal=%.20s",
				 t.name + strlen("signal-"));
			EXPECT_EQ(0, trigger_parse(&t, spec, &d));
			EXPECT_EQ(sig, t.signal);
		}
	}
}

TEST(times)
{
	static const struct {
		const char *s;
		__u64 ns;
	} cases[] = {
		{ "0s", 0 }, { "1ns", 1 }, { "500us", 500000 }, { "20ms", 20 * MS },
		{ "30s", 30 * S }, { "1min", 60 * S }, { "2h", 7200 * S },
		{ "1d", 86400 * S }, { "007s", 7 * S },
		{ "9223372036854775807ns", INT64_MAX },
	};
	static const struct {
		const char *s;
		int err;
	} wrong[] = {
		{ "", -EINVAL }, { "s", -EINVAL }, { "30", -EINVAL },
		{ " 30s", -EINVAL }, { "30 s", -EINVAL }, { "+1s", -EINVAL },
		{ "-1s", -EINVAL }, { "30S", -EINVAL }, { "1sec", -EINVAL },
		{ "0x1s", -EINVAL }, { "9223372036854775808ns", -ERANGE },
		{ "18446744073709551616ns", -ERANGE },
		{ "99999999999999999999999s", -ERANGE },
		{ "18446744074s", -ERANGE }, { "213504d", -ERANGE },
	};
	struct diag d;
	__u64 ns;
	size_t i;

	for (i = 0; i < ARRAY_LEN(cases); i++) {
		ns = 4711;
		EXPECT_EQ(0, parse_time("--flight", cases[i].s, &ns, &d));
		EXPECT_EQ(cases[i].ns, ns)
			TH_LOG("%s", cases[i].s);
	}
	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		ns = 4711;
		EXPECT_EQ(wrong[i].err, parse_time("--flight", wrong[i].s, &ns, &d))
			TH_LOG("%s", wrong[i].s);
		EXPECT_EQ(4711, ns);
		EXPECT_EQ(0, strncmp(d.msg, "--flight: ", 10));
	}
	EXPECT_EQ(0, parse_time_per("x", "min", &ns, &d));
	EXPECT_EQ(60 * S, ns);
}

static struct trigger parsed(const char *spec)
{
	struct trigger t;

	if (trigger_parse(&t, spec, NULL))
		memset(&t, 0, sizeof(t));
	return t;
}

/* Return how many of @nr triggers are taken that come every @step from @now on. */
static unsigned int storm(struct trigger *t, unsigned int nr, __u64 now, __u64 step)
{
	unsigned int taken = 0, i;

	for (i = 0; i < nr; i++)
		taken += trigger_take(t, now + i * step);
	return taken;
}

TEST(count)
{
	struct trigger t = parsed("signal=USR1,count=3");

	EXPECT_EQ(3, storm(&t, 100, S, S));
	EXPECT_EQ(3, t.taken);
	EXPECT_EQ(97, t.suppressed);
	t = parsed("signal=USR1");
	EXPECT_EQ(100000, storm(&t, 100000, S, 0));
}

TEST(rate)
{
	struct trigger t = parsed("signal=USR1,rate=5/30s");

	/* A burst, then one every 6 s */
	EXPECT_EQ(5, storm(&t, 100000, S, 0));
	EXPECT_EQ(99995, t.suppressed);
	EXPECT_FALSE(trigger_take(&t, 7 * S - 1));
	EXPECT_TRUE(trigger_take(&t, 7 * S));
	EXPECT_FALSE(trigger_take(&t, 7 * S));
	/* Asking often does not lose the time that has passed. */
	EXPECT_EQ(10, storm(&t, 60000, 7 * S + MS, MS));
	/* A long silence does not add up to more than a burst. */
	EXPECT_EQ(5, storm(&t, 100, 1000000 * S, 0));
	/* A trigger that is seen late, with an earlier time, adds nothing. */
	EXPECT_EQ(0, storm(&t, 100, S, 0));
	EXPECT_EQ(0, storm(&t, 100, 1000000 * S, 0));
}

/* 7 does not divide a second. A burst is still 7, and 7 s allow 49. */
TEST(rate_odd)
{
	struct trigger t = parsed("signal=USR1,rate=7");

	EXPECT_EQ(7, storm(&t, 100, S, 0));
	EXPECT_EQ(49, storm(&t, 70000, S + 100000, 100000));
}

TEST(rate_extreme)
{
	struct trigger t = parsed("signal=USR1,rate=1000000/1s");

	EXPECT_EQ(1000000, storm(&t, 1000100, ~0ULL - 2 * S, 0));
	EXPECT_EQ(1000000, storm(&t, 1000100, ~0ULL, 0));
	t = parsed("signal=USR1,rate=1/106751d");
	EXPECT_TRUE(trigger_take(&t, 1));
	EXPECT_FALSE(trigger_take(&t, S));
	EXPECT_FALSE(trigger_take(&t, INT64_MAX / 2));
	EXPECT_TRUE(trigger_take(&t, ~0ULL));
}

/* Triggers that count= suppresses take no token of rate=. */
TEST(count_and_rate)
{
	struct trigger t = parsed("signal=USR1,count=8,rate=5");

	EXPECT_EQ(5, storm(&t, 100, S, 0));
	EXPECT_EQ(3, storm(&t, 100, 10 * S, 0));
	EXPECT_EQ(0, storm(&t, 100, 20 * S, 0));
	EXPECT_EQ(292, t.suppressed);
}

/* Any prefix of a trigger, and any byte in it, is parsed without harm. */
TEST(damaged)
{
	unsigned int taken = 0, refused = 0;
	size_t i, j;
	int c;

	for (i = 0; i < ARRAY_LEN(good); i++) {
		for (j = 0; j < strlen(good[i].spec); j++) {
			for (c = 0; c < 256; c++) {
				char spec[256];
				struct trigger t;
				struct diag d;

				strcpy(spec, good[i].spec);
				spec[j] = c;
				if (trigger_parse(&t, spec, &d)) {
					refused++;
					continue;
				}
				taken++;
				EXPECT_NE(0, t.name[0]);
				EXPECT_EQ(NULL, strchr(t.name, '/'));
				trigger_free(&t);
			}
		}
	}
	EXPECT_LT(1000, taken);
	EXPECT_LT(1000, refused);
}

TEST_HARNESS_MAIN
