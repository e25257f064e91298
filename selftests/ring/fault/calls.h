/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls in which something fails, and the preparations for each call. All functions
 * return 0 or -errno.
 */
#ifndef FAULT_CALLS_H
#define FAULT_CALLS_H

#include "place.h"

/* The device and the ring */
int call_open(struct fault_place *p);
int call_info(struct fault_place *p);
int call_create(struct fault_place *p);
int call_create_many(struct fault_place *p);
int call_close(struct fault_place *p);
int call_poll(struct fault_place *p);
int call_epoll(struct fault_place *p);
int call_handle(struct fault_place *p);

/*
 * Insert the module and create a ring; create a ring of 4096 segments; create a ring whose
 * segments have two pieces of memory each.
 */
int insert_and_create(struct fault_place *p);
int prepare_many(struct fault_place *p);
int prepare_pieces(struct fault_place *p);

/* The module is inserted again and has done nothing yet. */
int insert_anew(struct fault_place *p);

/*
 * Remove the module; insert it; return what a failed insertion has left; restore the state
 * before the test.
 */
int prepare_removed(struct fault_place *p);
int call_insert(struct fault_place *p);
int left_inserted(struct fault_place *p);
void end_inserted(struct fault_place *p);

/* /proc's information about the descriptors of a ring and of a session */
int prepare_ring_info(struct fault_place *p);
int prepare_ids_info(struct fault_place *p);
int call_info_read(struct fault_place *p);
void close_info(struct fault_place *p);

int call_map_marks(struct fault_place *p);
int call_map_ring(struct fault_place *p);
int prepare_mapped(struct fault_place *p);
int call_unmap(struct fault_place *p);

/* Events. prepare_all(): a ring with all events but the trigger */
int call_attach(struct fault_place *p);
int call_attach_raw(struct fault_place *p);
int call_attach_trigger(struct fault_place *p);
int call_detach(struct fault_place *p);
int call_detach_all(struct fault_place *p);
int prepare_all(struct fault_place *p);

/* Segments. prepare_ready(): some are READY; *_rounds(): HOLD has more than one round */
int prepare_ready(struct fault_place *p);
int prepare_rounds(struct fault_place *p);
int prepare_rounds_frozen(struct fault_place *p);
int call_flush(struct fault_place *p);
int call_hold(struct fault_place *p);
int call_hold_spans(struct fault_place *p);
int call_hold_thaw(struct fault_place *p);
int call_unhold(struct fault_place *p);

/* How many segments are HELD */
int left_held(struct fault_place *p);

/* A trigger has frozen the ring. */
int prepare_frozen(struct fault_place *p);
int call_thaw(struct fault_place *p);

/* Build-ids. prepare_notice(): there is a notice to read */
int call_ids(struct fault_place *p);
int prepare_ids(struct fault_place *p);
int call_ids_stats(struct fault_place *p);
int call_ids_read(struct fault_place *p);
int call_close_ids(struct fault_place *p);
int prepare_notice(struct fault_place *p);
int call_notice(struct fault_place *p);
void close_notice(struct fault_place *p);

/* A file whose server must be asked, so that its id comes later */
int prepare_late(struct fault_place *p);
int call_map_late(struct fault_place *p);
void close_late(struct fault_place *p);

#endif /* FAULT_CALLS_H */
