// SPDX-License-Identifier: GPL-2.0-only
/*
 * auxgen's files in /sys/bus/event_source/devices/auxgen (auxgen1 ...): format/,
 * "stats" with one line "cpu stream chunks lost" for each CPU and stream that was
 * used, "ledger" (see auxgen.h), and caps/raw_ring if auxgen has its own name.
 */
#include <linux/device.h>
#include <linux/sysfs.h>

#include "auxgen_pmu.h"

PMU_FORMAT_ATTR(chunks, "config:0-15");
PMU_FORMAT_ATTR(ctx, "config:16");
PMU_FORMAT_ATTR(timer, "config:17");
PMU_FORMAT_ATTR(nmi, "config:18");
PMU_FORMAT_ATTR(marker, "config:19");
PMU_FORMAT_ATTR(fill, "config:20");
PMU_FORMAT_ATTR(pt, "config:21");
PMU_FORMAT_ATTR(over, "config:22");
PMU_FORMAT_ATTR(stream, "config:24-27");
PMU_FORMAT_ATTR(truncate, "config:32-47");
PMU_FORMAT_ATTR(skip, "config:48-63");
PMU_FORMAT_ATTR(period, "config1:0-31");

static struct attribute *auxgen_format_attrs[] = {
	&format_attr_chunks.attr,
	&format_attr_ctx.attr,
	&format_attr_timer.attr,
	&format_attr_nmi.attr,
	&format_attr_marker.attr,
	&format_attr_fill.attr,
	&format_attr_pt.attr,
	&format_attr_over.attr,
	&format_attr_stream.attr,
	&format_attr_truncate.attr,
	&format_attr_skip.attr,
	&format_attr_period.attr,
	NULL,
};

static const struct attribute_group auxgen_format_group = {
	.name = "format",
	.attrs = auxgen_format_attrs,
};

static ssize_t stats_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	struct auxgen_pmu *pmu = auxgen_pmu_of(dev_get_drvdata(dev));
	int cpu, i, at = 0;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < AUXGEN_STREAMS; i++) {
			struct auxgen_count *count =
				&per_cpu_ptr(pmu->cpus, cpu)->count[i];

			if (count->seq)
				at += sysfs_emit_at(buf, at,
						    "%d %d %llu %llu\n", cpu, i,
						    READ_ONCE(count->seq),
						    READ_ONCE(count->lost));
		}
	}
	return at;
}
static DEVICE_ATTR_RO(stats);

static ssize_t ledger_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	int cpu, i, at = 0;

	for (cpu = 0; cpu < AUXGEN_LEDGER_CPUS; cpu++) {
		for (i = 0; i < AUXGEN_STREAMS; i++) {
			u64 written = auxgen_last_ledger.written[cpu][i];

			if (written)
				at += sysfs_emit_at(buf, at, "%d %d %llu\n", cpu, i, written);
		}
	}
	return at;
}
static DEVICE_ATTR_RO(ledger);

static struct attribute *auxgen_stats_attrs[] = {
	&dev_attr_stats.attr,
	&dev_attr_ledger.attr,
	NULL,
};

static const struct attribute_group auxgen_stats_group = {
	.attrs = auxgen_stats_attrs,
};

/* auxgen keeps the contract of module/event/aux_pmus.c. */
static ssize_t raw_ring_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "1\n");
}
static DEVICE_ATTR_RO(raw_ring);

static struct attribute *auxgen_caps_attrs[] = {
	&dev_attr_raw_ring.attr,
	NULL,
};

static const struct attribute_group auxgen_caps_group = {
	.name = "caps",
	.attrs = auxgen_caps_attrs,
};

const struct attribute_group *auxgen_attr_groups[] = {
	&auxgen_format_group,
	&auxgen_stats_group,
	&auxgen_caps_group,
	NULL,
};

const struct attribute_group *auxgen_renamed_groups[] = {
	&auxgen_format_group,
	&auxgen_stats_group,
	NULL,
};
