// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check what perf_event_open() checks before it looks at the event. The check is for the
 * calls that make the module patch the kernel's code: a caller that may not open any event
 * has no use for them.
 *
 * Neither kernel.perf_event_paranoid nor the LSM's hook is exported. The hook is called
 * through a static call, which is a direct call: where IBT is on, an indirect call would
 * trap, because nothing in the kernel takes the address of the hook (apply_seal_endbr()).
 *
 * If one of the two cannot be found, only CAP_SYS_ADMIN passes.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/static_call.h>

#include "compat/rights.h"
#include "event/function.h"
#include "event/rights.h"

static const int *pa_paranoid;

static bool pa_paranoid_any(void)
{
	if (!PA_ASKS_PARANOID_ANY)
		return false;
	return !pa_paranoid || READ_ONCE(*pa_paranoid) > PA_PARANOID_ANY;
}

#ifdef CONFIG_SECURITY
static int pa_security_unknown PA_SECURITY_OPEN_PARAMS
{
	return capable(CAP_SYS_ADMIN) ? 0 : -EACCES;
}

PA_SAME_TYPE(security_perf_event_open, pa_security_unknown);
DEFINE_STATIC_CALL(pa_security_open, pa_security_unknown);

static int pa_ask_security(void)
{
	return static_call(pa_security_open) PA_SECURITY_OPEN_ARGS;
}

static int pa_security_init(void)
{
	void *at = pa_function("security_perf_event_open");

	if (at == ERR_PTR(-ENOMEM))
		return -ENOMEM;
	if (IS_ERR(at))
		pr_warn("cannot find security_perf_event_open(): only CAP_SYS_ADMIN may use PERFAUX_IOC_IDS, and attach raw samples and triggers\n");
	else
		static_call_update(pa_security_open, (typeof(pa_security_unknown) *)at);
	return 0;
}
#else
static int pa_ask_security(void)
{
	return 0;
}

static int pa_security_init(void)
{
	return 0;
}
#endif

int pa_may_open(void)
{
	if (pa_paranoid_any() && !capable(CAP_SYS_ADMIN))
		return -EACCES;
	return pa_ask_security();
}

PA_SAME_TYPE(sysctl_perf_event_paranoid, int);

int pa_rights_init(void)
{
	pa_paranoid = pa_data("sysctl_perf_event_paranoid");
	return pa_security_init();
}
