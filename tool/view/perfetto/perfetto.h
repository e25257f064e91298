/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An output: a trace of Perfetto (https://perfetto.dev), which ui.perfetto.dev and
 * trace_processor open.
 *
 *	lanes		tracks of threads, CPUs, and the recording
 *	calls		slices, whose category is the object of the function
 *	samples		PerfSamples with call stacks, in lanes of threads; in other lanes, instants
 *	marks		instants with arguments; when a thread ran: slices on a track of their own
 *	points		counter tracks
 *
 * A call that began before the recording has the argument "began earlier", and a call whose end
 * is missing has "cut". Names are interned.
 *
 * The trace is written while it is told. Memory follows the number of lanes and names.
 */
#ifndef VIEW_PERFETTO_PERFETTO_H
#define VIEW_PERFETTO_PERFETTO_H

#include "view/timeline/timeline.h"

/*
 * perfetto_new() - make the output
 * @path: the file, which is replaced at the end; "-": stdout
 * @title: of the recording
 *
 * Return: the output, or NULL with errno.
 */
struct timeline *perfetto_new(const char *path, const char *title);

#endif /* VIEW_PERFETTO_PERFETTO_H */
