/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data in a page.
 *
 * A blob is the base64 of deflated bytes (zlib's format), padded to whole groups of four
 * characters.
 * The elements <script type="text/plain"> "data-0", "data-1" ... contain the blobs of all chunks,
 * one after the other, each in one element only. The element "index" is the blob of the index.
 *
 * Numbers are varints: seven bits in a byte, the lowest ones first, and the highest bit says that
 * another byte follows. Signed numbers are zigzag varints. A string ends with a NUL. Times in
 * chunks are absolute or differences; times in the index are relative to the base.
 *
 * A chunk is a run of numbers of columns: first the length of each column in bytes, then the
 * columns. Columns of each kind of chunk:
 *
 * CALLS (calls of functions, or the stacks of samples, in order of time):
 *	opened	for each call that is open at the begin of the chunk, the outermost one first: name,
 *		begin (the difference to the begin of the chunk), flags
 *	kinds	for each event a byte: enum page_event | flags << 2
 *	times	for each event the difference to the event before, or to the chunk's begin
 *	names	for each PAGE_ENTER: the name
 *	weights	for each PAGE_SAMPLE: the weight of the sample, whose stack is what is open
 *
 * SUMS (of PAGE_GROUP_CHUNKS chunks of CALLS, or fewer):
 *	pruned	1: parts of the tree that are small are only in nodes "smaller"
 *	ups	for each node of the tree of calls, in preorder: the number of levels to go up
 *		from the node before, to its parent
 *	names	for each node: 0 for "smaller", or 1 + name
 *	times	for each node: ns between the begin and the end of the calls
 *	counts	for each node: the number of calls that begin here
 *	weights	for each node: the weight of samples whose innermost function this is
 *	calls	for each name that occurs: difference to the name before, number of calls
 *
 * ITEMS (levels of detail: items of at least the level's resolution, and cells that stand for
 * several shorter ones):
 *	begins	signed: the difference to the item before, or to the chunk's begin
 *	lengths	end - begin
 *	rows	for calls (depth << 2 | flags), for marks the kind, for points 0
 *	names	of calls: of the longest one in a cell
 *	counts	the number of calls, marks or points; 1: no cell
 *	values	of marks: the sum of the values
 *	lows	of points: the lowest value, a double, little endian
 *	highs	of points: the highest value
 *
 * MARKS:
 *	kinds	a byte: enum tl_mark_kind
 *	begins	signed, as above
 *	lengths	end - begin
 *	values
 *	texts	0: none, or 1 + number in
 *	strings	of this chunk
 *
 * POINTS (of one lane and one "what"):
 *	times	signed: the difference to the point before, or to the chunk's begin
 *	values	doubles, little endian
 *
 * NAMES (PAGE_NAMES names):
 *	functions	strings
 *	objects		numbers in the list of objects
 *	addresses	8 bytes, little endian
 *
 * COUNTS (one chunk): for each name the number of calls.
 *
 * The index is
 *	PAGE_VERSION; strings: title, base (decimal); the end of the last thing
 *	number of objects, their strings
 *	number of names, chunks of NAMES, chunks of COUNTS
 *	number of lanes, and for each lane
 *		kind, pid, tid, cpu (each plus one, modulo 2^32), its name (string)
 *		twice, for calls and for the stacks of samples:
 *			number of calls, number of samples, weight of samples, highest depth
 *			chunks of CALLS, chunks of SUMS, levels
 *		for each kind of mark: number, sum of values, sum of lengths
 *		chunks of MARKS, levels
 *		number of different "what"s, and for each of them
 *			its string, number of points, lowest and highest value (doubles)
 *			chunks of POINTS, levels
 * Levels are: the number of levels, and for each level the exponent of its resolution (ns), and
 * its chunks of ITEMS. Chunks are: their number, and for each one
 *	begin (signed, the difference to the begin before), end - begin
 *	number of events, items, marks ...
 *	low: for CALLS, the lowest number of calls that are open in the chunk. A call of depth d
 *		that is open at the end of a chunk ends in the next chunk whose low is <= d
 *	length of the deflated blob in bytes
 * The blobs are in the file in the order in which the index has their chunks.
 */
#ifndef VIEW_PAGE_FORMAT_H
#define VIEW_PAGE_FORMAT_H

#define PAGE_VERSION		1

/* Bytes of chunks that are not complete, of all lanes. If there are more, all are cut. */
#define PAGE_PENDING		(256U << 20)

/* Events of a chunk of CALLS, besides two for each call that is open at its begin */
#define PAGE_CALLS		8192
/* A group of SUMS ends when it has so many chunks, or a tree of so many nodes. */
#define PAGE_GROUP_CHUNKS	32
#define PAGE_GROUP_NODES	16384
/* A part of the tree is small if it has less than 1 / PAGE_SMALL of all time or weight ... */
#define PAGE_SMALL		4096
/* ... and if the tree has more nodes. */
#define PAGE_PRUNE_NODES	512
/* Items, marks, points of a chunk, and names */
#define PAGE_ITEMS		4096
#define PAGE_NAMES		16384

/* The resolution of the first level is 2^6 ns, and that of each next one four times as much. */
#define PAGE_LEVEL_FIRST	6
#define PAGE_LEVEL_STEP		2
#define PAGE_LEVELS		29
/* Levels have no calls that are deeper. */
#define PAGE_LEVEL_ROWS		16384
/* No levels for so few calls, and no level that has more than a third of the one before */
#define PAGE_LEVEL_FEW		20000
#define PAGE_LEVEL_RATIO	3

enum page_event {
	PAGE_LEAVE,
	PAGE_ENTER,
	PAGE_SAMPLE,
};

#endif
