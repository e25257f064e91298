// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which PMUs can write to a raw ring. The module and auxrec are both built with this file.
 *
 * A ring is not the AUX area that a driver was written for: each call of
 * perf_aux_output_begin() may return another buffer. A driver fits if it
 *
 *   - takes all that it knows about the buffer from what begin returned last, and
 *   - writes nothing to the buffer after perf_aux_output_end(), and
 *   - stops without the core's help when there is no room, and starts again.
 *
 * A ring accepts a driver of the kernel only if the driver's source was read with this in
 * mind, from 6.1 to 7.2, and if the driver was tried, on hardware or on a model of it.
 */
#include "aux_pmus.h"

static const struct pa_aux_pmu pa_aux_pmus[] = {
	{
		/* arch/x86/events/intel/pt.c, and softpt */
		.name = "intel_pt",
		.intel_pt = true,
	}, {
		/* arch/x86/events/intel/bts.c: bts_buffer_reset() */
		.name = "intel_bts",
		.refused = "the driver takes its position from the last use of perf's AUX area",
	}, {
		/* drivers/perf/arm_spe_pmu.c: arm_spe_perf_aux_output_begin() */
		.name = "arm_spe_",
		.refused = "the driver relies on perf to disable the event when there is no room",
	}, {
		/*
		 * drivers/hwtracing/coresight: trbe_handle_overflow() only looks whether
		 * begin returned NULL, and etm_event_stop() leaves the source running if
		 * perf_get_aux() does not return what begin returned first.
		 */
		.name = "cs_etm",
		.refused = "the driver goes on writing to the buffer that it began with",
	}, {
		/* drivers/hwtracing/ptt/hisi_ptt.c: hisi_ptt_update_aux() */
		.name = "hisi_ptt",
		.refused = "the driver relies on perf to disable the event when there is no room",
	}, {
		/* arch/s390/kernel/perf_cpum_sf.c: aux_output_begin() */
		.name = "cpum_sf",
		.refused = "the driver goes on writing to the buffer that it began with",
	},
};

/* Return whether @suffix is empty or like "0", "_0", "0_2", not the rest of a longer word. */
static bool pa_is_instance(const char *suffix)
{
	for (; *suffix; suffix++)
		if (*suffix != '_' && (*suffix < '0' || *suffix > '9'))
			return false;
	return true;
}

/* A refused name also matches the PMU's instances; an allowed name must match exactly. */
static bool pa_is_named(const struct pa_aux_pmu *pmu, const char *name)
{
	size_t len = strlen(pmu->name);

	if (strncmp(name, pmu->name, len))
		return false;
	return pmu->refused ? pa_is_instance(name + len) : !name[len];
}

const struct pa_aux_pmu *pa_aux_pmu_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pa_aux_pmus); i++)
		if (pa_is_named(&pa_aux_pmus[i], name))
			return &pa_aux_pmus[i];
	return NULL;
}
