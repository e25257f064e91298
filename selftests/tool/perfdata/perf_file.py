# SPDX-License-Identifier: GPL-2.0-only
"""Read perf.data files and streams, independently of auxrec's code, for the tests."""

import struct

HEADER = struct.Struct("<QQQ6Q4Q")
ABI_SIZES = (64, 72, 80, 96, 104, 112, 120, 128, 136, 144)
BLOB = {66: "<I", 71: "<Q"}     # records that are followed by data, whose size they begin with


def need(condition, text):
    if not condition:
        raise ValueError(text)


class Record:
    """A record: its place, its fields, and the data that follows it."""

    def __init__(self, data, at, blobs=BLOB):
        self.at = at
        self.type, self.misc, self.size = struct.unpack_from("<IHH", data, at)
        need(self.size >= 8 and at + self.size <= len(data), f"record at {at}")
        self.body = data[at + 8:at + self.size]
        length = struct.unpack_from(blobs[self.type], self.body)[0] \
            if self.type in blobs else 0
        self.end = at + self.size + length
        need(self.end <= len(data), f"data of the record at {at}")
        self.blob = data[at + self.size:self.end]
        self.bytes = data[at:self.end]


def records(data, at=0):
    while at < len(data):
        rec = Record(data, at)
        yield rec
        at = rec.end


def strings(data, nr):
    """Return NR strings, and the rest."""
    result = []
    for _ in range(nr):
        size = struct.unpack_from("<I", data)[0]
        need(size % 64 == 0 and 4 + size <= len(data), "a string")
        result.append(data[4:4 + size].split(b"\0", 1)[0].decode())
        data = data[4 + size:]
    return result, data


class File:
    """A perf.data file. The constructor checks what all such files have in common."""

    def __init__(self, data):
        self.data = data
        need(data[:8] == b"PERFILE2", "magic")
        (_, size, attr_size, attrs, attrs_size, self.begin, data_size, *_types) = \
            HEADER.unpack_from(data)[:9]
        need(size == HEADER.size == 104, "size of the header")
        self.end = self.begin + data_size
        need(attrs == size and self.begin >= attrs + attrs_size, "order of the sections")
        need(attrs_size % attr_size == 0 and attr_size - 16 in ABI_SIZES, "size of an attr")
        self.attr_size = attr_size - 16
        self.events = []
        at = attrs + attrs_size
        for i in range(attrs_size // attr_size):
            attr = data[attrs + i * attr_size:][:attr_size]
            offset, ids = struct.unpack_from("<QQ", attr, self.attr_size)
            need(offset == at and ids % 8 == 0, "place of the ids")
            at += ids
            need(struct.unpack_from("<I", attr, 4)[0] == self.attr_size, "attr.size")
            self.events.append((attr[:self.attr_size],
                                struct.unpack_from(f"<{ids // 8}Q", data, offset)))
        need(at == self.begin, "the data follows the ids")
        self.records = list(records(data[:self.end], self.begin))
        self.features = self.read_features()

    def read_features(self):
        bits = HEADER.unpack_from(self.data)[9:]
        ids = [i for i in range(256) if bits[i // 64] >> i % 64 & 1]
        at, table = self.end + len(ids) * 16, {}
        for n, i in enumerate(ids):
            offset, size = struct.unpack_from("<QQ", self.data, self.end + n * 16)
            need(offset == at, f"place of feature {i}")
            at += size
            table[i] = self.data[offset:at]
        need(at == len(self.data), "the file ends behind the features")
        return table

    def event_desc(self):
        """Return (attr, ids, name) of each event in the feature."""
        data = self.features[12]
        nr, size = struct.unpack_from("<II", data)
        data, result = data[8:], []
        for _ in range(nr):
            attr, data = data[:size], data[size:]
            ids, data = struct.unpack_from("<I", data)[0], data[4:]
            (name,), data = strings(data, 1)
            result.append((attr, struct.unpack_from(f"<{ids}Q", data), name))
            data = data[ids * 8:]
        need(not data, "rest of EVENT_DESC")
        return result

    def build_ids(self):
        """Return (misc, pid, id, name) of each record in the feature."""
        result = []
        for rec in records(self.features.get(2, b"")):
            pid, id_, size = struct.unpack_from("<i20sB", rec.body)
            result.append((rec.misc, pid, id_[:size], rec.body[28:].split(b"\0", 1)[0].decode()))
        return result

    def aux_index(self):
        """Return (offset, size) of each AUXTRACE record in the index."""
        data = self.features[18]
        need(len(data) == 8 + 16 * struct.unpack_from("<Q", data)[0], "size of the index")
        return list(struct.iter_unpack("<QQ", data[8:]))
