/* SPDX-License-Identifier: GPL-2.0-only */
/* Call the function twin() of probe_twin.c. */
int other_twin(int i);
