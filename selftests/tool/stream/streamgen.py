# SPDX-License-Identifier: GPL-2.0-only
"""Build small streams in perf's pipe format, for the tests of `auxrec check`.

A stream is a list of Rec. A Rec has a name, to find it by, and its bytes. A test takes
a valid stream and changes one thing.
"""

import struct

MAGIC = b"PERFILE2" + struct.pack("<Q", 16)

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM, RAW = (
    1 << i for i in range(11))
IDENTIFIER = 1 << 16

SAMPLE_ID_ALL = 1 << 18
CONTEXT_SWITCH = 1 << 26

KERNEL, USER, BIT13, BIT14, BIT15 = 1, 2, 1 << 13, 1 << 14, 1 << 15

NOBODY = 0xffffffff
T0 = 1_000_000_000_000
BASE = IDENTIFIER | TID | TIME | CPU
PT_PMU = 8

# Events of the stream: first id, attr type, config, sample_type, name
CLOCK, TRACE, CHUNK, DUMMY, PT, PAYLOAD, OUTPUT = 11, 21, 31, 41, 51, 61, 71
SNAPSHOT = 81
KEY = 0x123456789abcdef0
RECORDING = 0x77
EVENTS = {
    CLOCK: (1, 0, BASE | IP | PERIOD, "cpu-clock"),
    TRACE: (2, 316, BASE | PERIOD | RAW, "sched:sched_switch"),
    CHUNK: (1, 10, BASE | PERIOD | RAW, "auxgen//"),
    DUMMY: (1, 9, BASE, "dummy:u"),
    PT: (PT_PMU, 0, BASE, "intel_pt//"),
    PAYLOAD: (1, 10, BASE | PERIOD | RAW, "raw-ring"),
    SNAPSHOT: (1, 10, BASE | PERIOD | RAW, "snapshot"),
    OUTPUT: (1, 10, BASE | IP | PERIOD | RAW, "bpf-output"),
}


class Rec:
    """One record, with the data that follows it (blob)."""

    def __init__(self, name, type_, body=b"", misc=0, blob=b"", size=None):
        self.name, self.type, self.misc = name, type_, misc
        self.body, self.blob, self.size = body, blob, size

    def bytes(self):
        size = len(self.body) + 8 if self.size is None else self.size
        return struct.pack("<IHH", self.type, self.misc, size) + \
            self.body + self.blob


def pad8(data):
    return data + bytes(-len(data) % 8)


def text(s):
    return pad8(s.encode() + b"\0")


def feature_string(s):
    data = s.encode() + b"\0"
    data += bytes(-len(data) % 64)
    return struct.pack("<I", len(data)) + data


def sample_id(id_, time=0, tid=0, cpu=0, pid=None):
    return struct.pack("<IIQIIQ", tid if pid is None else pid, tid, time, cpu,
                       0, id_)


def attr(type_, config, sample_type, flags=SAMPLE_ID_ALL, size=128, period=1000,
         config1=0, config2=0):
    data = struct.pack("<IIQQQQQ", type_, size, config, period, sample_type, 0,
                       flags) + struct.pack("<QQQ", 0, config1, config2)
    return data + bytes(128 - len(data))


def add_attr(id_, ids=None, **args):
    type_, config, sample_type, _ = EVENTS[id_]
    if id_ == DUMMY:
        args.setdefault("flags", SAMPLE_ID_ALL | CONTEXT_SWITCH | 1 << 8 |
                        1 << 9 | 1 << 13 | 1 << 23)
    if id_ in (CLOCK, DUMMY):
        args.setdefault("period", 1 if id_ == DUMMY else 250000)
    if id_ == PAYLOAD:
        args.setdefault("config1", KEY)
    if id_ == SNAPSHOT:
        args.setdefault("config2", RECORDING)
    ids = [id_, id_ + 1] if ids is None else ids
    return Rec(f"attr-{id_}", 64, attr(type_, config, sample_type, **args) +
               struct.pack(f"<{len(ids)}Q", *ids))


def feature(id_, data, name=None):
    return Rec(name or f"feature-{id_}", 80, struct.pack("<Q", id_) + data)


# Offsets in struct bpf_prog_info of the pointer to an array and of its count
BPF = {"jited": (24, 16), "ksyms": (112, 104), "lens": (120, 108),
       "tags": (184, 180), "lines": (152, 148)}


def bpf_prog(id_, name, info_len=232, mask=0x119, **over):
    """Make one program of BPF_PROG_INFO. @over: other pointers and counts of arrays."""
    data = bytes(16) + struct.pack("<Q", 0xffffffffc0010000) + \
        struct.pack("<Q", 16) + b"12345678"
    arrays = {"jited": (0, 16), "ksyms": (16, 1), "lens": (24, 1),
              "tags": (32, 1)} | over
    info = bytearray(info_len)
    struct.pack_into("<II8s", info, 0, 1, id_, b"12345678")
    struct.pack_into("<16s", info, 64, name)
    for array, (offset, count) in arrays.items():
        struct.pack_into("<Q", info, BPF[array][0], offset)
        struct.pack_into("<I", info, BPF[array][1], count)
    struct.pack_into("<I", info, 172, 16)
    return struct.pack("<IIQ", info_len, len(data), mask) + info + data


def bpf_progs(*progs, name="bpf-progs"):
    return feature(25, pad8(struct.pack("<I", len(progs)) + b"".join(progs)),
                   name)


def bpf_btf(magic=0xeb9f, name="bpf-btf"):
    data = struct.pack("<HBBIIIII", magic, 1, 0, 24, 0, 0, 0, 1) + b"\0"
    return feature(26, pad8(struct.pack("<III", 1, 3, len(data)) + data), name)


def identity(*strings, end=b"\0"):
    """Make the record that tells where a recording comes from, see tool/origin/identity.h."""
    data = b"auxrecid" + b"\0".join(strings) + end
    return Rec("identity", 65, data + (bytes(-len(data) % 8) if end else b"x" * (-len(data) % 8)))


def features():
    words = ["auxrec", "-e", "auxgen//", "--", "true"]
    return [
        feature(3, feature_string("host")),
        feature(4, feature_string("6.1.0")),
        feature(5, feature_string("auxrec 1")),
        feature(6, feature_string("x86_64")),
        feature(7, struct.pack("<II", 2, 2)),
        feature(8, feature_string("a CPU")),
        feature(10, struct.pack("<Q", 1 << 20)),
        feature(11, struct.pack("<I", len(words)) +
                b"".join(feature_string(w) for w in words)),
        feature(16, struct.pack("<II", 1, 1) + feature_string("software")),
        bpf_btf(),
        bpf_progs(bpf_prog(7, b"first"), bpf_prog(8, b"second")),
        feature(29, struct.pack("<IIQQ", 1, 1, 5, 5)),
        feature(32, b"", "features-end"),
        identity(b"machine-id=0123", b"label.env=a b"),
    ]


FIELDS = "".join(
    f"\tfield:{decl};\toffset:{off};\tsize:{size};\tsigned:{sign};\n{gap}"
    for decl, off, size, sign, gap in [
        ("unsigned short common_type", 0, 2, 0, ""),
        ("unsigned char common_flags", 2, 1, 0, ""),
        ("unsigned char common_preempt_count", 3, 1, 0, ""),
        ("int common_pid", 4, 4, 1, "\n"),
        ("int next_pid", 8, 4, 1, ""),
    ])
FORMAT = (f"name: sched_switch\nID: 316\nformat:\n{FIELDS}\n"
          "print fmt: \"next_pid=%d\", REC->next_pid\n").encode()
HEADER_PAGE = ("\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
               "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
               "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
               "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n"
               ).encode()


def tracing(tail=b"", cut=0):
    def sized(data, fmt="<Q"):
        return struct.pack(fmt, len(data)) + data

    blob = b"\x17\x08\x44tracing0.6\0" + struct.pack("<BBI", 0, 8, 4096)
    blob += b"header_page\0" + sized(HEADER_PAGE)
    blob += b"header_event\0" + sized(b"# compressed entry header\n")
    blob += struct.pack("<I", 0)
    blob += struct.pack("<I", 1) + b"sched\0" + struct.pack("<I", 1) + \
        sized(FORMAT)
    blob += sized(b"", "<I") + sized(b"", "<I") + sized(b"1 init\n")
    blob = pad8(blob)
    blob = blob[:len(blob) - cut] + tail
    return Rec("tracing", 66, struct.pack("<II", len(blob), 0), blob=blob)


def id_index(ids, nr=None):
    body = b"".join(struct.pack("<QQQQ", i, n, 2**64 - 1, 2**64 - 1)
                    for n, i in enumerate(ids))
    return Rec("id-index", 69,
               struct.pack("<Q", len(ids) if nr is None else nr) + body)


def aux_info(type_=1, pmu=PT_PMU, per_cpu=0, switches=2, filter_=b"",
             filter_len=None):
    priv = [pmu, 0, 0, 0, 0, 1 << 10, 1 << 11, switches, 0, per_cpu, 1 << 9, 0,
            0, 0, 1 << 1, 30,
            len(filter_) if filter_len is None else filter_len]
    if filter_:
        filter_ = pad8(filter_ + b"\0")
    return Rec("aux-info", 70, struct.pack("<II", type_, 0) +
               struct.pack("<17Q", *priv) + filter_ + struct.pack("<Q", 0))


def mmap2(name, pid, time=0, id_=b"", start=0x400000, misc=USER, size=None,
          file="/bin/true", rest=None):
    body = struct.pack("<IIQQQ", pid, pid, start, 0x1000, 0)
    if id_:
        misc |= BIT14
        body += struct.pack("<BBH", len(id_) if size is None else size, 0, 0)
        body += (id_ + bytes(20))[:20] if rest is None else id_ + rest
    else:
        body += struct.pack("<IIQQ", 8, 1, 1234, 1)
    body += struct.pack("<II", 5, 2) + text(file)
    return Rec(name, 10, body + sample_id(0 if not time else DUMMY, time, pid),
               misc)


def kernel_map(name="[kernel.kallsyms]_text", pgoff=0xffffffff81000000,
               misc=KERNEL):
    body = struct.pack("<IIQQQ", NOBODY, 0, 0xffffffff81000000, 0x1000000,
                       pgoff) + text(name)
    return Rec("kernel-map", 1, body + sample_id(0), misc)


def module_map():
    body = struct.pack("<IIQQQ", NOBODY, 0, 0xffffffffc0000000, 0x4000, 0) + \
        text("[auxgen]")
    return Rec("module-map", 1, body + sample_id(0), KERNEL)


def update(id_, what, data, name=None):
    return Rec(name or f"update-{what}-{id_}", 78,
               struct.pack("<QQ", what, id_) + data)


def comm(name, pid, comm_, time=0, tid=None, padding=b""):
    tid = pid if tid is None else tid
    return Rec(name, 3, struct.pack("<II", pid, tid) + text(comm_) + padding +
               sample_id(DUMMY if time else 0, time, tid))


def fork(name, pid, ppid, time=0, misc=BIT13, type_=7):
    return Rec(name, type_, struct.pack("<IIIIQ", pid, ppid, pid, ppid, time) +
               sample_id(DUMMY if time else 0, time, ppid), misc)


def thread_map(nr=2, comm_=b"true"):
    return Rec("thread-map", 73, struct.pack("<Q", nr) +
               struct.pack("<Q16s", 100, comm_) +
               struct.pack("<Q16s", 101, b"worker"))


def cpu_map(type_=0, nr=2):
    return Rec("cpu-map", 74, struct.pack("<HHHH", type_, nr, 0, 1))


def setup(events, aux=None):
    """Make all records up to FINISHED_INIT, in order."""
    ids = [i + n for i in events for n in (0, 1)]
    recs = [add_attr(i) for i in events] + features()
    if TRACE in events:
        recs.append(tracing())
    recs.append(Rec("time-conv", 79, struct.pack(
        "<QQQQQBB6x", 10, 500, 0, 0, 2**56 - 1, 1, 0)))
    recs.append(id_index(ids))
    if aux:
        recs.append(aux)
    recs += [kernel_map(), module_map()]
    recs += [update(i, 2, text(EVENTS[i][3])) for i in events]
    recs.append(update(events[0], 0, text("msec")))
    recs.append(update(events[0], 1, struct.pack("<d", 1e-6)))
    recs += [thread_map(), cpu_map(),
             Rec("ksymbol", 17, struct.pack("<QIHH", 0xffffffffc0010000, 64, 1,
                                            0) + text("bpf_prog") +
                 sample_id(0)),
             Rec("bpf", 18, struct.pack("<HHI8s", 1, 0, 7, b"12345678") +
                 sample_id(0)),
             Rec("cgroup", 19, struct.pack("<Q", 1) + text("/") + sample_id(0)),
             comm("comm-1", 1, "init"),
             Rec("namespaces", 16, struct.pack("<IIQQQ", 1, 1, 1, 4, 99) +
                 sample_id(0)),
             fork("fork-100", 100, 1),
             mmap2("mmap-synth", 100, id_=bytes(range(1, 21))),
             Rec("init", 82)]
    return recs


def sample(name, id_, time, body, tid=100, cpu=0):
    """Make a SAMPLE. @body: the fields of the event's type after CPU (IP comes before TID)."""
    type_ = EVENTS[id_ - id_ % 10 + 1][2]
    data = struct.pack("<Q", id_)
    if type_ & IP:
        data += struct.pack("<Q", 0x400010)
    data += struct.pack("<IIQII", 100, tid, time, cpu, 0)
    return Rec(name, 9, data + body, USER)


def clock(name, time, **args):
    return sample(name, CLOCK, time, struct.pack("<Q", 250000), **args)


def raw(data):
    """Make the RAW field, padded as in the kernel."""
    data += bytes(-(len(data) + 4) % 8)
    return struct.pack("<I", len(data)) + data


def tracepoint(name, time, data=None):
    data = raw(struct.pack("<HBBii", 316, 0, 0, 100, 101)) \
        if data is None else data
    return sample(name, TRACE, time, struct.pack("<Q", 1) + data)


def chunk(name, seq, t, data, offset=0, span=None, end=None, **over):
    head = {"magic": 0x43585541, "version": 1, "header": 56, "t": t,
            "end": t + 500 if end is None else end, "cookie": 0, "flags": 0,
            "length": len(data), "time": t, "period": len(data), "tid": 100,
            "cpu": 0, "pad": None}
    head.update(over)
    body = struct.pack("<IHHQQQQIIII", head["magic"], head["version"],
                       head["header"], seq, head["t"], head["end"],
                       head["cookie"], head["flags"], offset, head["length"],
                       len(data) if span is None else span) + data
    body = raw(body)
    if head["pad"] is not None:
        body = body[:-len(head["pad"])] + head["pad"]
    return sample(name, CHUNK, head["time"],
                  struct.pack("<Q", head["period"]) + body, tid=head["tid"],
                  cpu=head["cpu"])


def payload_head(number, total, offset=0, length=0, **over):
    """Make a struct auxrec_payload."""
    head = {"magic": 0x52585541, "version": 1, "header": 72, "key": KEY, "id": 0,
            "cookie": 0, "at": T0 + 500, "cause": 0, "flags": 0} | over
    return struct.pack("<IHHQQQQQQQIHH", head["magic"], head["version"],
                       head["header"], head["key"], number, head["id"],
                       head["cookie"], head["at"], total, offset, length,
                       head["cause"], head["flags"])


def payload(name, number, t, data, offset=0, total=None, **over):
    """Make a part of a payload, as a sample of the payload event."""
    period = over.pop("period", len(data))
    length = over.pop("length", len(data))
    body = payload_head(number, len(data) if total is None else total, offset,
                        length, **over) + data
    return sample(name, PAYLOAD, t, struct.pack("<Q", period) + raw(body))


def payload_stream():
    """Make a stream with payloads: one larger than a record, one without a sample, lost ones."""
    data = bytes(range(1, 101))
    return setup([CLOCK, TRACE, OUTPUT, PAYLOAD, DUMMY]) + live_start() + [
        tracepoint("tp-1", T0 + 450),
        sample("stub", OUTPUT, T0 + 500, struct.pack("<Q", 1) +
               raw(payload_head(1, 100, id=OUTPUT))),
        payload("payload-1a", 1, T0 + 500, data[:60], 0, 100, id=OUTPUT),
        payload("payload-1b", 1, T0 + 500, data[60:], 60, 100, id=OUTPUT),
        payload("payload-2", 2, T0 + 600, data[:7], cookie=77),
        Rec("round", 68),
        payload("payload-3", 3, T0 + 900, b"", 0, 5000, cause=1, id=TRACE),
        payload("payload-4", 4, T0 + 945, b"", 3, 999, cause=1, flags=2, cookie=77),
        payload("payload-5", 5, T0 + 950, data[:33], flags=1, id=TRACE),
        clock("clock-1", T0 + 960),
    ]


def brought(data, size=None, full=None):
    """Make a struct auxrec_snapshot_data and its data."""
    size = len(data) if size is None else size
    return struct.pack("<II", size, size if full is None else full) + data


def snapshot(name, t, number=1, text_=b"signal=USR1\0",
             data=brought(b"xy") + brought(b"abcdefg", full=8), **over):
    """Make a struct auxrec_snapshot, as a sample of the snapshot event."""
    head = {"magic": 0x53585541, "version": 3, "header": 136,
            "recording": RECORDING, "trigger": t, "begin": T0 + 50, "kind": 1,
            "name_size": len(text_), "data_size": len(data), "tail": b"",
            "settled": T0 + 500, "raw": (T0 + 40, T0 + 500, 7, 9)} | over
    body = struct.pack("<IHH14Q4I", head["magic"], head["version"],
                       head["header"], head["recording"], number,
                       head["trigger"], head["begin"], head["settled"],
                       head["settled"] + 100, 0, 0, *head["raw"], 1, 0, head["kind"],
                       head["name_size"], head["data_size"], 0) + text_ + data + head["tail"]
    return sample(name, SNAPSHOT, t, struct.pack("<Q", 1) + raw(body))


def snapshot_stream(aux=None):
    """Make the stream of a snapshot. The state comes first, with times before the window."""
    recs = setup(([PT] if aux else []) + [CLOCK, SNAPSHOT, DUMMY], aux)
    state = [comm("comm-state", 7, "seven", T0 + 49),
             kernel_map()]
    recs[find(recs, "init"):find(recs, "init")] = state
    return recs + [
        snapshot("snapshot", T0 + 450),
        snapshot("snapshot-2", T0 + 451, text_=b"another\0"),
        clock("clock-1", T0 + 400),
        fork("fork-live", 101, 100, T0 + 410, misc=0),
        Rec("round", 68),
    ]


def auxtrace(name, time, data, offset, idx=0, tid=100, cpu=NOBODY):
    return Rec(name, 71, struct.pack("<QQQIIII", len(data), offset, time, idx,
                                     tid, cpu, 0), blob=data)


def gap(name, time, end, cause=1, tid=100, cpu=1, id_=DUMMY, **over):
    over = {"time": time, "code": 0x5000 + cause, "flags": 1, "type": 1,
            "tid": tid} | over
    msg = "perfaux: until %d.%09d, 3x, 128 bytes: full" % (
        end // 10**9, end % 10**9)
    return [
        Rec(name + "-aux", 11, struct.pack("<QQQ", 0, 0, over["flags"]) +
            sample_id(id_, time, tid, cpu)),
        Rec(name + "-error", 72, struct.pack(
            "<IIIIIIQQ64s", over["type"], over["code"], cpu, tid, over["tid"],
            1, 0, over["time"], over.get("msg", msg).encode())),
    ]


def round_():
    return Rec("round", 68)


def live_start():
    return [comm("comm-live", 100, "true", T0 + 100),
            mmap2("mmap-live", 100, T0 + 200, file="/usr/lib/libc.so.6"),
            fork("fork-live", 101, 100, T0 + 300, misc=0)]


def chunks_stream(lost=True):
    """Make a stream with AUX data in chunks, samples, and a tracepoint."""
    data = bytes(range(1, 101))
    recs = setup([CLOCK, TRACE, CHUNK, DUMMY]) + live_start() + [
        clock("clock-1", T0 + 400),
        tracepoint("tp-1", T0 + 450),
        bpf_progs(bpf_prog(9, b"live"), name="bpf-live"),
        chunk("chunk-1", 1, T0 + 500, data),
        chunk("chunk-2a", 3, T0 + 600, data[:60], 0, 100),
        chunk("chunk-2b", 3, T0 + 600, data[60:], 60, 100),
        Rec("round", 68),
        clock("clock-2", T0 + 900, tid=101, cpu=1),
        Rec("lost-samples", 13, struct.pack("<Q", 5) +
            sample_id(CLOCK, T0 + 950, 100)),
        Rec("round-2", 68),
        chunk("chunk-3", 4, T0 + 1500, data, tid=101, cpu=1),
        Rec("build-id", 67, struct.pack("<i20sBBH", -1, bytes(range(20)), 20, 0,
                                        0) + b"/bin/true\0\0\0", BIT15 | USER),
        Rec("round-3", 68),
        clock("clock-3", T0 + 2000),
        fork("exit-101", 101, 100, T0 + 2100, misc=0, type_=4),
    ]
    if not lost:
        del recs[find(recs, "lost-samples")]
    return recs


def pt_stream(per_cpu=0):
    """Make a stream of Intel PT. The data is zeros, which any decoder takes as padding."""
    def who(n):
        return {"idx": n, "tid": NOBODY, "cpu": n} if per_cpu else \
            {"idx": n, "tid": 100 + n, "cpu": NOBODY}

    return setup([PT, CLOCK, DUMMY], aux_info(per_cpu=per_cpu)) + live_start() + [
        clock("clock-1", T0 + 400),
        auxtrace("aux-1", T0 + 500, bytes(64), 0, **who(0)),
        auxtrace("aux-2", T0 + 600, bytes(32), 0, **who(1)),
        Rec("round", 68),
        clock("clock-2", T0 + 900),
        auxtrace("aux-3", T0 + 1000, bytes(128), 64, **who(0)),
        Rec("round-2", 68),
        clock("clock-3", T0 + 1300),
        auxtrace("aux-4", T0 + 1400, bytes(8), 192, **who(0)),
        Rec("round-3", 68),
    ]


def primed_stream():
    """Make a stream of Intel PT that perf 6.1 can also read from a file.

    The data of its first AUXTRACE is the primer, see tool/stream/primer.h.
    """
    recs = pt_stream()
    recs.insert(find(recs, "comm-live"),
                auxtrace("prime", T0 + 50, Rec("none", 65).bytes() * 2, 0,
                         idx=2, tid=1))
    return recs


def gaps_stream():
    """Make a stream like pt_stream(), with gaps of AUX data and lost records."""
    recs = pt_stream()
    at = find(recs, "aux-3")
    recs[at:at] = gap("gap", T0 + 950, T0 + 980)
    recs[find(recs, "aux-3")] = auxtrace("aux-3", T0 + 1000, bytes(128), 4096)
    recs[find(recs, "aux-4")] = auxtrace("aux-4", T0 + 1400, bytes(8), 4224)
    recs.append(Rec("lost", 2, struct.pack("<QQ", CLOCK, 9) +
                    sample_id(CLOCK, T0 + 1500, 100)))
    recs += gap("gap-2", T0 + 1600, T0 + 2600, cause=2)
    recs.append(Rec("round-4", 68))
    return recs


def find(recs, name):
    for i, rec in enumerate(recs):
        if rec.name == name:
            return i
    raise KeyError(name)


def dump(recs):
    return MAGIC + b"".join(r.bytes() for r in recs)


def boundaries(recs):
    """Return the offsets of the boundaries between records."""
    at, result = len(MAGIC), {len(MAGIC)}
    for rec in recs:
        at += len(rec.bytes())
        result.add(at)
    return result
