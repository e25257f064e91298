// SPDX-License-Identifier: GPL-2.0-only
/*
 * crash_judge NAME KIND CAUSE [MESSAGE]: judge what crash_start KIND has left in the region of
 * kept rings. CAUSE and MESSAGE are what the kernel must have noted about the stop. The results
 * are TAP, each with NAME.
 *
 * crash_judge wipe NAME: wipe the region, and judge that nothing is left of it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../ring/lib/ring_lib.h"
#include "../tap.h"
#include "judge.h"

bool judge(const struct judged *judged, bool ok, const char *format, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	return tap_report(ok, "%s: %s", judged->name, text);
}

static void judge_user(const struct judged *judged)
{
	const struct note *note = judged->kept.note;
	const uint64_t *words = (const uint64_t *)(note + 1);
	uint32_t i, wrong = 0;

	for (i = 0; i < (NOTE_USER_SIZE - sizeof(*note)) / 8; i++)
		wrong += words[i] != note_word(note->seed, i);
	judge(judged, note->magic == NOTE_MAGIC && !wrong &&
	      judged->kept.header->user_size == NOTE_USER_SIZE,
	      "the user part is intact (%u words are not)", wrong);
}

void judge_stop(const struct judged *judged, uint32_t cause, const char *message)
{
	const struct perfaux_stop *stop = judged->kept.stop;
	const bool told = kept_has_stop(&judged->kept);
	const uint64_t until = judged->kept.note->until;

	if (!cause) {
		judge(judged, !told, "there is no stop");
		return;
	}
	judge(judged, told && stop->cause == cause && stop->cpu < KEPT_CPUS,
	      "the cause of the stop is %u (%u)", cause, stop->cause);
	judge(judged, !strncmp((const char *)stop->message, message, strlen(message)) &&
	      !stop->message[sizeof(stop->message) - 1],
	      "the message is \"%s\" (\"%.100s\")", message, stop->message);
	judge(judged, stop->time >= until && stop->time < until + 60000000000ULL,
	      "the time of the stop fits");
	printf("# %s: %" PRId64 " us from the last record to the stop\n", judged->name,
	       (int64_t)(stop->time - judged->last) / 1000);
}

static int kept_call(int dev, struct perfaux_kept *arg, uint32_t flags)
{
	*arg = (struct perfaux_kept){ .size = sizeof(*arg), .flags = flags };
	return ioctl(dev, PERFAUX_IOC_KEPT, arg);
}

/* Returns whether the region is open. */
static bool open_region(struct judged *judged, int dev)
{
	struct perfaux_kept arg;
	const char *wrong;

	kept_call(dev, &arg, 0);
	judge(judged, arg.state == PERFAUX_KEPT_FULL, "the region is full (%u)", arg.state);
	wrong = kept_open(&judged->kept, dev);
	judge(judged, !wrong, "the header: %s", wrong ?: "right");
	return !wrong;
}

static int wipe(const struct judged *judged, int dev)
{
	struct perfaux_kept arg;
	int ret = kept_call(dev, &arg, PERFAUX_KEPT_WIPE);

	judge(judged, !ret && arg.state == PERFAUX_KEPT_EMPTY, "the region can be wiped");
	/* crashgen looks at the memory, because an empty region cannot be opened. */
	judge(judged, module_insert("crashgen", "how=look") == -ENODATA, "it is clear");
	ret = kept_call(dev, &arg, PERFAUX_KEPT_OPEN);
	judge(judged, ret < 0 && errno == ENODATA, "there is nothing to open");
	return tap_failed;
}

int main(int argc, char **argv)
{
	int dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	struct judged judged = {};

	if (argc == 3 && !strcmp(argv[1], "wipe")) {
		judged.name = argv[2];
		return wipe(&judged, dev);
	}
	if (argc < 4 || dev < 0) {
		fprintf(stderr, "usage: crash_judge NAME KIND CAUSE [MESSAGE]\n");
		return 2;
	}
	judged.name = argv[1];
	judged.overwrite = strcmp(argv[2], "full");
	judged.frames = !strcmp(argv[2], "all");
	if (open_region(&judged, dev)) {
		judge_user(&judged);
		judge_chunks(&judged);
		judge_gaps(&judged);
		if (judged.frames)
			judge_frames(&judged);
		judge_stop(&judged, atoi(argv[3]), argc > 4 ? argv[4] : "");
	}
	return tap_failed;
}
