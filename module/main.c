// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfaux: raw AUX rings for perf events. See uapi/perfaux.h for what it does
 * and Documentation/design.rst for how.
 */
#include <linux/build_bug.h>
#include <linux/init.h>
#include <linux/module.h>

#include "device/device.h"
#include "device/ring.h"
#include "event/redirect.h"
#include "event/rights.h"
#include "ids/ids.h"
#include "produce/bpf.h"
#include "produce/raw.h"

/* The generic atomic64_t of 32 bit kernels takes spinlocks, which NMIs must not. */
#ifndef CONFIG_64BIT
#error perfaux needs a 64 bit kernel
#endif

static int __init perfaux_init(void)
{
	int ret;

	BUILD_BUG_ON(sizeof(struct perfaux_info) != PERFAUX_INFO_SIZE_V1);
	BUILD_BUG_ON(sizeof(struct perfaux_create) != PERFAUX_CREATE_SIZE_V1);
	BUILD_BUG_ON(sizeof(struct perfaux_attach) != PERFAUX_ATTACH_SIZE_V0);
	BUILD_BUG_ON(sizeof(struct perfaux_detach) != PERFAUX_DETACH_SIZE_V0);
	BUILD_BUG_ON(sizeof(struct perfaux_flush) != PERFAUX_FLUSH_SIZE_V0);
	BUILD_BUG_ON(sizeof(struct perfaux_handle) != PERFAUX_HANDLE_SIZE_V0);
	BUILD_BUG_ON(sizeof(struct perfaux_hold) != PERFAUX_HOLD_SIZE_V0);
	BUILD_BUG_ON(sizeof(struct perfaux_thaw) != PERFAUX_THAW_SIZE_V0);
	BUILD_BUG_ON(sizeof(struct perfaux_kept) != PERFAUX_KEPT_SIZE_V0);
	BUILD_BUG_ON(sizeof(struct perfaux_ids) != PERFAUX_IDS_SIZE_V0);
	BUILD_BUG_ON(sizeof(struct perfaux_ids_stats) !=
		     PERFAUX_IDS_STATS_SIZE_V0);
	BUILD_BUG_ON(sizeof(struct perfaux_notice) != 80);
	BUILD_BUG_ON(sizeof(struct perfaux_segment) != 64);
	BUILD_BUG_ON(sizeof(struct perfaux_span) != 64);
	BUILD_BUG_ON(sizeof(struct perfaux_gap) != 64);
	BUILD_BUG_ON(sizeof(struct perfaux_frame) != 48);
	/* perf pads raw data so that the data and its size, a u32, fill a multiple of 8 bytes. */
	BUILD_BUG_ON(sizeof(struct perfaux_reference) != 44);

	ret = pa_rights_init();
	if (!ret)
		ret = pa_ring_init();
	if (ret)
		return ret;
	ret = pa_redirect_init();
	if (ret)
		goto err_ring;
	ret = pa_ids_init();
	if (ret)
		goto err_redirect;
	pa_bpf_init();
	ret = pa_device_init();
	if (ret)
		goto err_bpf;
	return 0;

err_bpf:
	pa_bpf_exit();
	pa_ids_exit();
err_redirect:
	pa_redirect_exit();
err_ring:
	pa_ring_exit();
	return ret;
}

static void __exit perfaux_exit(void)
{
	pa_device_exit();
	pa_ids_exit();
	/* Waits for the end of the work that dropped the last reference to the module. */
	pa_ring_exit();
	pa_bpf_exit();
	pa_raw_hook_exit();
	pa_redirect_exit();
}

module_init(perfaux_init);
module_exit(perfaux_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Raw AUX rings for perf events");
MODULE_VERSION(PERFAUX_VERSION);
