#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
edit-elf.py FILE EDIT [NUMBER]: change a real ELF64 file of this machine's byte order
into a file that linkers do not make, but other tools do. The note with the build-id
stays the same. Its place and the data around it change.
"""
import struct
import sys

PT_NULL, PT_NOTE, SHT_NOTE = 0, 4, 7
PAGE = 4096


class Elf:
    def __init__(self, path):
        self.path = path
        with open(path, 'rb') as file:
            self.data = bytearray(file.read())
        self.end = len(self.data)
        self.far = []           # (offset, bytes) after the end
        self.phoff, self.shoff = struct.unpack_from('<QQ', self.data, 32)
        (self.phnum,) = struct.unpack_from('<H', self.data, 56)

    def phdr(self, i):
        return list(struct.unpack_from('<IIQQQQQQ', self.data,
                                       self.phoff + 56 * i))

    def set_phdr(self, i, phdr):
        struct.pack_into('<IIQQQQQQ', self.data, self.phoff + 56 * i, *phdr)

    def notes(self):
        """Return the program headers of notes, and the bytes of the build-id's note."""
        found = [i for i in range(self.phnum) if self.phdr(i)[0] == PT_NOTE]
        for i in found:
            phdr = self.phdr(i)
            at, end = phdr[2], phdr[2] + phdr[5]
            while at + 12 <= end:
                name, desc, kind = struct.unpack_from('<III', self.data, at)
                size = 12 + (name + 3 & ~3) + (desc + 3 & ~3)
                if kind == 3 and self.data[at + 12:at + 16] == b'GNU\0':
                    return found, bytes(self.data[at:at + size])
                at += size
        sys.exit(f'{self.path}: no build-id')

    def drop_sections(self):
        struct.pack_into('<Q', self.data, 40, 0)
        struct.pack_into('<HHH', self.data, 58, 0, 0, 0)

    def put_note(self, offset, notes, align=4):
        """Make one segment of notes at @offset, which can be after the end of the file."""
        found, _ = self.notes()
        for i in found:
            phdr = self.phdr(i)
            phdr[0] = PT_NULL
            self.set_phdr(i, phdr)
        self.set_phdr(found[0], [PT_NOTE, 4, offset, 0, 0, len(notes), 0,
                                 align])
        self.far.append((offset, notes))
        self.drop_sections()

    def write(self):
        with open(self.path, 'r+b') as file:
            file.write(self.data)
            for offset, data in self.far:
                file.seek(offset)
                file.write(data)


def other_note(i):
    name = b'note%04d\0' % i
    desc = bytes(i % 23)
    return (struct.pack('<III', len(name), len(desc), 3) +
            name + bytes(-len(name) % 4) + desc + bytes(-len(desc) % 4))


def many_notes(elf, number):
    """Make the build-id the last note of a segment with @number more notes."""
    _, note = elf.notes()
    notes = b''.join(other_note(i) for i in range(number))
    elf.put_note(elf.end + 15 & ~15, notes + note)


def note_at(elf, number):
    """Put the build-id's note at offset @number, or, if @number is less than a page, at
    that offset of the first page after the end."""
    _, note = elf.notes()
    if number < PAGE:
        number += elf.end + PAGE - 1 & ~(PAGE - 1)
    elf.put_note(number, note)


def many_headers(elf, number):
    """Make @number program headers, with the headers of notes after all others."""
    headers = [elf.phdr(i) for i in range(elf.phnum)]
    rest = [h for h in headers if h[0] != PT_NOTE]
    rest += [[PT_NULL, 0, 0, 0, 0, 0, 0, 0]] * (number - len(headers))
    rest += [h for h in headers if h[0] == PT_NOTE]
    at = elf.end + 7 & ~7
    elf.far.append((at, b''.join(struct.pack('<IIQQQQQQ', *h) for h in rest)))
    struct.pack_into('<Q', elf.data, 32, at)
    struct.pack_into('<H', elf.data, 56, number)


def sections_only(elf, _):
    """Remove the segments of notes: only a section has the build-id."""
    for i in elf.notes()[0]:
        phdr = elf.phdr(i)
        phdr[0] = PT_NULL
        elf.set_phdr(i, phdr)


EDITS = {
    'many-notes': many_notes,
    'note-at': note_at,
    'many-headers': many_headers,
    'sections-only': sections_only,
}

the_elf = Elf(sys.argv[1])
EDITS[sys.argv[2]](the_elf, int(sys.argv[3], 0) if len(sys.argv) > 3 else 0)
the_elf.write()
