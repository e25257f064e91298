#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""BPF programs for bpf_test.sh, and descriptions of loaded programs.

bpf_prog.py load [--plain] [--length N] [--types N] [--run N] [--copies N] NAME CMD [ARG]...
    Load a program of two functions, and run CMD while it is loaded. The program has --length
    instructions. Without --plain it has lines of source and types, with a name of --types bytes.
    --run: run the program N times before CMD. --copies: load it N times.
    The exit status is 77 if no program can be loaded here.
bpf_prog.py churn N
    Load a program and unload it immediately, N times.
bpf_prog.py kernel
    For each loaded program print what bpf(2) says about it, one program a line.
bpf_prog.py stream FILE
    Print the same lines for the programs that the features of a stream describe.
bpf_prog.py events FILE
    Print number and tag of each program that was loaded, from the BPF_EVENTs of a stream.
bpf_prog.py strip FILE
    Write the stream without the features about BPF to standard output.
"""

import argparse
import ctypes
import errno
import hashlib
import os
import platform
import struct
import subprocess
import sys

SYS_BPF = {"x86_64": 321, "aarch64": 280}[platform.machine()]
PROG_LOAD, TEST_RUN, NEXT_ID, PROG_FD, INFO, BTF_LOAD, BTF_FD = \
    5, 10, 11, 13, 15, 18, 19
SKIP = 77
# struct bpf_prog_info, 232 bytes
INFO_FORMAT = "<II8sIIQQQIIQ16sIIQQIIQQIIQIIQQIIIIQQQQIIII"
INFO_NAMES = """type id tag jited_len xlated_len jited xlated load_time uid
    nr_maps maps name ifindex gpl netns_dev netns_ino nr_ksyms nr_lens ksyms lens
    btf_id func_rec funcs nr_funcs nr_lines lines jlines nr_jlines line_rec
    jline_rec nr_tags tags run_time run_cnt missed verified attach_obj attach_id
    pad""".split()
# The arrays of a program: pointer, count, size of an element. The order is that of perf's bits
# for arrays (PERF_BPIL_*).
ARRAYS = [("jited", "jited_len", 1), ("xlated", "xlated_len", 1),
          ("maps", "nr_maps", 4), ("ksyms", "nr_ksyms", 8),
          ("lens", "nr_lens", 4), ("funcs", "nr_funcs", "func_rec"),
          ("lines", "nr_lines", "line_rec"),
          ("jlines", "nr_jlines", "jline_rec"), ("tags", "nr_tags", 8)]
libc = ctypes.CDLL(None, use_errno=True)


def bpf(cmd, attr):
    """Call bpf(2). Return its result, and attr as the kernel left it."""
    buf = ctypes.create_string_buffer(attr.ljust(144, b"\0"), 144)
    ret = libc.syscall(SYS_BPF, cmd, buf, 144)
    if ret < 0:
        raise OSError(ctypes.get_errno(), "bpf")
    return ret, buf.raw


def btf(pad):
    """Return BTF for int main(void) and int sub(void), with the names for lines of source."""
    strings = b"\0int\0main\0sub\0/tmp/prog.c\0int main(void)\0int sub(void)\0"
    strings += b"x" * pad + b"\0"

    def at(s):
        return strings.index(b"\0" + s + b"\0") + 1
    types = struct.pack("<IIII", at(b"int"), 1 << 24, 4, 1 << 24 | 32)
    types += struct.pack("<III", 0, 13 << 24, 1)
    types += struct.pack("<III", at(b"main"), 12 << 24, 2)
    types += struct.pack("<III", at(b"sub"), 12 << 24, 2)
    head = struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types),
                       len(types), len(strings))
    return (head + types + strings, at(b"/tmp/prog.c"),
            at(b"int main(void)"), at(b"int sub(void)"))


def load(name, plain=False, length=4, pad=0):
    """Load a program of @length instructions: main() calls sub(). Return its descriptor."""
    insns = struct.pack("<BBhi", 0x85, 0x10, 0, 1)          # call sub
    insns += struct.pack("<BBhi", 0x95, 0, 0, 0)            # exit
    insns += struct.pack("<BBhi", 0xb7, 0, 0, 0)            # r0 = 0
    insns += struct.pack("<BBhi", 0xa7, 0, 0, 0x1234567) * (length - 4)
    insns += struct.pack("<BBhi", 0x95, 0, 0, 0)
    code = ctypes.create_string_buffer(insns)
    licence = ctypes.create_string_buffer(b"GPL")
    attr = struct.pack("<IIQQIIQII16sII", 1, length, ctypes.addressof(code),
                       ctypes.addressof(licence), 0, 0, 0, 0, 0,
                       name.encode(), 0, 0)
    if plain:
        return bpf(PROG_LOAD, attr)[0]
    types, file, main, sub = btf(pad)
    blob = ctypes.create_string_buffer(types)
    btf_fd = bpf(BTF_LOAD, struct.pack("<QQI", ctypes.addressof(blob), 0,
                                       len(types)))[0]
    funcs = ctypes.create_string_buffer(struct.pack("<IIII", 0, 3, 2, 4))
    lines = b"".join(struct.pack("<IIII", i, file, main if i < 2 else sub,
                                 (i + 1) << 10) for i in range(length))
    line_buf = ctypes.create_string_buffer(lines)
    attr += struct.pack("<IIQIIQI", btf_fd, 8, ctypes.addressof(funcs), 2, 16,
                        ctypes.addressof(line_buf), length)
    fd = bpf(PROG_LOAD, attr)[0]
    os.close(btf_fd)
    return fd


def test_run(fd, times):
    data = ctypes.create_string_buffer(64)
    bpf(TEST_RUN, struct.pack("<IIIIQQII", fd, 0, 64, 0,
                              ctypes.addressof(data), 0, times, 0))


def digest(data):
    return f"{len(data)}:{hashlib.sha1(data).hexdigest()[:12]}" if data else "-"


def line(info, arrays, types):
    """Describe one program in a line. @arrays: the bytes of each array, b"" if it is missing."""
    ksyms = ["%x" % a for a in struct.unpack(
        f"<{len(arrays['ksyms']) // 8}Q", arrays["ksyms"])]
    lens = ["%u" % a for a in struct.unpack(
        f"<{len(arrays['lens']) // 4}I", arrays["lens"])]
    tags = [arrays["tags"][i:i + 8].hex()
            for i in range(0, len(arrays["tags"]), 8)]
    return " ".join([
        f"id={info['id']}", f"name={info['name'].rstrip(bytes(1)).decode()}",
        f"tag={info['tag'].hex()}", f"type={info['type']}",
        f"ksyms={','.join(ksyms)}", f"lens={','.join(lens)}",
        f"tags={','.join(tags)}"] +
        [f"{a}={digest(arrays[a])}" for a in
         ("jited", "xlated", "maps", "funcs", "lines", "jlines")] +
        [f"btf={digest(types)}"])


def ask(fd, info):
    """Call BPF_OBJ_GET_INFO_BY_FD for a program."""
    buf = ctypes.create_string_buffer(
        struct.pack(INFO_FORMAT, *(info[n] for n in INFO_NAMES)), 232)
    bpf(INFO, struct.pack("<IIQ", fd, 232, ctypes.addressof(buf)))
    return dict(zip(INFO_NAMES, struct.unpack(INFO_FORMAT, buf.raw)))


def zero_info():
    return {n: bytes(16) if n in ("tag", "name") else 0 for n in INFO_NAMES}


def kernel_btf(id_):
    if not id_:
        return b""
    fd = bpf(BTF_FD, struct.pack("<I", id_))[0]
    buf = ctypes.create_string_buffer(1 << 22)
    info = ctypes.create_string_buffer(
        struct.pack("<QII", ctypes.addressof(buf), len(buf), 0), 32)
    bpf(INFO, struct.pack("<IIQ", fd, 32, ctypes.addressof(info)))
    os.close(fd)
    return buf.raw[:struct.unpack_from("<I", info.raw, 8)[0]]


def kernel():
    id_ = 0
    while True:
        try:
            id_ = struct.unpack_from("<II", bpf(NEXT_ID, struct.pack(
                "<I", id_))[1])[1]
        except OSError as err:
            if err.errno == errno.ENOENT:
                return
            raise
        fd = bpf(PROG_FD, struct.pack("<I", id_))[0]
        info = ask(fd, zero_info())
        bufs = {}
        again = zero_info()
        for ptr, nr, size in ARRAYS:
            rec = info[size] if isinstance(size, str) else size
            if isinstance(size, str):
                again[size] = rec
            if info[nr] * rec:
                bufs[ptr] = ctypes.create_string_buffer(info[nr] * rec)
                again[ptr] = ctypes.addressof(bufs[ptr])
                again[nr] = info[nr]
        info = ask(fd, again)
        os.close(fd)
        print(line(info, {a[0]: bufs[a[0]].raw if a[0] in bufs else b""
                          for a in ARRAYS}, kernel_btf(info["btf_id"])))


def records(path, with_misc=False):
    with open(path, "rb") as f:
        f.seek(16)
        while head := f.read(8):
            type_, misc, size = struct.unpack("<IHH", head)
            body = f.read(size - 8)
            yield (type_, misc, body) if with_misc else (type_, body)


def stream_progs(body):
    nr, pos = struct.unpack_from("<I", body)[0], 4
    for _ in range(nr):
        info_len, data_len, mask = struct.unpack_from("<IIQ", body, pos)
        if info_len != 232:
            sys.exit(f"an info of {info_len} bytes")
        pos += 16
        info = dict(zip(INFO_NAMES, struct.unpack_from(INFO_FORMAT, body, pos)))
        data = body[pos + 232:pos + 232 + data_len]
        pos += 232 + data_len
        arrays = {}
        for i, (ptr, count, size) in enumerate(ARRAYS):
            size = info[size] if isinstance(size, str) else size
            arrays[ptr] = b""
            if mask & 1 << i and info[count]:
                arrays[ptr] = data[info[ptr]:info[ptr] + info[count] * size]
                if len(arrays[ptr]) != info[count] * size:
                    sys.exit(f"{ptr} of program {info['id']} is not there")
        yield info, arrays
    if len(body) - pos >= 8:
        sys.exit(f"{len(body) - pos} more bytes after {nr} programs")


def stream(path):
    types, progs = {0: b""}, {}
    for type_, body in records(path):
        if type_ != 80:
            continue
        feature, body = struct.unpack_from("<Q", body)[0], body[8:]
        if feature == 26:
            pos = 4
            for _ in range(struct.unpack_from("<I", body)[0]):
                id_, size = struct.unpack_from("<II", body, pos)
                if id_ in types:
                    sys.exit(f"types {id_} twice")
                types[id_] = body[pos + 8:pos + 8 + size]
                pos += 8 + size
        elif feature == 25:
            for info, arrays in stream_progs(body):
                if info["id"] in progs:
                    sys.exit(f"program {info['id']} twice")
                progs[info["id"]] = (info, arrays)
    for info, arrays in progs.values():
        print(line(info, arrays, types.get(info["btf_id"], b"")))


def events(path):
    for type_, body in records(path):
        if type_ == 18 and struct.unpack_from("<H", body)[0] == 1:
            print(f"id={struct.unpack_from('<I', body, 4)[0]} "
                  f"tag={body[8:16].hex()}")


def strip(path):
    with open(path, "rb") as f:
        sys.stdout.buffer.write(f.read(16))
    for type_, misc, body in records(path, True):
        if type_ == 80 and struct.unpack_from("<Q", body)[0] in (25, 26):
            continue
        sys.stdout.buffer.write(struct.pack("<IHH", type_, misc,
                                            len(body) + 8) + body)


def main():
    what, args = sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2:]
    if what == "kernel":
        kernel()
    elif what == "stream":
        stream(args[0])
    elif what == "events":
        events(args[0])
    elif what == "strip":
        strip(args[0])
    elif what == "churn":
        for _ in range(int(args[0])):
            os.close(load("auxrec_churn"))
    elif what == "load":
        parser = argparse.ArgumentParser()
        parser.add_argument("--plain", action="store_true")
        parser.add_argument("--length", type=int, default=4)
        parser.add_argument("--types", type=int, default=0)
        parser.add_argument("--run", type=int, default=0)
        parser.add_argument("--copies", type=int, default=1)
        parser.add_argument("name")
        parser.add_argument("cmd", nargs=argparse.REMAINDER)
        opt = parser.parse_args(args)
        try:
            for _ in range(opt.copies):
                fd = load(opt.name, opt.plain, opt.length, opt.types)
        except OSError as err:
            print(f"bpf_prog: cannot load a program: {err}", file=sys.stderr)
            sys.exit(SKIP)
        if opt.run:
            test_run(fd, opt.run)
        sys.exit(subprocess.call(opt.cmd))
    else:
        sys.exit(__doc__)


main()
