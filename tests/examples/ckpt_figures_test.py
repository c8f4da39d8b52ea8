#!/usr/bin/env python3
"""Compares, sums up and extracts tensors with the tool `ckpt`; the figures are computed here again.

    ckpt_figures_test.py TOOL GOLDEN_DIRECTORY

Needs a POSIX system and Python 3.6 with its standard library; functions are called after the cases
drawn from public bug reports where they are of one. Exit status: 0 passed, 1 failed.
"""

import math
import os
import random
import struct
import subprocess

from ckpt_tool_support import (ADAM_PARTS, CODES, NAMES, SPECIALS, WIDTHS, check, complains,
                               convert, elements, equal, onert_file, plain, read, read_npy,
                               read_safetensors, refuse, run, run_json, safetensors_file, specials,
                               start, write)


def difference(dtype, a, b):
    """What `diff` has to say of two tensors, computed here."""
    width = WIDTHS[dtype]
    is_real = dtype in SPECIALS
    said = {"elements": len(a) // width, "equal": a == b}
    if a == b:
        return said
    first, count, nans, largest, relative = None, 0, 0, 0.0 if is_real else 0, 0.0
    for i, (x, y) in enumerate(zip(elements(dtype, a), elements(dtype, b))):
        if a[i * width:(i + 1) * width] == b[i * width:(i + 1) * width]:
            continue
        count += 1
        first = (i, x, y) if first is None else first
        if is_real and (math.isnan(x) or math.isnan(y)):
            nans += 1
            continue
        apart = abs(x - y)
        most = max(abs(float(x)), abs(float(y)))
        largest = max(largest, apart)
        real = float(apart)
        relative = max(relative, real if math.isinf(real) else 0.0 if most == 0 else real / most)
    said.update({"different": count, "nan": nans, "max_abs": largest, "max_rel": relative,
                 "first": first[0], "a": first[1], "b": first[2]})
    return said


def same(found, expected):
    found = plain(found)
    if type(found) is not type(expected):
        return False
    return found == expected or (found != found and expected != expected)


def diff_of_every_dtype():
    chance = random.Random(11)
    one, two, wanted = [], [], {}
    for dtype in CODES:
        for form in range(4):
            width = WIDTHS[dtype]
            a = bytes(chance.randrange(256) for _ in range(40 * width))
            if form == 1 and dtype in SPECIALS:
                a = specials(dtype)
            if form == 2 and dtype in ("I64", "U64"):
                a = struct.pack("<Q", 1 << 63) * 3 + b"\xff" * 16 + b"\xff" * 7 + b"\x7f"
            b = bytearray(a)
            for _ in range((0, 3, 5, 60)[form]):
                at = chance.randrange(len(a) // width) * width
                b[at:at + width] = bytes(chance.randrange(256) for _ in range(width))
            if form == 1 and dtype in SPECIALS:  # 0 against -0, and another NaN
                b[5 * width:6 * width], b[:width] = a[6 * width:7 * width], a[width:2 * width]
            if dtype == "BOOL":
                a, b = bytes(x & 1 for x in a), bytes(x & 1 for x in b)
            name = "%s.%d" % (dtype, form)
            one.append((name, dtype, [len(a) // width], a))
            two.append((name, dtype, [len(a) // width], bytes(b)))
            wanted[name] = difference(dtype, a, bytes(b))
    write("d1.safetensors", safetensors_file(one))
    write("d2.safetensors", safetensors_file(list(reversed(two))))
    said = run_json(1, "diff", "d1.safetensors", "d2.safetensors")
    equal((said["equal"], said["structure"], said["by_position"]), (False, [], False), "diff")
    equal(len(said["tensors"]), len(wanted), "diff: tensors")
    for found in said["tensors"]:
        for key, value in wanted[found["name"]].items():
            check(same(found.get(key), value), "diff: %s of %s is %r instead of %r" %
                  (key, found["name"], found.get(key), value))
    text = run(1, "diff", "d1.safetensors", "d2.safetensors").stdout.decode()
    equal(text.count(" differ, max abs "), sum(not one["equal"] for one in wanted.values()),
          "diff: lines")
    check(text.endswith("different\n"), "diff: the last word")
    check(run(0, "diff", "d1.safetensors", "d1.safetensors").stdout.endswith(b"\nequal\n"), "diff")
    convert("d1.safetensors", "d1.v2", "--to", "v2")
    run(0, "diff", "d1.safetensors", "d1.v2")


def diff_of_structure():
    def f32(name, count, shape=None):
        return (name, "F32", shape or [count], bytes(4 * count))

    write("a.safetensors", safetensors_file([f32("x", 2), f32("y", 4), f32("z", 1)]))
    write("b.safetensors", safetensors_file([f32("y", 4, [2, 2]), ("z", "I32", [1], bytes(4)),
                                             f32("w", 3)]))
    said = run_json(1, "diff", "a.safetensors", "b.safetensors")
    found = {(one["what"], one["of"]): (one["a"], one["b"]) for one in said["structure"]}
    equal(found, {("tensor", "x"): ("f32 2", None), ("tensor", "w"): (None, "f32 3"),
                  ("form", "y"): ("f32 4", "f32 2x2"), ("form", "z"): ("f32 1", "i32 1")},
          "structure")
    equal(said["tensors"], [], "structure: nothing to compare")
    text = run(1, "diff", "a.safetensors", "b.safetensors").stdout.decode()
    check("tensor x: only in A: f32 2\n" in text and "form z: f32 1 | i32 1\n" in text, text)
    write("frozen.txt", "a f32 4 frozen\nb f32 2\nc f32 scalar\n")
    convert("sgd.ckpt", "plain.v2", "--to", "v2", "--model", "abc.txt")
    convert("sgd.ckpt", "frozen.v2", "--to", "v2", "--model", "frozen.txt")
    said = run_json(1, "diff", "plain.v2", "frozen.v2")
    equal(said["structure"], [{"what": "role", "of": "a", "a": "trainable", "b": "frozen"}],
          "roles")
    said = run_json(1, "diff", "abc.v2", "plain.v2")
    equal([(one["what"], one["of"]) for one in said["structure"]],
          [("optimizer", None), ("slot", "m"), ("slot", "v")], "slots")
    write("later.ckpt", onert_file(ADAM_PARTS, 1235, 8))
    said = run_json(1, "diff", "fx.ckpt", "later.ckpt", "--model", "abc.txt")
    equal(said["structure"], [{"what": "step", "of": None, "a": "1234", "b": "1235"},
                              {"what": "epoch", "of": None, "a": "7", "b": "8"}], "counters")
    said = run_json(0, "diff", "fx.ckpt", "abc.v2")
    equal((said["by_position"], len(said["tensors"]), said["tensors"][0]["dtype"]),
          (True, 9, "f32"), "by position")
    check(b"compared by position\n" in run(0, "diff", "fx.ckpt", "abc.v2").stdout, "by position")
    said = run_json(1, "diff", "fx.ckpt", "odd.ckpt")
    check(("size", "tensor.1") in [(one["what"], one["of"]) for one in said["structure"]], "sizes")
    for other in ("missing", "cut.ckpt", "sub"):
        done = run(2, "diff", "fx.ckpt", other)
        complains(done, other)
        check(run_json(2, "diff", other, "fx.ckpt")["error"]["kind"], "trouble in JSON")


def check_stats(found, name, values):
    finite = [value for value in values if math.isfinite(value)]
    equal((found["elements"], found["nan"], found["inf"]),
          (len(values), sum(value != value for value in values),
           sum(math.isinf(value) for value in values)), "stats: counts of " + name)
    if not finite:
        equal([found[key] for key in ("min", "max", "mean", "norm")], [None] * 4, "stats: " + name)
        return
    equal((found["min"], found["max"]), (min(finite), max(finite)), "stats: bounds of " + name)
    scale = max(abs(value) for value in finite) or 1
    mean = math.fsum(float(value) / scale for value in finite) / len(finite) * scale
    norm = math.sqrt(math.fsum((float(value) / scale) ** 2 for value in finite)) * scale
    for key, value in (("mean", mean), ("norm", norm)):
        if math.isinf(value):
            equal(plain(found[key]), value, "stats: %s of %s" % (key, name))
            continue
        check(abs(found[key] - value) <= 1e-12 * abs(value) + 1e-15 * scale * (key == "mean") +
              5e-324,
              "stats: %s of %s is %r instead of %r" % (key, name, found[key], value))


def stats_of_every_dtype():
    chance = random.Random(5)
    tensors = [("empty." + dtype, dtype, [0, 3], b"") for dtype in CODES]
    for dtype in CODES:
        width = WIDTHS[dtype]
        tensors.append((dtype, dtype, [200],
                        bytes(chance.randrange(256) for _ in range(200 * width))))
        if dtype in SPECIALS:
            tensors.append(("special." + dtype, dtype, [11], specials(dtype)))
    tensors.append(("nan", "F32", [2], bytes.fromhex("0000c07f0000c0ff")))
    tensors.append(("huge", "F64", [3], struct.pack("<3d", 1.5e308, 0.9e308, -1e300)))
    tensors.append(("beyond", "F64", [2], struct.pack("<2d", 1.5e308, 1.6e308)))
    tensors.append(("tiny", "F64", [2], struct.pack("<2d", 5e-324, -4e-320)))
    tensors.append(("cancels", "F64", [4], struct.pack("<4d", 1e16, 1.0, -1e16, 1.0)))
    tensors.append(("wide", "I64", [2], struct.pack("<2q", -(1 << 63), (1 << 63) - 1)))
    tensors = [one if one[1] != "BOOL" else one[:3] + (bytes(x & 1 for x in one[3]),)
               for one in tensors]
    write("stats.safetensors", safetensors_file(tensors))
    said = run_json(0, "inspect", "stats.safetensors", "--stats")["contents"]["tensors"]
    for found, (name, dtype, shape, data) in zip(said, tensors):
        equal((found["name"], found["dtype"], found["shape"], found["bytes"]),
              (name, NAMES[dtype], shape, len(data)), "stats: form")
        check_stats(found["stats"], name, elements(dtype, data))
    means = {found["name"]: found["stats"]["mean"] for found in said}
    equal(means["cancels"], 0.5, "stats: what a plain sum loses")
    text = run(0, "inspect", "stats.safetensors", "--stats").stdout.decode()
    check("index  name" in text and "norm  nan  inf\n" in text, "stats: text")


def extracted_arrays():
    descriptions = {"F32": "<f4", "F64": "<f8", "F16": "<f2", "BF16": "|V2", "I8": "|i1",
                    "U8": "|u1", "I16": "<i2", "U16": "<u2", "I32": "<i4", "U32": "<u4",
                    "I64": "<i8", "U64": "<u8", "BOOL": "|b1"}
    tensors = [(dtype, dtype, [2, 1, 3], bytes(range(6)) * WIDTHS[dtype]) for dtype in CODES]
    tensors.append(("scalar", "F32", [], b"abcd"))
    write("e.safetensors", safetensors_file(tensors))
    for name, dtype, shape, data in tensors:
        run(0, "extract", "e.safetensors", name, "--npy", "e.%s.npy" % name)
        equal(read_npy("e.%s.npy" % name), (descriptions[dtype], tuple(shape), data), "extract")
    said = run_json(0, "extract", "abc.v2", "b", "--slot", "v", "--npy", "bv.npy")
    equal(said, {"file": "abc.v2", "name": "b", "slot": "v", "output": "bv.npy", "dtype": "f32",
                 "shape": [2], "bytes": 8}, "extract: JSON")
    equal(read_npy("bv.npy"), ("<f4", (2,), ADAM_PARTS[2][1]), "extract: a slot")
    run(0, "extract", "fx.ckpt", "tensor.2", "--npy", "t2.npy")
    equal(read_npy("t2.npy"), ("|u1", (4,), ADAM_PARTS[0][2]), "extract: raw bytes")
    refuse(1, ["no tensor 'q'"], "extract", "abc.v2", "q", "--npy", "no.npy")
    refuse(1, ["no slot 'q'", "m, v"], "extract", "abc.v2", "a", "--slot", "q", "--npy", "no.npy")
    refuse(2, ["--force"], "extract", "abc.v2", "a", "--npy", "bv.npy")
    refuse(1, ["absent"], "extract", "fx.micro", "tensor.0", "--npy", "no.npy")
    equal(run_json(1, "extract", "abc.v2", "q", "--npy", "no.npy")["error"]["kind"],
          "no_such_tensor", "extract: JSON of a failure")
    # Arrays are sources, too, and many of them make a directory.
    convert("e.F64.npy", "e1.v2", "--to", "v2")
    equal(run_json(0, "inspect", "e1.v2")["contents"]["tensors"][0]["name"], "e.F64", "npy: name")
    convert("e1.v2", "e2.npy")
    equal(read("e2.npy"), read("e.F64.npy"), "npy and back")
    refuse(1, ["one tensor"], "convert", "e.safetensors", "no.npy")
    refuse(1, ["--slots drop"], "convert", "abc.v2", "no", "--to", "npy")
    convert("e.safetensors", "arrays", "--to", "npy")
    equal(sorted(os.listdir("arrays")), sorted(one[0] + ".npy" for one in tensors), "npy directory")
    write("bf.txt", "e.BF16 bf16 2x1x3\n")
    refuse(1, [], "convert", "e.BF16.npy", "no", "--to", "v2")
    convert("e.BF16.npy", "bf.v2", "--to", "v2", "--model", "bf.txt")
    equal(run_json(0, "inspect", "bf.v2")["contents"]["tensors"][0]["dtype"], "bf16", "V2 as bf16")


def hostile_names():
    names = ["\x1b[2J", "line\nfeed", "tab\t", "quote\"", "back\\slash", "../../etc/x", "/etc/x",
             "\u202egnp.exe", "\u0085", "\u7532\u9aa8", "\U0001f600", "visits", "# comment",
             "a b", "..", "CON", "x" * 300, "\x7f", "%s%n", "0", "-"]
    tensors = [(name, "U8", [1], bytes([i])) for i, name in enumerate(names)]
    write("h.safetensors", safetensors_file(tensors))
    convert("h.safetensors", "h.v2", "--to", "v2")
    for file in ("h.safetensors", "h.v2"):
        said = run_json(0, "inspect", file)["contents"]
        equal([one["name"] for one in said["tensors"]], names, "hostile names in JSON")
        for words in (["inspect", file], ["inspect", file, "--stats"],
                      ["diff", file, "h.other.safetensors"]):
            write("h.other.safetensors", safetensors_file(
                [(name, "U8", [1], b"\xff") for name in names[:-1]]))
            done = run(1 if words[0] == "diff" else 0, *words)
            text = done.stdout.decode("utf-8")
            check(not any(ord(c) < 32 and c != "\n" or 0x7f <= ord(c) < 0xa0 or c == "\u202e"
                          for c in text), "hostile names in text: %r" % words)
            check("\\x1b[2J" in text and "line\\x0afeed" in text and "\\u202e" in text, "escapes")
    text = run(0, "inspect", "h.v2", "--model-text").stdout
    write("h.txt", text)
    convert("h.v2", "h.ckpt", "--to", "onert", "--model", "h.txt")
    convert("h.ckpt", "h2.safetensors", "--to", "safetensors", "--model", "h.txt")
    equal(read_safetensors("h2.safetensors")[1], tensors, "hostile names by way of a model file")
    for kind in ("oneflow", "paddle", "npy"):
        target = "hostile_" + kind
        done = run(1, "convert", "h.v2", target, "--to", kind)
        check(b"\x1b" not in done.stderr and not os.path.exists(target), "hostile: " + kind)
        for name in ["../x", "a/b", "nul", "x:y", "a\\b"] + ([".."] if kind != "npy" else []):
            write("h1.safetensors", safetensors_file([(name, "U8", [1], b"1")]))
            refuse(1, [], "convert", "h1.safetensors", target, "--to", kind)
    done = run(1, "extract", "h.v2", "no\x1bne", "--npy", "no.npy")
    check(b"\x1b" not in done.stderr, "a name of the command line plays tricks")
    write("h.map", '"\\u001b" "\\u001b[2J"\n"0" a\n')
    done = run(1, "convert", "h.v2", "no", "--to", "v2", "--map", "h.map")
    check(b"\x1b" not in done.stderr and b"'a'" in done.stderr, "hostile: map")


def quiet_without_a_terminal():
    for words in (["inspect", "abc.v2", "--stats"], ["diff", "abc.v2", "abc.v2"],
                  ["convert", "abc.v2", "quiet.v2", "--to", "v2"]):
        equal(run(0, *words).stderr, b"", "errors of %r" % words)


def n7_locale():
    known = subprocess.run(["locale", "-a"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wanted = [name for name in known.stdout.decode("ascii", "replace").split()
              if name.lower().startswith("de_de")]
    if not wanted:
        print("SKIPPED: a German locale is not installed (it is asked for all the same)")
    there = dict(os.environ, LC_ALL=wanted[0] if wanted else "de_DE.UTF-8")
    here = dict(os.environ, LC_ALL="C")
    convert(write("rate.safetensors", safetensors_file([], {
        "ckpt.format": "1", "ckpt.model": "", "ckpt.step": "1234567", "ckpt.epoch": "1",
        "ckpt.learning_rate": "3f50624dd2f1a9fc"})), "rate.v2", "--to", "v2")
    check(b"learning rate  0.001\n" in run(0, "inspect", "rate.v2").stdout, "N7: a real")
    for words in (["inspect", "stats.safetensors", "--stats", "--json"], ["inspect", "rate.v2"],
                  ["inspect", "abc.v2", "--model-text"],
                  ["inspect", "stats.safetensors", "--stats"],
                  ["diff", "d1.safetensors", "d2.safetensors", "--json"]):
        status = 1 if words[0] == "diff" else 0
        equal(run(status, *words, env=there).stdout, run(status, *words, env=here).stdout,
              "N7: %r" % words)


if __name__ == "__main__":
    start(__doc__, [diff_of_every_dtype, diff_of_structure, stats_of_every_dtype,
                   extracted_arrays, hostile_names, quiet_without_a_terminal, n7_locale])
