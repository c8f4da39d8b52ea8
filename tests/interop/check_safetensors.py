"""Checks that safetensors files go both ways between ckpt and a reader that shares no line with it.

usage: check_safetensors.py PROGRAM
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

import strict_safetensors
from strict_safetensors import WIDTHS, make, parse

PROGRAM = sys.argv[1]
NAMES = {"BOOL": "boolean"}


def run(*words):
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, encoding="utf-8", check=False)


def read(name):
    with open(name, "rb") as file:
        return file.read()


def write(name, content):
    with open(name, "wb") as file:
        file.write(content)


def line(section, name, dtype, shape, content):
    extents = "x".join(str(extent) for extent in shape) or "scalar"
    return '%d %s %s %s %s' % (section, json.dumps(name, ensure_ascii=False),
                               NAMES.get(dtype, dtype.lower()), extents, content.hex())


def payload(size, index, section):
    return bytes((k * 7 + index * 31 + section * 101) & 255 for k in range(size))


def check_ours(name):
    """What ckpt writes is what the specification says, and what was to be written."""
    assert run("write_safetensors", name).returncode == 0
    content = read(name)
    metadata, tensors = parse(content)
    size = struct.unpack_from("<Q", content)[0]
    assert size % 8 == 0 and (8 + size) % 64 == 0
    expected = {}
    for section, prefix in enumerate(("", "m~/", "v/")):
        for index, (key, dtype, shape, trainable) in enumerate((
                ("fc.weight", "F32", [4, 3], True), ("fc.bias", "F16", [3], True),
                ("m/fc.bias", "U8", [3], True), ("table \"\u00e4\"", "I64", [], False),
                ("nothing", "BF16", [2, 0], True)), 1):
            count = 1
            for extent in shape:
                count *= extent
            if section == 0 or trainable:
                expected[prefix + key] = (dtype, shape,
                                          payload(count * WIDTHS[dtype], index, section))
    assert tensors == expected, tensors
    assert list(json.loads(content[8:8 + size])) == ["__metadata__", *expected]
    assert metadata["ckpt.step"] == "1234" and metadata["ckpt.epoch"] == "7"
    assert metadata["ckpt.optimizer"] == "adam"
    rate = struct.unpack(">d", bytes.fromhex(metadata["ckpt.learning_rate"]))[0]
    assert rate == 0.001
    return metadata, tensors


def check_rewritten(name, metadata, tensors):
    """Another program may sort keys and data as it likes; the checkpoint stays what it was."""
    again, copy = name + ".again", name + ".copy"
    shuffled = dict(sorted(tensors.items(), reverse=True))
    write(again, make(shuffled, dict(sorted(metadata.items(), reverse=True)), sorted(tensors)))
    copied = run("copy_safetensors", again, copy)
    assert copied.returncode == 0, copied.stdout
    assert read(copy) == read(name)


def check_foreign(name):
    """A file of others, with every dtype, is read as weights."""
    tensors = {}
    for index, dtype in enumerate(sorted(WIDTHS)):
        for shape in ([], [0], [3], [2, 1, 2]):
            count = 1
            for extent in shape:
                count *= extent
            key = "%s.%s.\u00e4\n" % (dtype, len(shape))
            tensors[key + str(shape)] = (dtype, shape, payload(count * WIDTHS[dtype], index, 0))
    expected = [line(0, key, *tensor) for key, tensor in tensors.items()]
    for metadata in (None, {}, {"format": "pt", "author": "\u00e4"}):
        write(name, make(tensors, metadata, sorted(tensors)))
        shown = run("read_safetensors", name)
        assert shown.returncode == 0, shown.stdout
        assert shown.stdout.splitlines() == [*expected, "step 0 epoch 0"]


def check_refused(name):
    """What the strict reader refuses, ckpt refuses, too."""
    good = {"a": ("U8", [4], b"aaaa"), "b": ("U8", [4], b"bbbb")}
    content = make(good)
    for old, new in ((b"[0, 4]", b"[0, 5]"), (b"[4, 8]", b"[5, 8]"), (b"[4, 8]", b"[3, 7]"),
                     (b'"b"', b'"a"'), (b'[4, 8]', b'[8, 4]'), (b'"U8"', b'"U7"'),
                     (b"[4]", b"[5]"), (b"{", b" "), (b"bbbb", b"bbb"), (b"bbbb", b"bbbbb")):
        damaged = content.replace(old, new, 1)
        assert damaged != content
        try:
            parse(damaged)
            raise AssertionError("the strict reader takes " + repr(new))
        except (strict_safetensors.Refused, KeyError, ValueError):
            pass
        write(name, damaged)
        assert run("read_safetensors", name).returncode == 1, new


with tempfile.TemporaryDirectory() as directory:
    sample = os.path.join(directory, "sample.safetensors")
    check_rewritten(sample, *check_ours(sample))
    check_foreign(os.path.join(directory, "foreign.safetensors"))
    check_refused(os.path.join(directory, "bad.safetensors"))
print("safetensors: both ways")
