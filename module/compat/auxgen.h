/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels that matter only to the test modules (selftests/modules). */
#ifndef PERFAUX_COMPAT_AUXGEN_H
#define PERFAUX_COMPAT_AUXGEN_H

#include <linux/hrtimer.h>
#include <linux/perf_event.h>

/* 6.13 ("hrtimers: Introduce hrtimer_setup() to replace hrtimer_init()") */
#ifdef PA_HAVE_HRTIMER_SETUP
static inline void
auxgen_timer_setup(struct hrtimer *timer,
		   enum hrtimer_restart (*fn)(struct hrtimer *))
{
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
}
#else
static inline void
auxgen_timer_setup(struct hrtimer *timer,
		   enum hrtimer_restart (*fn)(struct hrtimer *))
{
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = fn;
}
#endif

/* 6.6 made the callbacks of struct apic static calls. */
#ifdef CONFIG_X86_LOCAL_APIC
#ifdef PA_HAVE_APIC_CALLS
#define auxgen_send_nmi(cpu)	\
	__apic_send_IPI_mask(cpumask_of(cpu), NMI_VECTOR)
#else
#define auxgen_send_nmi(cpu)	\
	apic->send_IPI_mask(cpumask_of(cpu), NMI_VECTOR)
#endif
#endif

/*
 * 6.3 ("perf/core: Add perf_sample_save_raw_data() helper"), 6.14 ("perf/core: Save raw sample
 * data conditionally based on sample type") and stable kernels: set the raw data of a sample.
 */
static inline void auxgen_save_raw(struct perf_sample_data *data,
				   struct perf_event *event,
				   struct perf_raw_record *raw)
{
#ifdef PA_HAVE_SAVE_RAW_DATA
	perf_sample_save_raw_data(data, event, raw);
#elif defined(PA_HAVE_SAVE_RAW_DATA_OLD)
	perf_sample_save_raw_data(data, raw);
#else
	data->raw = raw;
	data->sample_flags |= PERF_SAMPLE_RAW;
#endif
}

#endif /* PERFAUX_COMPAT_AUXGEN_H */
