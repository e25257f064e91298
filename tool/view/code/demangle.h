/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of C++ and Rust functions, for people.
 */
#ifndef VIEW_DEMANGLE_H
#define VIEW_DEMANGLE_H

/*
 * Return the name of a symbol as its language writes it, or the symbol itself. The string stays
 * valid, and is never freed. A suffix after '@' stays: "f()@plt".
 */
const char *demangle(const char *symbol);

#endif /* VIEW_DEMANGLE_H */
