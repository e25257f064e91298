#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""check.py: compare perfaux.txt with uapi/perfaux.h, and print the results as TAP.

This script parses the part of syzlang that perfaux.txt uses. A line that it cannot parse is an
error. For sizes, offsets and numbers it makes a C program from the description, which compiles
with the header only if they agree.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
UAPI = os.path.join(HERE, "..", "..", "uapi", "perfaux.h")
SIZES = {"int8": 1, "int16": 2, "int32": 4, "int64": 8, "fd_perf": 4}


class Description:
    """The description's calls, structs ([(field, size)]) and flags ([name or number])."""

    def __init__(self, path):
        self.ioctls, self.structs, self.flags, self.resources = {}, {}, {}, set()
        self.used, self.errors = set(), []
        struct = None
        with open(path, encoding="ascii") as text:
            for number, line in enumerate(text, 1):
                line = line.rstrip("\n")
                if struct is not None:
                    struct = self.field(struct, number, line)
                elif line and line[0] != "#":
                    struct = self.top(number, line)

    def top(self, number, line):
        """Parse a line outside of structs. Return the name of the struct that the line begins."""
        if re.fullmatch(r"include <[\w/.]+>", line):
            return None
        if match := re.fullmatch(r"resource (\w+)\[fd\]", line):
            self.resources.add(match[1])
        elif match := re.fullmatch(r"(\w+) \{", line):
            self.structs[match[1]] = []
            return match[1]
        elif match := re.fullmatch(r"(\w+) = (.+)", line):
            self.flags[match[1]] = [value.strip() for value in match[2].split(",")]
        elif match := re.fullmatch(
                r"ioctl\$(\w+)\(fd (\w+), cmd const\[(\w+)\], "
                r"arg ptr\[(in|inout), (\w+)\]\)( \w+)?", line):
            self.ioctls[match[1]] = (match[2], match[3], match[5])
            if match[1] != match[3]:
                self.error(number, f"{match[1]} has the number of {match[3]}")
            self.known(number, match[2], (match[6] or match[2]).strip())
        elif match := re.fullmatch(r"(?:openat|read|mmap)\$\w+\((.*)\)( \w+)?", line):
            self.used.update(re.findall(r"flags\[(perfaux_\w+)", match[1]))
            self.known(number, *re.findall(r"fd_perfaux\w*", line))
        else:
            self.error(number, f"not understood: {line}")
        return None

    def field(self, struct, number, line):
        """Parse a line of a struct. Return the struct's name, or None at its last line."""
        if line == "}":
            return None
        match = re.fullmatch(r"\t(\w+)\t+(.+)", line)
        size = self.size_of(match[2]) if match else None
        if size is None:
            self.error(number, f"not understood: {line}")
        else:
            self.structs[struct].append((match[1], size))
        return struct

    def size_of(self, kind):
        """Return the size in bytes of a field of this type, or None if the type is not known."""
        if match := re.fullmatch(r"array\[(.+), (\d+)\]", kind):
            size = self.size_of(match[1])
            return size and size * int(match[2])
        if match := re.fullmatch(r"flags\[(\w+), (int\d+)\]", kind):
            self.used.add(match[1])
            return SIZES.get(match[2])
        if match := re.fullmatch(r"(?:const\[\d+|bytesize\[parent), (int\d+)\]", kind):
            return SIZES.get(match[1])
        return SIZES.get(re.sub(r"\[(\d+:\d+|opt)\]$", "", kind))

    def known(self, number, *resources):
        """Add an error for each name that the description does not declare as a resource."""
        for name in resources:
            if name not in self.resources:
                self.error(number, f"no resource {name}")

    def error(self, number, what):
        """Add an error about a line."""
        self.errors.append(f"perfaux.txt:{number}: {what}")


def without_comments(path):
    """Return the text of a header without its comments."""
    with open(path, encoding="ascii") as text:
        return re.sub(r"/\*.*?\*/", "", text.read(), flags=re.S)


def header_struct(text, name):
    """Return [(field, size)] of a struct in the header. Only fields of plain types are found."""
    body = re.search(r"struct %s \{(.*?)\}" % name, text, flags=re.S)
    sizes = {"__u8": 1, "__u16": 2, "__u32": 4, "__s32": 4, "__u64": 8}
    fields = re.findall(r"(__[us]\d+)\s+(\w+)(?:\[(\d+)\])?;", body[1]) if body else []
    return [(field, sizes[kind] * int(times or 1)) for kind, field, times in fields]


def asserts(description, text):
    """Return a C program that does not compile if a size, an offset or a name is wrong."""
    lines = ["#include <stddef.h>", f'#include "{UAPI}"']
    for _, _, struct in description.ioctls.values():
        at = 0
        for field, size in description.structs.get(struct, []):
            lines.append(f"_Static_assert(offsetof(struct {struct}, {field}) == {at}, "
                         f'"{struct}.{field}: offset");')
            lines.append(f"_Static_assert(sizeof(((struct {struct} *)0)->{field}) == {size}, "
                         f'"{struct}.{field}: size");')
            at += size
        lines.append(f'_Static_assert(sizeof(struct {struct}) == {at}, "{struct}: size");')
    names = {cmd for _, cmd, _ in description.ioctls.values()}
    for values in description.flags.values():
        names.update(value for value in values if not re.fullmatch(r"0x[\da-f]+|\d+", value))
    for name in sorted(names):
        lines.append(f"static const unsigned long long value_of_{name} "
                     f"__attribute__((unused)) = {name};")
    numbers = re.findall(r"#define (PERFAUX_IOC_\w+)\s+_IO\(PERFAUX_IOC_MAGIC, (\d+)\)", text)
    for name, number in numbers:
        lines.append(f'_Static_assert({name} == (0xBC << 8 | {number}), "{name}: number");')
    return "\n".join(lines) + "\n"


def compile_errors(program):
    """Compile a program, and return the lines with errors."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "check.c")
        with open(path, "w", encoding="ascii") as file:
            file.write(program)
        done = subprocess.run([os.environ.get("CC", "gcc"), "-fsyntax-only", path],
                              capture_output=True, text=True, check=False)
    return [line for line in done.stderr.splitlines() if "error" in line]


def missing_flags(description, text):
    """Return a message for each flag of an argument that only the header has."""
    prefixes = "RING|ATTACH|DETACH|FLUSH|HOLD|UNHOLD|THAW|HANDLE|IDS"
    in_header = set(re.findall(rf"#define (PERFAUX_(?:{prefixes})_\w+)\s+_BIT", text))
    described = {value for values in description.flags.values() for value in values}
    return [f"{name} is not described" for name in sorted(in_header - described)]


def main():
    """Compare, print TAP, and return the exit status."""
    description = Description(os.path.join(HERE, "perfaux.txt"))
    text = without_comments(UAPI)
    header_ioctls = set(re.findall(r"#define (PERFAUX_IOC_(?!MAGIC)\w+)", text))
    differ = [f"struct {struct}: {header_struct(text, struct)} in the header"
              for _, _, struct in description.ioctls.values()
              if header_struct(text, struct) != description.structs.get(struct)]
    results = [
        ("the description is understood", description.errors),
        ("every ioctl is described",
         [f"{name} in one of the two only"
          for name in sorted(header_ioctls ^ set(description.ioctls))]),
        ("arguments have the header's fields", differ),
        ("every flag is described, and used",
         missing_flags(description, text) +
         [f"no flags {name}" for name in sorted(description.used - set(description.flags))] +
         [f"{name} is not used" for name in sorted(set(description.flags) - description.used)]),
        ("sizes, offsets and numbers are the compiler's",
         compile_errors(asserts(description, text))),
    ]
    print("TAP version 13")
    print(f"1..{len(results)}")
    for number, (name, errors) in enumerate(results, 1):
        for error in errors:
            print(f"# {error}")
        print(f"{'not ' if errors else ''}ok {number} - {name}")
    return 1 if any(errors for _, errors in results) else 0


if __name__ == "__main__":
    sys.exit(main())
