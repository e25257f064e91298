/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODEL_CASES_H
#define MODEL_CASES_H

#include "world.h"

extern const struct model_case model_cases[];
extern const unsigned int model_nr_cases;

#endif /* MODEL_CASES_H */
