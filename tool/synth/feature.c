// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make FEATURE records, which describe the machine. Only ids up to 31 are used, and
 * 32 as the end mark, because the pipe reader of perf 6.1 takes no others.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#if __has_include("cpuid.h")
#include <cpuid.h>
#endif

#include "base/version.h"
#include "bpf/bpf.h"
#include "stream/build.h"
#include "stream/pack.h"
#include "stream/records.h"
#include "synth/synth.h"

#define STRING_ALIGN	64

/* Two clocks count as read at the same moment if reading them takes less than this. */
#define CLOCK_NEAR_NS	2000
#define CLOCK_TRIES	10

static void begin(struct session *s, __u64 id)
{
	build_begin(&s->out, REC_FEATURE, 0);
	build_add_u64(&s->out, id);
}

static void add_string(struct session *s, const char *str)
{
	const size_t len = strlen(str) + 1;
	const size_t size = ALIGN_UP(len, STRING_ALIGN);

	build_add_u32(&s->out, size);
	build_add(&s->out, str, len);
	build_add(&s->out, NULL, size - len);
}

/* End a record. If the description is too long for a record, report that it is left out. */
static int end(struct session *s, const char *what)
{
	int err = build_end(&s->out);

	if (err != -E2BIG)
		return err;
	if (!s->opt->quiet)
		say("%s: too long for the stream, left out", what);
	return 0;
}

static int string_feature(struct session *s, __u64 id, const char *str)
{
	if (!str || !*str)
		return 0;
	begin(s, id);
	add_string(s, str);
	return end(s, str);
}

static int names(struct session *s)
{
	char version[128];
	struct utsname u;
	int err;

	if (uname(&u))
		return 0;
	err = string_feature(s, REC_FEAT_HOSTNAME, u.nodename);
	if (!err)
		err = string_feature(s, REC_FEAT_OSRELEASE, u.release);
	if (!err) {
		snprintf(version, sizeof(version), "auxrec %s", auxrec_version);
		err = string_feature(s, REC_FEAT_VERSION, version);
	}
	if (!err)
		err = string_feature(s, REC_FEAT_ARCH, u.machine);
	return err;
}

static __u32 nr_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	return n > 0 ? n : 1;
}

static int nrcpus(struct session *s)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	begin(s, REC_FEAT_NRCPUS);
	build_add_u32(&s->out, nr_cpus());
	build_add_u32(&s->out, online);
	return end(s, "CPUs");
}

/* Read the value of the first line "key : value" of /proc/cpuinfo. */
static int cpu_info(const char *key, char *val, size_t size)
{
	char *text, *line, *save;
	int err = -ENOENT;

	if (slurp("/proc/cpuinfo", &text, NULL))
		return err;
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *colon = strchr(line, ':');

		if (!colon || strncmp(line, key, strlen(key)))
			continue;
		snprintf(val, size, "%s", colon + 1 + strspn(colon + 1, " "));
		err = 0;
		break;
	}
	free(text);
	return err;
}

static int cpudesc(struct session *s)
{
	char desc[256];

	if (cpu_info("model name", desc, sizeof(desc)))
		return 0;
	return string_feature(s, REC_FEAT_CPUDESC, desc);
}

#if __has_include("cpuid.h")
/* perf looks events up by "vendor,family,model,stepping". */
static int cpuid(struct session *s)
{
	unsigned int a, b, c, d, family, model;
	char vendor[13] = "", id[64];

	if (!__get_cpuid(0, &a, &b, &c, &d))
		return 0;
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &d, 4);
	memcpy(vendor + 8, &c, 4);
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return 0;
	/* The extended fields are valid only for these families (SDM, CPUID 1). */
	family = a >> 8 & 0xf;
	model = a >> 4 & 0xf;
	if (family == 6 || family == 15)
		model += (a >> 16 & 0xf) << 4;
	if (family == 15)
		family += a >> 20 & 0xff;
	snprintf(id, sizeof(id), "%s,%u,%u,%u", vendor, family, model, a & 0xf);
	return string_feature(s, REC_FEAT_CPUID, id);
}
#else
static int cpuid(struct session *s)
{
	char id[64];

	if (slurp_line("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
		       id, sizeof(id)))
		return 0;
	return string_feature(s, REC_FEAT_CPUID, id);
}
#endif

static int total_mem(struct session *s)
{
	char *text, *p;
	__u64 total = 0;

	if (slurp("/proc/meminfo", &text, NULL))
		return 0;
	p = strstr(text, "MemTotal:");
	if (p)
		total = strtoull(p + 9, NULL, 10);
	free(text);
	begin(s, REC_FEAT_TOTAL_MEM);
	/* The feature is in KiB, as is /proc/meminfo. */
	build_add_u64(&s->out, total);
	return end(s, "memory size");
}

static int command_line(struct session *s)
{
	char *text;
	size_t len, pos;
	__u32 nr = 0;

	if (slurp("/proc/self/cmdline", &text, &len))
		return 0;
	for (pos = 0; pos < len; pos += strlen(text + pos) + 1)
		nr++;
	begin(s, REC_FEAT_CMDLINE);
	build_add_u32(&s->out, nr);
	for (pos = 0; pos < len; pos += strlen(text + pos) + 1)
		add_string(s, text + pos);
	free(text);
	return end(s, "command line");
}

#define CPU_DIR	"/sys/devices/system/cpu/cpu%u/topology/%s"

static int topology_line(__u32 cpu, const char *file, char *buf, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), CPU_DIR, cpu, file);
	return slurp_line(path, buf, size);
}

/* Add each different content of a topology file of all CPUs once: "0-3", "4-7". */
static void add_siblings(struct session *s, const char *file, const char *older)
{
	char (*seen)[256] = NULL;
	__u32 cpu, nr = 0, i;
	size_t at;

	at = s->out.build.len;
	build_add_u32(&s->out, 0);
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		char line[256];

		if (topology_line(cpu, file, line, sizeof(line)) &&
		    topology_line(cpu, older, line, sizeof(line)))
			continue;
		for (i = 0; i < nr && strcmp(seen[i], line); i++)
			;
		if (i < nr || grow((void **)&seen, nr, sizeof(*seen)))
			continue;
		memcpy(seen[nr++], line, sizeof(line));
		add_string(s, line);
	}
	memcpy(s->out.build.bytes + at, &nr, sizeof(nr));
	free(seen);
}

static int cpu_topology(struct session *s)
{
	__u32 cpu;

	begin(s, REC_FEAT_CPU_TOPOLOGY);
	add_siblings(s, "package_cpus_list", "core_siblings_list");
	add_siblings(s, "core_cpus_list", "thread_siblings_list");
	/* Readers expect an entry for each CPU of NRCPUS. Offline CPUs have no such files. */
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		char line[32];

		build_add_u32(&s->out, topology_line(cpu, "core_id", line, sizeof(line)) ?
				       -1 : atoi(line));
		build_add_u32(&s->out, topology_line(cpu, "physical_package_id", line,
						     sizeof(line)) ?
				       -1 : atoi(line));
	}
	/* Dies cannot be left out, because readers would take padding for their number. */
	add_siblings(s, "die_cpus_list", "die_cpus_list");
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		char line[32];

		build_add_u32(&s->out, topology_line(cpu, "die_id", line, sizeof(line)) ?
				       -1 : atoi(line));
	}
	return end(s, "CPU topology");
}

static void add_node(struct session *s, unsigned int node)
{
	char path[128], *text, *p;
	char cpulist[256] = "";
	__u64 total = 0, free_mem = 0;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/meminfo",
		 node);
	if (!slurp(path, &text, NULL)) {
		p = strstr(text, "MemTotal:");
		if (p)
			total = strtoull(p + 9, NULL, 10);
		p = strstr(text, "MemFree:");
		if (p)
			free_mem = strtoull(p + 8, NULL, 10);
		free(text);
	}
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/cpulist",
		 node);
	slurp_line(path, cpulist, sizeof(cpulist));
	build_add_u32(&s->out, node);
	build_add_u64(&s->out, total);
	build_add_u64(&s->out, free_mem);
	add_string(s, cpulist);
}

static int numa_topology(struct session *s)
{
	struct cpus nodes;
	char line[256];
	size_t i;

	if (slurp_line("/sys/devices/system/node/online", line, sizeof(line)) ||
	    cpus_parse(&nodes, line))
		return 0;
	begin(s, REC_FEAT_NUMA_TOPOLOGY);
	build_add_u32(&s->out, nodes.nr);
	for (i = 0; i < nodes.nr; i++)
		add_node(s, nodes.list[i]);
	cpus_free(&nodes);
	return end(s, "NUMA topology");
}

static int pmu_mappings(struct session *s)
{
	const char *dir_name = "/sys/bus/event_source/devices";
	struct dirent *de;
	size_t at;
	__u32 nr = 0;
	DIR *dir;

	dir = opendir(dir_name);
	if (!dir)
		return 0;
	begin(s, REC_FEAT_PMU_MAPPINGS);
	at = s->out.build.len;
	build_add_u32(&s->out, 0);
	while ((de = readdir(dir))) {
		char path[512];
		__u64 type;

		snprintf(path, sizeof(path), "%s/%s/type", dir_name,
			 de->d_name);
		if (de->d_name[0] == '.' || slurp_u64(path, &type))
			continue;
		build_add_u32(&s->out, type);
		add_string(s, de->d_name);
		nr++;
	}
	closedir(dir);
	memcpy(s->out.build.bytes + at, &nr, sizeof(nr));
	return end(s, "PMU numbers");
}

static __u64 clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

void synth_clock_times(struct rec_clock_data *to)
{
	__u64 before, after;
	int i;

	/* If the two readings of the clock are far apart, this thread was preempted: try again. */
	for (i = 0; i < CLOCK_TRIES; i++) {
		before = clock_ns(to->clockid);
		to->wall = clock_ns(CLOCK_REALTIME);
		after = clock_ns(to->clockid);
		to->time = before + (after - before) / 2;
		if (after - before < CLOCK_NEAR_NS)
			break;
	}
}

/* With -z: perf needs to know how much memory the content of a COMPRESSED record can take. */
static int compressed(struct session *s)
{
	if (!s->opt->pack)
		return 0;
	begin(s, REC_FEAT_COMPRESSED);
	build_add_u32(&s->out, 1);		/* version */
	build_add_u32(&s->out, 1);		/* PERF_COMP_ZSTD */
	build_add_u32(&s->out, s->opt->pack);
	build_add_u32(&s->out, 0);		/* the ratio is not known yet */
	build_add_u32(&s->out, PACK_ROOM);
	return end(s, "compression");
}

/* With -k, tell the clock's resolution, and how its time relates to the time of day. */
static int clock_features(struct session *s)
{
	struct rec_clock_data data = {
		.header = { REC_FEATURE, 0, sizeof(data) },
		.feature = REC_FEAT_CLOCK_DATA,
		.version = 1,
		.clockid = s->opt->clock,
	};
	struct timespec res = { .tv_nsec = 1 };
	int err;

	if (!s->opt->use_clock)
		return 0;
	clock_getres(s->opt->clock, &res);
	begin(s, REC_FEAT_CLOCKID);
	build_add_u64(&s->out, res.tv_sec * NSEC_PER_SEC + res.tv_nsec);
	err = end(s, "clock");
	if (err)
		return err;
	synth_clock_times(&data);
	return stream_record(&s->out, &data.header);
}

/* Describe a group by the index of its first ATTR. An event can have several, see synth_attrs(). */
static void add_group(struct session *s, size_t leader)
{
	__u32 idx = 0, members = 0;
	size_t i;

	for (i = 0; i < leader; i++)
		idx += synth_nr_attrs(&s->sev[i]);
	for (i = leader; i < s->nr_sev; i++)
		members += s->sev[i].group == s->sev[leader].group;
	add_string(s, "{anon_group}");	/* means "no name" to readers */
	build_add_u32(&s->out, idx);
	build_add_u32(&s->out, members);
}

/* Describe groups of events, which readers show together. */
static int group_desc(struct session *s)
{
	__u32 nr = 0;
	size_t at, i;

	begin(s, REC_FEAT_GROUP_DESC);
	at = s->out.build.len;
	build_add_u32(&s->out, 0);
	for (i = 0; i + 1 < s->nr_sev; i++) {
		if (!s->sev[i].leader || s->sev[i + 1].group != s->sev[i].group)
			continue;
		add_group(s, i);
		nr++;
	}
	memcpy(s->out.build.bytes + at, &nr, sizeof(nr));
	return nr ? end(s, "groups") : 0;
}

/*
 * For perf 6.1 and 6.12, feature 32 ends the features. Later versions of perf use
 * this number for CPU_DOMAIN_INFO, and complain if it does not describe all online
 * CPUs. So the record describes all of them, without scheduling domains. It
 * numbers the CPUs from 0 instead of using their own numbers, because perf uses the
 * numbers as indices when it prints them.
 */
static int end_mark(struct session *s)
{
	const __u32 online = sysconf(_SC_NPROCESSORS_ONLN);
	__u32 i;

	begin(s, REC_FEAT_END);
	build_add_u32(&s->out, 0);		/* version of schedstat */
	build_add_u32(&s->out, 0);		/* most domains of a CPU */
	for (i = 0; i < online; i++) {
		build_add_u32(&s->out, i);
		build_add_u32(&s->out, 0);
	}
	return build_end(&s->out);
}

int synth_features(struct session *s)
{
	static int (* const all[])(struct session *) = {
		names, nrcpus, cpudesc, cpuid, total_mem, command_line,
		cpu_topology, numa_topology, pmu_mappings, group_desc, compressed,
		clock_features, bpf_write, end_mark, synth_identity,
	};
	size_t i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_LEN(all); i++)
		err = all[i](s);
	return err;
}
