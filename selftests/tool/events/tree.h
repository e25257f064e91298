/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files and directories for the sysfs and tracefs trees that cases.txt describes.
 */
#ifndef EVENTS_TREE_H
#define EVENTS_TREE_H

/* Write @text and a newline to @dir/@path, and make the directories on the way. */
void tree_file(const char *dir, const char *path, const char *text);
void tree_dir(const char *dir, const char *path);
void tree_remove(const char *dir);

#endif /* EVENTS_TREE_H */
