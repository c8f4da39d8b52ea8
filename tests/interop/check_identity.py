#!/usr/bin/env python3
"""Reads onert_plus, onert_micro_plus and v2 files without ckpt and computes every offset, checksum
and fingerprint in them again.

    check_identity.py IDENTITY_DIRECTORY [UNIT_TESTS]

The files of tests/data/identity are text: hexadecimal bytes with the offset of each field in its
comment, which is checked, too. With the program of the unit tests, the files that the library
writes are read as well. What is checked follows the byte pictures in the headers of ckpt/format.
Needs Python 3.6 with its standard library. Exit status: 0 passed, 1 failed.
"""

import os
import re
import struct
import subprocess
import sys
import tempfile

MAGIC = bytes.fromhex("8a636b707449440a")
WIDTHS = [4, 8, 2, 2, 1, 1, 2, 2, 4, 4, 8, 8, 1]  # by dtype
TRAINABLE, FROZEN, ABSENT = 0, 1, 2
LEAST_FILES = 5
WRITER_TEST = "files for a reader that is not ckpt's"


class Wrong(Exception):
    """A file is not what its format says."""


def demand(condition, what, *figures):
    if not condition:
        raise Wrong(what + "".join(" %s" % (figure,) for figure in figures))


def make_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


CRC_TABLE = make_table()


def crc32c(data, before=0):
    state = before ^ 0xFFFFFFFF
    for byte in data:
        state = state >> 8 ^ CRC_TABLE[(state ^ byte) & 0xFF]
    return state ^ 0xFFFFFFFF


def number(data, at, width):
    demand(at + width <= len(data), "the file ends in front of byte", at + width)
    return int.from_bytes(data[at:at + width], "little")


def up_to(value, multiple):
    return (value + multiple - 1) // multiple * multiple


class Reader:
    """The next fields of some bytes."""

    def __init__(self, data, at=0):
        self.data = data
        self.at = at

    def take(self, width):
        value = number(self.data, self.at, width)
        self.at += width
        return value

    def name(self, size):
        demand(self.at + size <= len(self.data), "a name leaves the manifest")
        raw = self.data[self.at:self.at + size]
        self.at += size
        while self.at % 4:
            demand(self.take(1) == 0, "no zero behind a name at", self.at - 1)
        demand(b"\0" not in raw, "a zero in a name")
        return raw.decode("utf-8")  # strict

    def extents(self, rank):
        demand(rank <= 8, "rank", rank)
        return [self.take(8) for _ in range(rank)]


def size_of(dtype, extents):
    count = WIDTHS[dtype]
    for extent in extents:
        count *= extent
    return count


class Manifest:
    def __init__(self, data):
        demand(data[:8] == MAGIC, "no manifest")
        fields = Reader(data, 8)
        self.major, self.minor = fields.take(2), fields.take(2)
        self.total = fields.take(4)
        self.count, self.slots, visits, flags = (fields.take(4) for _ in range(4))
        fingerprint = fields.take(8)
        names, self.checksums = fields.take(4), fields.take(4)
        demand((self.major, self.minor) == (1, 0), "version", self.major, self.minor)
        demand(flags <= 1, "flags", flags)
        demand(self.total == self.checksums + 4 * (1 + self.slots) * self.count + 4,
               "length", self.total)
        self.data = data[:self.total]
        demand(len(self.data) == self.total, "the file ends in the manifest")

        tensors = []
        for _ in range(self.count):
            dtype, role, rank, zero = (fields.take(1) for _ in range(4))
            demand(dtype < len(WIDTHS) and role <= ABSENT and zero == 0, "record of", len(tensors))
            name_bytes = fields.take(4)
            tensors.append((dtype, role, name_bytes, fields.extents(rank)))
        forms = []
        for _ in range(self.slots * self.count if flags else 0):
            dtype, zero, rank, other = (fields.take(1) for _ in range(4))
            demand(dtype < len(WIDTHS) and zero == other == 0, "form", len(forms))
            forms.append((dtype, fields.extents(rank)))
        self.visits = [fields.take(4) for _ in range(visits)]
        demand(all(visit < self.count for visit in self.visits), "visits", self.visits)
        lengths = [fields.take(4) for _ in range(1 + self.slots)]
        names_begin = fields.at
        self.optimizer = fields.name(lengths[0])
        self.slot_names = [fields.name(size) for size in lengths[1:]]
        self.names = [fields.name(tensor[2]) for tensor in tensors]
        demand(fields.at - names_begin == names, "bytes of names", names)
        demand(fields.at == self.checksums, "the checksums begin at", self.checksums)
        demand(fingerprint == self.fingerprint(), "fingerprint %x" % fingerprint)

        # The size of every payload, section by section.
        self.roles = [tensor[1] for tensor in tensors]
        self.sizes = []
        for section in range(1 + self.slots):
            for i, (dtype, role, _, extents) in enumerate(tensors):
                if section and flags:
                    dtype, extents = forms[(section - 1) * self.count + i]
                is_kept = role == TRAINABLE or (role == FROZEN and section == 0)
                self.sizes.append(size_of(dtype, extents) if is_kept else 0)

    def fingerprint(self):
        words = struct.unpack("<%dI" % (self.checksums // 4), self.data[:self.checksums])
        said = words[4:8] + words[12:]
        if len(said) % 2:
            said += (0,)
        state = len(words)
        for low, high in zip(said[::2], said[1::2]):
            state = (state ^ low ^ high << 32) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
            state ^= state >> 32
        return state

    def checksum(self, which):
        return number(self.data, self.checksums + 4 * which, 4)

    @property
    def frame_checksum(self):
        return number(self.data, self.total - 4, 4)


class Claims:
    """Every byte of a file belongs to one part, or is a zero between two."""

    def __init__(self, data):
        self.data = data
        self.parts = []

    def add(self, begin, size, what):
        demand(begin + size <= len(self.data), what, "leaves the file")
        if size:
            self.parts.append((begin, begin + size, what))

    def check(self):
        at = 0
        for begin, end, what in sorted(self.parts):
            demand(begin >= at, what, "overlaps what is in front of it at", begin)
            demand(not any(self.data[at:begin]), "padding in front of", what)
            at = end
        demand(at == len(self.data), "bytes behind the end", at)


def check_payloads(data, manifest, claims, offsets):
    for k, (offset, size) in enumerate(zip(offsets, manifest.sizes)):
        claims.add(offset if size else 0, size, "payload %d" % k)
        found = crc32c(data[offset:offset + size]) if size else 0
        demand(found == manifest.checksum(k), "checksum of payload", k)


def check_schema1(data):
    opt1, opt2, other, count = (number(data, at, 4) for at in (4, 8, 12, 16))
    demand(data[3] == 0, "reserved byte")
    manifest = Manifest(data[20 + 4 * count:])
    demand(manifest.count == count, "two numbers of tensors")
    demand(manifest.slots <= 2, "slots", manifest.slots)
    is_micro = opt1 == 0 or any(number(data, 20 + 4 * i, 4) == 0 for i in range(count))
    claims = Claims(data)
    claims.add(0, 20 + 4 * count + manifest.total, "head")
    offsets = []
    end = 20 + 4 * count + manifest.total
    for section in range(1 + manifest.slots):
        table = 20
        if section:
            table = end
            demand((opt1, opt2)[section - 1] == table, "section", section)
            claims.add(table, 4 * count, "table")
            end += 4 * count
        end = up_to(end, 64)
        for i in range(count):
            is_listed = not is_micro or manifest.roles[i] != ABSENT
            entry = number(data, table + 4 * i, 4)
            demand(entry == (end if is_listed else 0), "offset", section, i)
            offsets.append(entry)
            end += manifest.sizes[section * count + i]
    if manifest.slots == 0:
        demand(opt1 == (0 if is_micro else end), "opt1", opt1)
        if not is_micro and count > 2:
            end += 4 * count - 8
    if manifest.slots < 2:
        demand(opt2 == 0, "opt2", opt2)
    demand(other == end and other + 8 == len(data), "footer", other)
    claims.add(other, 8, "footer")
    check_payloads(data, manifest, claims, offsets)
    claims.check()

    frame = crc32c(data[:20 + 4 * count + manifest.total - 4])
    for section in range(manifest.slots):
        table = (opt1, opt2)[section]
        frame = crc32c(data[table:table + 4 * count], frame)
    frame = crc32c(data[other:], frame)
    demand(frame == manifest.frame_checksum, "checksum of the frame")
    return manifest


def check_values(data):
    """Records of a key and a value, in the order of the keys."""
    fields = Reader(data)
    last = b""
    while fields.at < len(data):
        key_bytes, kind, zero, value_bytes = (fields.take(width) for width in (2, 1, 1, 4))
        demand(1 <= kind <= 4 and zero == 0, "value")
        demand(kind > 2 or value_bytes == 8, "size of a number", value_bytes)
        key = data[fields.at:fields.at + key_bytes]
        demand(last < key, "order of keys", key)
        last = key
        fields.at += key_bytes + value_bytes
        demand(fields.at <= len(data), "a value leaves the state section")
        while fields.at % 4:
            demand(fields.take(1) == 0, "no zero behind a value")


def check_schema2(data):
    demand(len(data) >= 64 and data[3] == 0 and not any(data[44:64]), "header")
    count, slots, alignment = (number(data, at, 4) for at in (4, 8, 12))
    size, first, state = (number(data, at, 8) for at in (16, 24, 32))
    state_bytes = number(data, 40, 4)
    demand(size == len(data) == state + state_bytes, "size", size)
    demand(alignment in [1 << k for k in range(13)], "alignment", alignment)
    demand(first == 64 + 8 * (1 + slots) * count, "manifest", first)
    manifest = Manifest(data[first:])
    demand((manifest.count, manifest.slots) == (count, slots), "two numbers of tensors or slots")
    claims = Claims(data)
    claims.add(0, first + manifest.total, "head")
    claims.add(state, state_bytes, "state section")
    end = first + manifest.total
    offsets = []
    for k, payload_bytes in enumerate(manifest.sizes):
        if payload_bytes:
            end = up_to(end, alignment)
        offsets.append(number(data, 64 + 8 * k, 8))
        demand(offsets[-1] == end, "offset", k, offsets[-1])
        end += payload_bytes
    demand(state == up_to(end, 8), "state section", state)
    check_payloads(data, manifest, claims, offsets)
    claims.check()

    value_bytes = number(data, state + 80, 4)
    demand(88 + value_bytes <= state_bytes, "values", value_bytes)
    check_values(data[state + 88:state + 88 + value_bytes])
    demand(not any(data[state + 84:state + 88]) and not any(data[state + 88 + value_bytes:]),
           "zeros of the state section")
    frame = crc32c(data[:first + manifest.total - 4])
    demand(crc32c(data[state:], frame) == manifest.frame_checksum, "checksum of the frame")
    return manifest


def check(data):
    demand(number(data, 0, 2) == 429, "magic")
    schema = number(data, 2, 1)
    demand(schema in (1, 2), "schema", schema)
    return check_schema1(data) if schema == 1 else check_schema2(data)


def from_text(path):
    """Bytes of a hexadecimal text; the comment of each line begins with its offset."""
    data = bytearray()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            code, _, comment = line.partition("#")
            if not code.strip():
                continue
            said = re.match(r" +(\d+) ", comment)
            demand(said and int(said.group(1)) == len(data), "offset in the comment of", line)
            for token in code.split():
                value, _, times = token.partition("*")
                data += bytes([int(value, 16)]) * int(times or 1)
    return bytes(data)


def must_fail(data, name):
    """The checks above are worth something: each flipped byte of a golden file is found."""
    for at in range(0, len(data), 1 if len(data) < 600 else 7):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        try:
            check(bytes(damaged))
        except (Wrong, UnicodeDecodeError, IndexError, OverflowError, MemoryError):
            continue
        raise Wrong("byte %d of %s was changed and nobody has seen it" % (at, name))


def main():
    directory = sys.argv[1]
    names = sorted(name for name in os.listdir(directory) if name.endswith(".hex"))
    demand(len(names) >= LEAST_FILES, "files in", directory)
    for name in names:
        data = from_text(os.path.join(directory, name))
        check(data)
        must_fail(data, name)
    print("%d files written by hand are right" % len(names))
    if len(sys.argv) < 3:
        return
    with tempfile.TemporaryDirectory() as written:
        environment = dict(os.environ, CKPT_WRITE_TO=written)
        subprocess.check_call([sys.argv[2], "--test-case=" + WRITER_TEST, "--no-skip"],
                              env=environment, stdout=subprocess.DEVNULL)
        files = sorted(os.listdir(written))
        demand(len(files) >= 20, "files that the library has written:", len(files))
        fingerprints = {}
        for name in files:
            with open(os.path.join(written, name), "rb") as file:
                says = check(file.read())
            # model.optimizer.format
            fingerprints.setdefault(name.rpartition(".")[0], set()).add(says.fingerprint())
        demand(all(len(found) == 1 for found in fingerprints.values()),
               "one fingerprint a model and optimizer, whatever the format:", fingerprints)
        distinct = set.union(*fingerprints.values())
        demand(len(distinct) == len(fingerprints), "different models have different fingerprints")
        print("%d files written by the library are right" % len(files))


if __name__ == "__main__":
    try:
        main()
    except Wrong as wrong:
        print("FAILED: %s" % wrong)
        sys.exit(1)
