/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The version of auxrec. packaging/version describes its format.
 */
#ifndef AUXREC_VERSION_H
#define AUXREC_VERSION_H

/* For example "0.1+12.g600af47" */
extern const char auxrec_version[];
/* The commit of the sources, "unknown" if they were built without git */
extern const char auxrec_commit[];

#endif /* AUXREC_VERSION_H */
