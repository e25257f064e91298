# SPDX-License-Identifier: GPL-2.0-only
"""For each rule of `auxrec check`, streams that break only this rule; and valid streams.

CASES: list of (rule, what, function that returns the stream's bytes)
VALID: list of (name, function that returns the stream's records)
"""

import struct

import streamgen as g
from streamgen import Rec, T0, find

CASES = []


def case(rule, what, base=g.chunks_stream):
    """Add a case. The decorated function changes the list of records, or returns another list."""
    def add(change):
        def build():
            recs = base()
            result = change(recs)
            recs = recs if result is None else result
            return recs if isinstance(recs, bytes) else g.dump(recs)
        CASES.append((rule, what, build))
        return change
    return add


def swap(name, rec):
    def change(recs):
        recs[find(recs, name)] = rec
    return change


def before(name, *new):
    def change(recs):
        recs[find(recs, name):find(recs, name)] = new
    return change


def drop(name):
    def change(recs):
        del recs[find(recs, name)]
    return change


def both(first, second):
    def change(recs):
        first(recs)
        second(recs)
    return change


def body(name, at, fmt, *values):
    """Overwrite a part of a record's body."""
    def change(recs):
        rec = recs[find(recs, name)]
        data = bytearray(rec.body)
        struct.pack_into("<" + fmt, data, at, *values)
        rec.body = bytes(data)
    return change


def misc(name, value):
    def change(recs):
        recs[find(recs, name)].misc = value
    return change


def move(name, to):
    def change(recs):
        rec = recs.pop(find(recs, name))
        recs.insert(find(recs, to), rec)
    return change


def add(rule, what, change, base=g.chunks_stream):
    case(rule, what, base)(change)


PT, GAPS = g.pt_stream, g.gaps_stream
DATA = bytes(range(1, 101))

add("header", "magic", lambda r: b"PERFILE1" + g.dump(r)[8:])
add("header", "other byte order", lambda r: b"2ELIFREP" + g.dump(r)[8:])
add("header", "perf.data file",
    lambda r: g.MAGIC[:8] + struct.pack("<Q", 104) + g.dump(r)[16:])
add("frame", "size 0", before("round", Rec("bad", 68, size=0)))
add("frame", "size 7", before("round", Rec("bad", 68, size=7)))
add("size", "not a multiple of 8",
    before("round", Rec("bad", 68, bytes(4))))
add("size", "too short for its type", before("round", Rec("bad", 71)))
add("size", "over 65528",
    before("round", Rec("bad", 68, bytes(65535 - 8))))
add("size", "AUXTRACE of 56", swap("aux-2", Rec("aux-2", 71, struct.pack(
    "<QQQIIII", 32, 0, T0 + 600, 1, 101, g.NOBODY, 0) + bytes(8),
    blob=bytes(32))), PT)
add("size", "EXIT with 8 more", swap("exit-101", Rec(
    "e", 4, struct.pack("<IIIIQQ", 101, 100, 101, 100, T0 + 2100, 0) +
    g.sample_id(g.DUMMY, T0 + 2100))))
add("size", "namespaces of another number", body("namespaces", 8, "Q", 2))
add("type", "83", before("round", Rec("bad", 83)))
add("type", "22, which perf 6.1 does not know",
    before("round", Rec("bad", 22, g.sample_id(0))))
add("type", "0", before("round", Rec("bad", 0)))

add("order", "THREAD_MAP before EVENT_UPDATE",
    move("thread-map", f"update-2-{g.CLOCK}"))
add("order", "TIME_CONV after FINISHED_INIT", move("time-conv", "round"))
add("order", "module map before the kernel's",
    move("module-map", "kernel-map"))


@case("attr", "attr.size beyond its record")
def _(recs):
    recs.insert(1, Rec("bad", 64, g.attr(1, 9, g.BASE, size=256) + bytes(8)))


@case("attr", "attr.size 60")
def _(recs):
    recs.insert(1, Rec("bad", 64, g.attr(1, 9, g.BASE, size=60) + bytes(8)))


@case("attr-ids", "no ids")
def _(recs):
    recs.insert(1, Rec("bad", 64, g.attr(1, 9, g.BASE)))
    recs[find(recs, "update-2-11"):find(recs, "update-2-11")] = []
    return recs_without_name_rule(recs)


def recs_without_name_rule(recs):
    """Cut the stream before the rule about names, because an event without ids has no name."""
    return recs[:find(recs, "init")]


@case("attr-ids", "an id twice")
def _(recs):
    recs[find(recs, f"attr-{g.DUMMY}")] = g.add_attr(
        g.DUMMY, [g.DUMMY, g.DUMMY + 1, g.CLOCK])


@case("attr-ids", "id 0")
def _(recs):
    recs[find(recs, f"attr-{g.DUMMY}")] = g.add_attr(
        g.DUMMY, [g.DUMMY, g.DUMMY + 1, 0])


@case("attr-compat", "no sample_id_all in one event")
def _(recs):
    recs[find(recs, f"attr-{g.CHUNK}")] = g.add_attr(g.CHUNK, flags=0)


@case("attr-compat", "no IDENTIFIER in one event")
def _(recs):
    recs.insert(1, Rec("bad", 64, g.attr(1, 9, g.BASE & ~g.IDENTIFIER,
                                         flags=0) + struct.pack("<Q", 99)))
    return recs[:3]


@case("attr-compat", "a trailer of another size")
def _(recs):
    recs.insert(1, Rec("bad", 64, g.attr(1, 9, g.BASE & ~g.CPU) +
                       struct.pack("<Q", 99)))
    return recs[:3]


@case("attr-first", "no ATTR")
def _(recs):
    return [recs[find(recs, "comm-1")]]


add("id", "sample of an unknown id", body("clock-2", 0, "Q", 999))
add("id", "EVENT_UPDATE of an unknown id", before(
    "update-2-11", g.update(999, 2, g.text("nobody"))))
add("id", "COMM of an unknown id", body("comm-live", 8 + 8 + 24, "Q", 999))
add("event-update", "type 4", before("update-2-11", g.update(11, 4, bytes(8))))
add("event-update", "scale of 0 bytes",
    before("update-2-11", g.update(11, 1, b"")))
add("event-update", "empty name",
    before("update-2-11", g.update(11, 2, bytes(8))))
add("event-name", "none", drop(f"update-2-{g.DUMMY}"))
add("feature-id", "33", swap("feature-16", g.feature(33, bytes(8))))
add("feature-id", "0", swap("feature-16", g.feature(0, bytes(8))))
add("feature-end", "none", drop("features-end"))
add("feature-end", "size 20", swap("features-end", g.feature(32, bytes(4))))
add("feature-end", "a feature after it", move("feature-29", "tracing"))


def bpf(*progs):
    return swap("bpf-progs", g.bpf_progs(*progs))


add("feature-bpf", "jited_ksyms beyond the arrays",
    bpf(g.bpf_prog(7, b"p", ksyms=(40, 1))))
add("feature-bpf", "jited_ksyms of too many",
    bpf(g.bpf_prog(7, b"p", ksyms=(16, 4))))
add("feature-bpf", "an offset that overflows",
    bpf(g.bpf_prog(7, b"p", tags=(2**64 - 8, 1))))
add("feature-bpf", "lines that are counted and not there",
    bpf(g.bpf_prog(7, b"p", lines=(0, 1))))
add("feature-bpf", "a longer info", bpf(g.bpf_prog(7, b"p", info_len=240)))
add("feature-bpf", "a tenth array", bpf(g.bpf_prog(7, b"p", mask=0x319)))
add("feature-bpf", "no BTF", swap("bpf-btf", g.bpf_btf(0xeb9e)))
add("feature-data", "more programs than there are", body("bpf-progs", 8, "I", 3))
add("feature-data", "arrays beyond the record", body("bpf-progs", 16, "I", 1000))
add("feature-data", "BTF beyond the record", body("bpf-btf", 16, "I", 1000))
add("feature-data", "string of 10 bytes",
    swap("feature-3", g.feature(3, struct.pack("<I", 10) + bytes(10))))
add("feature-data", "string without its end",
    swap("feature-3", g.feature(3, struct.pack("<I", 64) + b"a" * 64)))
add("feature-data", "string beyond its record",
    swap("feature-3", g.feature(3, struct.pack("<I", 128) + bytes(64))))
add("feature-data", "cmdline of too many words",
    body("feature-11", 8, "I", 99))
add("clock", "not the clock of an event", swap(f"attr-{g.CLOCK}", g.add_attr(
    g.CLOCK, flags=g.SAMPLE_ID_ALL | 1 << 25)))
add("clock", "none", both(swap(f"attr-{g.CLOCK}", g.add_attr(
    g.CLOCK, flags=g.SAMPLE_ID_ALL | 1 << 25)), drop("feature-29")))
add("identity", "no =", swap("identity", g.identity(b"machine-id")))
add("identity", "no NUL", swap("identity", g.identity(b"label.a=1", end=b"")))
add("identity", "a label without a name", swap("identity", g.identity(b"label.=1")))
add("feature-data", "CLOCK_DATA of version 2", body("feature-29", 8, "I", 2))
add("feature-data", "more than its layout",
    swap("feature-10", g.feature(10, bytes(16))))
add("tracing-data", "8 bytes too many", swap("tracing", g.tracing(bytes(8))))
add("tracing-data", "8 bytes too few", swap("tracing", g.tracing(cut=8)))
add("tracing-data", "magic", lambda r: g.dump(r).replace(
    b"\x17\x08\x44tracing", b"\x17\x08\x45tracing"))
add("tracing-need", "none", drop("tracing"))
add("build-id", "size 21", body("build-id", 24, "B", 21))
add("build-id", "size without misc bit 15", misc("build-id", g.USER))
add("build-id", "bytes after the id", body("build-id", 24, "B", 16))
add("id-index", "nr", body("id-index", 0, "Q", 2**60))
add("id-index", "unknown id", body("id-index", 8, "Q", 999))
add("id-index", "an id twice", body("id-index", 8, "Q", g.CLOCK + 1))
add("thread-map", "nr", swap("thread-map", g.thread_map(3)))
add("thread-map", "comm without its end",
    swap("thread-map", g.thread_map(comm_=b"x" * 16)))
add("cpu-map", "type 3", swap("cpu-map", g.cpu_map(3)))
add("cpu-map", "nr", swap("cpu-map", g.cpu_map(nr=100)))
add("cpu-map", "empty", swap("cpu-map", g.cpu_map(nr=0)))
add("cpu-map", "long_size 5", swap("cpu-map", Rec(
    "cpu-map", 74, struct.pack("<HHHH", 1, 1, 5, 0))))
add("cpu-map", "range backwards", swap("cpu-map", Rec(
    "cpu-map", 74, struct.pack("<HHHH", 2, 0, 3, 1))))
add("time-conv", "size 48", swap("time-conv", Rec(
    "time-conv", 79, bytes(40))))
add("time-conv", "shift 64", body("time-conv", 0, "Q", 64))

add("aux-info", "type 7", body("aux-info", 0, "I", 7), PT)
add("aux-info", "type 0", body("aux-info", 0, "I", 0), PT)
add("aux-info", "twice", before("kernel-map", g.aux_info()), PT)
add("aux-info", "PMU without an ATTR", swap("aux-info", g.aux_info(pmu=99)), PT)
add("aux-info", "SCHED_SWITCH 4", swap("aux-info", g.aux_info(switches=4)), PT)
add("aux-info", "a filter that is shorter than it says",
    swap("aux-info", g.aux_info(filter_=b"x" * 8, filter_len=9)), PT)
add("aux-info", "a filter that is longer than it says",
    swap("aux-info", g.aux_info(filter_=b"x" * 8, filter_len=7)), PT)
add("aux-info", "a filter that does not end in the record",
    swap("aux-info", g.aux_info(filter_=b"x" * 8, filter_len=24)), PT)
add("aux-info", "too short for Intel PT", swap("aux-info", Rec(
    "i", 70, struct.pack("<II", 1, 0) + bytes(64))), PT)


@case("aux-info", "switches without a context_switch event", PT)
def _(recs):
    recs[find(recs, f"attr-{g.DUMMY}")] = g.add_attr(
        g.DUMMY, flags=g.SAMPLE_ID_ALL)


@case("aux-first", "no AUXTRACE_INFO", PT)
def _(recs):
    del recs[find(recs, "aux-info")]


add("aux-size", "12 bytes", swap("aux-4", g.auxtrace(
    "aux-4", T0 + 1400, bytes(12), 192)), PT)
add("aux-size", "0 bytes", swap("aux-4", g.auxtrace(
    "aux-4", T0 + 1400, b"", 192)), PT)
add("aux-offset", "overlap", body("aux-4", 8, "Q", 184), PT)
add("aux-offset", "hole without a loss", body("aux-4", 8, "Q", 200), PT)


@case("aux-offset", "backwards after a loss", GAPS)
def _(recs):
    recs[find(recs, "aux-3")] = g.auxtrace("aux-3", T0 + 1000, bytes(128), 8)
    recs[find(recs, "aux-4")] = g.auxtrace("aux-4", T0 + 1400, bytes(8), 136)


add("aux-queue", "another thread", body("aux-4", 28, "I", 105), PT)
add("aux-queue", "thread and CPU", lambda r: [
    body(n, 32, "I", 0)(r) for n in ("aux-1", "aux-3", "aux-4")] and None, PT)
add("aux-queue", "neither", lambda r: [
    body(n, 28, "I", g.NOBODY)(r) for n in ("aux-1", "aux-3", "aux-4")] and
    None, PT)
add("aux-queue", "CPUs in a per-thread trace", swap("aux-2", g.auxtrace(
    "aux-2", T0 + 600, bytes(32), 0, 1, g.NOBODY, 0)), PT)
add("aux-queue", "threads in a per-CPU trace", swap("aux-2", g.auxtrace(
    "aux-2", T0 + 600, bytes(32), 0, 1)), lambda: PT(1))
add("aux-queue", "two queues of a thread", swap("aux-2", g.auxtrace(
    "aux-2", T0 + 600, bytes(32), 0, 1, 100)), PT)
add("aux-queue", "idx 2^31", swap("aux-2", g.auxtrace(
    "aux-2", T0 + 600, bytes(32), 0, 1 << 31, 101)), PT)
add("aux-late", "AUXTRACE", body("aux-4", 16, "Q", T0 + 399), PT)
add("aux-late", "chunk", swap("chunk-3", g.chunk(
    "chunk-3", 4, T0 + 500, DATA, tid=101, cpu=1)))

COMPRESSION = g.feature(27, struct.pack("<IIIII", 1, 1, 1, 1, 4096))
# An empty zstd frame, for rules that do not depend on the data
FRAME = bytes.fromhex("28b52ffd2000010000")


@case("compressed", "without FEATURE 27")
def _(recs):
    recs.insert(find(recs, "round"), Rec("z", 81, FRAME))


@case("compressed", "not zstd")
def _(recs):
    recs.insert(find(recs, "features-end"), COMPRESSION)
    recs.insert(find(recs, "round"), Rec("z", 81, b"no zstd data at all"))


@case("compressed", "mmap_len 0")
def _(recs):
    recs.insert(find(recs, "features-end"), g.feature(
        27, struct.pack("<IIIII", 1, 1, 1, 1, 0)))


def raw_frame(data):
    """Make a zstd frame of one stored block, which needs no compressor."""
    return bytes.fromhex("28b52ffd") + b"\xa0" + \
        struct.pack("<I", len(data)) + \
        struct.pack("<I", len(data) << 3 | 1)[:3] + data


def compressed_stream():
    """Make a stream in which two records are compressed, the second one in two pieces."""
    recs = g.chunks_stream()
    recs.insert(find(recs, "features-end"), COMPRESSION)
    at = find(recs, "clock-1")
    data = recs[at].bytes() + recs[at + 1].bytes()
    recs[at:at + 2] = [Rec("z-1", 81, raw_frame(data[:70])),
                       Rec("z-2", 81, raw_frame(data[70:]))]
    return recs


@case("compressed", "AUXTRACE inside")
def _(recs):
    recs.insert(find(recs, "features-end"), COMPRESSION)
    data = g.auxtrace("aux", T0 + 700, b"", 0).bytes()
    recs.insert(find(recs, "round"), Rec("z", 81, raw_frame(data)))


@case("compressed", "more than mmap_len")
def _(recs):
    recs.insert(find(recs, "features-end"), COMPRESSION)
    data = g.clock("c", T0 + 700).bytes() * 100
    recs.insert(find(recs, "round"), Rec("z", 81, raw_frame(data)))


add("init", "none", drop("init"))
add("init", "twice", before("round", Rec("init", 82)))
add("init", "after a live record", move("comm-live", "init"))
add("fork-exec", "not set", misc("fork-100", 0))
add("mmap-id", "size 0", body("mmap-synth", 32, "B", 0))
add("mmap-id", "size 21", body("mmap-synth", 32, "B", 21))
add("mmap-id", "reserved", body("mmap-synth", 33, "B", 1))
add("mmap-id", "bytes after the id", body("mmap-synth", 32, "B", 16))
add("kernel-map", "misc USER", misc("kernel-map", g.USER))
add("kernel-map", "name", swap("kernel-map", g.kernel_map("[kernel.kallsyms]")))
add("kernel-map", "pgoff 0", swap("kernel-map", g.kernel_map(pgoff=0)))
add("string", "COMM without its end", body("comm-live", 8, "8s", b"x" * 8))
add("string", "MMAP2 without its end",
    body("mmap-synth", 64, "16s", b"x" * 16))
add("string", "name without its end",
    before("update-2-11", g.update(11, 0, b"x" * 8)))
add("string-pad", "not zero", body("mmap-synth", 64 + 15, "B", 1))
add("string-pad", "8 bytes too many",
    swap("comm-1", g.comm("comm-1", 1, "init", padding=bytes(8))))
add("sample", "8 bytes too many", swap("clock-2", g.sample(
    "clock-2", g.CLOCK, T0 + 900, bytes(16))))
add("sample", "8 bytes too few", swap("clock-2", g.sample(
    "clock-2", g.CLOCK, T0 + 900, b"")))
add("sample", "RAW beyond its record", swap("tp-1", g.tracepoint(
    "tp-1", T0 + 450, struct.pack("<I", 1 << 31) + bytes(12))))


@case("sample", "no room for the trailer")
def _(recs):
    recs[find(recs, "lost-samples")] = Rec(
        "l", 13, struct.pack("<QQ", 5, g.CLOCK))




@case("raw-align", "(4 + size) % 8 == 4, and no zeros behind it")
def _(recs):
    recs[find(recs, "tp-1")] = g.tracepoint(
        "tp-1", T0 + 450, struct.pack("<I", 8) + bytes(11) + b"x")


def payload_case(rule, what, name, *args, **over):
    add(rule, what, swap(name, g.payload(name, *args, **over)), g.payload_stream)


def snapshot_case(what, **over):
    add("snapshot", what, swap("snapshot-2", g.snapshot("snapshot-2", T0 + 451, **over)),
        g.snapshot_stream)


snapshot_case("magic", magic=1)
snapshot_case("version", version=2)
snapshot_case("header_size", header=104)
snapshot_case("another recording", recording=1)
snapshot_case("number 0", number=0)
snapshot_case("another time", trigger=T0 + 450)
snapshot_case("a name longer than the record", name_size=1000)
snapshot_case("data longer than the record", data_size=1 << 31)
snapshot_case("data without its size", data=b"abc")
snapshot_case("data longer than it says", data=g.brought(b"abcd", 3))
snapshot_case("data shorter than it says", data=g.brought(b"abcd", 5))
snapshot_case("data whose full size is less than what is there", data=g.brought(b"abcd", full=3))
snapshot_case("bytes behind the data", tail=bytes(8))
snapshot_case("padding that is not zero", tail=b"!")
snapshot_case("no name", text_=b"")
snapshot_case("a name without its end", text_=b"name")
snapshot_case("a name with two ends", text_=b"na\0me\0")
snapshot_case("a name that steers a terminal", text_=b"\x1b[2J\0")
snapshot_case("segments that end before they begin", raw=(T0, T0 + 1, 9, 7))
snapshot_case("raw data that ends before it begins", raw=(T0 + 1, T0, 7, 9))
add("snapshot", "no header", swap("snapshot-2", g.sample(
    "snapshot-2", g.SNAPSHOT, T0 + 451, struct.pack("<Q", 1) + g.raw(bytes(12)))),
    g.snapshot_stream)
add("snapshot-first", "a sample before it", before("snapshot", g.clock("early", T0 + 400)),
    g.snapshot_stream)
add("snapshot-first", "a round before it", before("snapshot", Rec("early", 68)),
    g.snapshot_stream)
add("snapshot-first", "a state of its time", swap("comm-state", g.comm(
    "comm-state", 7, "seven", T0 + 50)), g.snapshot_stream)

payload_case("payload", "magic", "payload-2", 2, T0 + 600, DATA, magic=1)
payload_case("payload", "version", "payload-2", 2, T0 + 600, DATA, version=2)
payload_case("payload", "header_size", "payload-2", 2, T0 + 600, DATA, header=64)
payload_case("payload", "key", "payload-2", 2, T0 + 600, DATA, key=1)
payload_case("payload", "number 0", "payload-2", 0, T0 + 600, DATA)
payload_case("payload-length", "PERIOD", "payload-2", 2, T0 + 600, DATA, period=7)
payload_case("payload-length", "more than RAW has", "payload-2", 2, T0 + 600, DATA,
             total=200, length=200, period=200)
payload_case("payload-length", "data in the padding", "payload-2", 2, T0 + 600,
             DATA + b"xy", total=100, length=100, period=100)
payload_case("payload-length", "data that is lost", "payload-3", 3, T0 + 900, DATA,
             cause=1, id=g.TRACE)
payload_case("payload-length", "an empty part", "payload-5", 5, T0 + 950, b"",
             total=33, id=g.TRACE)
payload_case("payload-part", "another offset", "payload-1b", 1, T0 + 500, DATA[:30],
             70, 100, id=g.OUTPUT)
payload_case("payload-part", "another event", "payload-1b", 1, T0 + 500, DATA[60:],
             60, 100, id=g.CLOCK)
payload_case("payload-length", "a gap of nothing", "payload-4", 4, T0 + 945, b"", 0,
             999, cause=1, flags=2)
payload_case("payload-part", "an old number", "payload-2", 1, T0 + 600, DATA)
payload_case("payload-part", "does not begin at 0", "payload-2", 2, T0 + 600,
             DATA[:30], 70, 100)
add("payload-part", "the rest is missing", drop("payload-1b"), g.payload_stream)

add("chunk", "magic", swap("chunk-1", g.chunk(
    "chunk-1", 1, T0 + 500, DATA, magic=1)))
add("chunk", "version", swap("chunk-1", g.chunk(
    "chunk-1", 1, T0 + 500, DATA, version=2)))
add("chunk", "header_size", swap("chunk-1", g.chunk(
    "chunk-1", 1, T0 + 500, DATA, header=64)))
add("chunk", "RAW shorter than a header", swap("chunk-1", g.sample(
    "chunk-1", g.CHUNK, T0 + 500, struct.pack("<Q", 0) + g.raw(bytes(20)))))
add("chunk-length", "PERIOD", swap("chunk-1", g.chunk(
    "chunk-1", 1, T0 + 500, DATA, period=7)))
add("chunk-length", "more than RAW has", swap("chunk-1", g.chunk(
    "chunk-1", 1, T0 + 500, DATA, length=200, span=200)))
add("chunk-length", "data in the padding", swap("chunk-1", g.chunk(
    "chunk-1", 1, T0 + 500, DATA + b"xy", length=100, span=100, period=100)))
add("chunk-length", "beyond its span", swap("chunk-1", g.chunk(
    "chunk-1", 1, T0 + 500, DATA, span=90)))
add("chunk-length", "over 48 KiB", swap("chunk-1", g.chunk(
    "chunk-1", 1, T0 + 500, bytes(49156))))
add("chunk-span", "last part missing", drop("chunk-2b"))
add("chunk-span", "first part missing", drop("chunk-2a"))
add("chunk-span", "hole", swap("chunk-2b", g.chunk(
    "chunk-2b", 3, T0 + 600, DATA[64:], 64, 100)))
add("chunk-span", "another CPU", swap("chunk-2b", g.chunk(
    "chunk-2b", 3, T0 + 600, DATA[60:], 60, 100, cpu=1)))
add("chunk-seq", "backwards", swap("chunk-3", g.chunk(
    "chunk-3", 2, T0 + 1500, DATA)))
add("chunk-seq", "again", swap("chunk-3", g.chunk(
    "chunk-3", 3, T0 + 1500, DATA)))
add("chunk-time", "ends before it begins", swap("chunk-1", g.chunk(
    "chunk-1", 1, T0 + 500, DATA, end=T0)))
add("chunk-time", "not the sample's", swap("chunk-1", g.chunk(
    "chunk-1", 1, T0 + 500, DATA, time=T0 + 501)))
add("time-order", "sample older than the flush",
    swap("clock-3", g.clock("clock-3", T0 + 949)))
add("time-order", "COMM older than the flush",
    before("round-3", g.comm("late", 101, "late", T0 + 1)))


@case("gap", "AUXTRACE_ERROR missing", GAPS)
def _(recs):
    del recs[find(recs, "gap-2-error")]


def gap2(**over):
    def change(recs):
        at = find(recs, "gap-2-aux")
        recs[at:at + 2] = g.gap("gap-2", T0 + 1600, T0 + 2600, **over)
    return change


add("gap", "code 0x5000", gap2(cause=0), GAPS)
add("gap", "code 0x5009", gap2(cause=9), GAPS)
add("gap", "another time", lambda r: body(
    "gap-2-error", 32, "Q", T0 + 1601)(r), GAPS)
add("gap", "another thread", gap2(tid=100) and (lambda r: body(
    "gap-2-error", 16, "I", 101)(r)), GAPS)
add("gap", "message", gap2(msg="something was lost"), GAPS)
add("gap", "type", gap2(type=2), GAPS)
add("gap", "ends before it begins", lambda r: r.__setitem__(slice(
    find(r, "gap-2-aux"), find(r, "gap-2-aux") + 2),
    g.gap("gap-2", T0 + 1600, T0 + 100)), GAPS)


def late_gap_stream():
    recs = g.gaps_stream()
    at = find(recs, "gap-2-aux")
    recs[at:at + 2] = g.gap("gap-2", T0 + 1600, T0 + 2600)
    body("gap-2-error", 32, "Q", T0 + 700)(recs)
    return recs


def filter_stream(filter_):
    recs = g.pt_stream()
    recs[find(recs, "aux-info")] = g.aux_info(filter_=filter_)
    return recs


VALID = [
    ("chunks", lambda: g.chunks_stream()),
    ("chunks without losses", lambda: g.chunks_stream(lost=False)),
    ("Intel PT per thread", lambda: g.pt_stream()),
    ("Intel PT per CPU", lambda: g.pt_stream(1)),
    ("Intel PT, primed", g.primed_stream),
    ("Intel PT per thread, with a filter", lambda: filter_stream(b"filter 0x10/0x20@/x")),
    ("Intel PT per thread, with one of 8 bytes", lambda: filter_stream(b"stop 0x1")),
    ("gaps", g.gaps_stream),
    ("a gap that began before the last round", late_gap_stream),
    ("raw data beside samples", g.payload_stream),
    ("a snapshot", g.snapshot_stream),
    ("compressed", compressed_stream),
]
