/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data in a page.
 *
 * A blob is the base64 of deflated bytes (zlib's format), padded to whole groups of four
 * characters. The elements <script type="text/plain"> "data-0", "data-1" ... contain the blobs of
 * all chunks, one after the other. No blob continues in the next element. The element "index"
 * contains the blob of the index.
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
 *	weights	for each PAGE_SAMPLE: the weight of the sample. Its stack is the open calls
 *
 * SUMS (of PAGE_GROUP_CHUNKS chunks of CALLS, or fewer):
 *	pruned	1: small parts of the tree are left out, and nodes "smaller" have their sums
 *	ups	for each node of the tree of calls, in preorder: the number of levels from the
 *		node before up to the parent of this node
 *	names	for each node: 0 for "smaller", or 1 + name
 *	times	for each node: ns between the begin and the end of the calls, within the chunks
 *	counts	for each node: the number of calls that begin here
 *	weights	for each node: the weight of samples whose innermost function this is
 *	calls	for each name that occurs: difference to the name before, number of calls
 *
 * ITEMS (levels of detail: items of at least the level's resolution, and cells that stand for
 * several shorter ones):
 *	begins	signed: the difference to the item before, or to the chunk's begin
 *	lengths	end - begin
 *	rows	of calls: depth << 2 | flags; of marks: the kind; of points: empty
 *	names	of calls: the name, in a cell that of the longest call
 *	counts	the number of calls, marks or points; 1: this is no cell
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
 * COUNTS (one chunk): for each name the number of calls, and of boxes of samples.
 *
 * The index is
 *	PAGE_VERSION; strings: title, base (decimal); the last time of all lanes
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

/* Bytes of all incomplete chunks, of all lanes. If there are more, all these chunks are cut. */
#define PAGE_PENDING		(256U << 20)

/* Events of a chunk of CALLS, besides two for each call that is open at its begin */
#define PAGE_CALLS		8192
/* A group of SUMS ends when it has this many chunks, or when its tree has this many nodes. */
#define PAGE_GROUP_CHUNKS	32
#define PAGE_GROUP_NODES	16384
/* A part of a tree is small if it has at most 1 / PAGE_SMALL of all time, and of all weight. */
#define PAGE_SMALL		4096
/* Small parts of a tree are left out if the tree has more nodes, with its root. */
#define PAGE_PRUNE_NODES	512
/* Items, marks or points of a chunk, and names of a chunk */
#define PAGE_ITEMS		4096
#define PAGE_NAMES		16384

/* The resolution of the first level is 2^6 ns, and that of each further one four times as long. */
#define PAGE_LEVEL_FIRST	6
#define PAGE_LEVEL_STEP		2
#define PAGE_LEVELS		29
/* Levels only have calls whose depth is less. */
#define PAGE_LEVEL_ROWS		16384
/*
 * The page has a level only if the events, or the next finer level of the page, have more than
 * PAGE_LEVEL_FEW items, and PAGE_LEVEL_RATIO times as many items as the level.
 */
#define PAGE_LEVEL_FEW		20000
#define PAGE_LEVEL_RATIO	3

enum page_event {
	PAGE_LEAVE,
	PAGE_ENTER,
	PAGE_SAMPLE,
};

#endif
