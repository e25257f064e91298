# SPDX-License-Identifier: GPL-2.0-only
"""What the program feed told a page, and what the page must show of it."""

import re

MARKS = ["gap", "lost", "error", "trigger", "start", "comm", "exit", "runs", "sample", "raw"]
LANES = ["thread", "cpu", "recording"]
CUT = 2
# As in samples.h
FAR, LONGEST = 4, 10 ** 9


def string(word):
    """Return a string of the log. Bytes that are no UTF-8 become what a browser shows."""
    return bytes.fromhex(word[1:]).decode("utf-8", errors="replace")


def step(path, name):
    """Return the two hashes of a path with one more name, as page_test.py has them."""
    return (path[0] * 65599 + name + 1) % 2 ** 36, (path[1] * 31337 + name + 1) % (2 ** 36 - 5)


class Told:
    """The log of a time line. Times of the members are relative to "base"."""

    def __init__(self, path):
        self.title = None
        self.lanes, self.names, self.calls, self.samples = [], [], [], []
        self.marks, self.points, self.boxes = [], [], []
        self.base = self.end = None
        self.last = []
        self.open = []
        with open(path, encoding="ascii") as f:
            lines = [line.split() for line in f]
        if lines and lines[0][0] == "calls":
            return
        for words in lines:
            self.times(words)
        for words in lines:
            getattr(self, f"do_{words[0]}")(words[1:])
        for lane, stack in enumerate(self.open):
            while stack:
                self.ends(lane, self.last[lane], CUT)
        self.boxes = [self.make_boxes(lane) for lane in range(len(self.lanes))]

    def times(self, words):
        """Find the first and the last time."""
        for word in {"enter": words[2:3], "leave": words[2:3], "stack": words[2:3],
                     "mark": words[3:5], "point": words[2:3]}.get(words[0], []):
            time = int(word)
            self.base = time if self.base is None else min(self.base, time)
            self.end = time if self.end is None else max(self.end, time)

    def time(self, lane, word):
        """Return a time, which can be the last one of the lane."""
        time = int(word) - self.base
        self.last[lane] = max(self.last[lane], time)
        return time

    def do_lane(self, w):
        """lane NUMBER KIND PID TID CPU NAME"""
        self.lanes.append([LANES[int(w[1])], int(w[2]), int(w[3]), int(w[4]), string(w[5])])
        for what in (self.calls, self.samples, self.marks, self.points, self.open):
            what.append([])
        self.last.append(0)

    def do_name(self, w):
        """name NUMBER FUNCTION OBJECT ADDRESS"""
        self.names.append([string(w[1]), string(w[2]), w[3]])

    def do_enter(self, w):
        """enter LANE TIME NAME FLAGS"""
        lane = int(w[0])
        call = [self.time(lane, w[1]), None, len(self.open[lane]), int(w[2]), int(w[3])]
        self.calls[lane].append(call)
        self.open[lane].append(call)

    def ends(self, lane, time, flags):
        """End the newest call of a lane."""
        call = self.open[lane].pop()
        call[1] = time
        call[4] |= flags

    def do_leave(self, w):
        """leave LANE TIME FLAGS"""
        lane = int(w[0])
        self.ends(lane, self.time(lane, w[1]), int(w[2]))

    def do_stack(self, w):
        """stack LANE TIME WEIGHT NAME..."""
        lane = int(w[0])
        self.samples[lane].append([self.time(lane, w[1]), int(w[2]), list(map(int, w[3:]))])

    def do_mark(self, w):
        """mark LANE KIND BEGIN END VALUE [TEXT]"""
        lane = int(w[0])
        self.marks[lane].append([MARKS[int(w[1])], self.time(lane, w[2]), self.time(lane, w[3]),
                                 int(w[4]), string(w[5]) if len(w) > 5 else None])

    def do_point(self, w):
        """point LANE TIME VALUE WHAT"""
        lane = int(w[0])
        self.points[lane].append([string(w[3]), self.time(lane, w[1]), float(w[2])])

    def make_boxes(self, lane):
        """Return the boxes of the samples of a lane, by the rules of samples.h."""
        boxes, stack, usual = [], [], 0

        def leave(depth, time):
            while len(stack) > depth:
                stack.pop()[1] = time
        last = None
        for time, _, names in self.samples[lane]:
            if last is not None:
                distance = time - last
                lasts = distance
                if not usual:
                    lasts = usual = distance if distance <= LONGEST else 0
                elif distance // FAR > usual:
                    lasts = usual
                    usual = distance if usual > distance // 2 else usual * 2
                else:
                    usual = usual - usual // 8 + distance // 8
                if lasts < distance:
                    leave(0, last + lasts)
            last = time
            same = 0
            while same < min(len(names), len(stack)) and stack[same][3] == names[same]:
                same += 1
            leave(same, time)
            for name in names[same:]:
                stack.append([time, None, len(stack), name, 0])
                boxes.append(stack[-1])
        if last is not None:
            leave(0, min(last + usual, self.last[lane]))
        return boxes

    def flame(self, begin, end, samples, lane=None):
        """Return [path, value, number of calls] of the flame graph of a range, sorted."""
        nodes = {}
        for number in range(len(self.lanes)):
            if lane is not None and lane != number:
                continue
            path = [(1, 1)]
            for call in self.boxes[number] if samples else self.calls[number]:
                path[call[2] + 1:] = [step(path[call[2]], call[3])]
                if call[0] > end or call[1] < begin:
                    continue
                node = nodes.setdefault((call[2], path[-1]), [0, 0])
                if not samples:
                    node[0] += min(call[1], end) - max(call[0], begin)
                node[1] += call[0] >= begin
            for time, weight, names in self.samples[number] if samples else []:
                at = (1, 1)
                for depth, name in enumerate(names) if begin <= time <= end else []:
                    at = step(at, name)
                    nodes.setdefault((depth, at), [0, 0])[0] += weight
        return sorted([f"{depth} {at[0]} {at[1]}", *node] for (depth, at), node in nodes.items()
                      if node[0] or node[1])

    def matching(self, text):
        """Return the numbers of the names that a search finds."""
        if len(text) > 2 and text[0] == text[-1] == "/":
            return [i for i, n in enumerate(self.names) if re.search(text[1:-1], n[0])]
        return [i for i, n in enumerate(self.names) if text.lower() in n[0].lower()]

    def hits(self, names):
        """Return the calls of names by time and lane, as a search does; in a lane, as entered."""
        found = []
        for lane in range(len(self.lanes)):
            for samples, calls in ((0, self.calls[lane]), (1, self.boxes[lane])):
                found += [[c[0], lane, samples, c[2], c[3]] for c in calls if c[3] in names]
        return sorted(found, key=lambda h: h[:3])
