#!/usr/bin/env python3
"""Checks the JSON of the tool `ckpt` against files that the real exporters wrote.

    ckpt_tool_test.py TOOL GOLDEN_DIRECTORY [--few-cuts]

What a golden file holds is taken from cases.json, which was made without ckpt. Every cut of every
file is tried; --few-cuts leaves most of those beyond 2 kB out, for slow hosts. Needs a POSIX system
and Python 3.6 with its standard library. Exit status: 0 passed, 1 failed.
"""

import json
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

INSPECT_KEYS = ["file", "dialect", "schema", "file_bytes", "tensor_count", "slot_count", "step",
                "epoch", "sections"]
ERROR_KEYS = ["kind", "section", "tensor", "offset", "expected", "found", "message"]
FIXTURES = {
    "adam": "ad0101003c000000640000008c00000003000000200000003000000038000000"
            "1010101010101010101010101010101011111111111111111212121248000000"
            "5800000060000000202020202020202020202020202020202121212121212121"
            "2222222270000000800000008800000030303030303030303030303030303030"
            "313131313131313132323232d204000007000000",
    "plain": "ad01010000000000000000003c00000003000000200000003000000038000000"
             "10101010101010101010101010101010111111111111111112121212d2040000"
             "07000000",
    "sgd_o": "ad0101003c000000000000003c00000003000000200000003000000038000000"
             "10101010101010101010101010101010111111111111111112121212d2040000"
             "00000000",
    "sparse": "ad01010000000000000000004000000005000000000000003000000000000000"
              "2800000000000000131313131313131311111111111111111111111111111111"
              "3700000002000000",
    "frozen": "ad0101003c0000005c0000007c00000003000000200000003000000038000000"
              "1010101010101010101010101010101011111111111111111212121248000000"
              "5800000058000000202020202020202020202020202020202222222268000000"
              "7800000078000000303030303030303030303030303030303232323209000000"
              "00000000",
    "empty_model": "ad010100000000000000000014000000000000000000000000000000",
}

checks = 0
failures = 0


def check(holds, what):
    global checks, failures
    checks += 1
    if holds:
        return
    failures += 1
    print("FAILED: " + what, file=sys.stderr)


def equal(found, expected, what):
    check(found == expected, "%s is %r instead of %r" % (what, found, expected))


def run(arguments, **options):
    done = subprocess.run([tool] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **options)
    report = b"Sanitizer" in done.stderr or b"runtime error" in done.stderr
    check(not report and done.returncode in (0, 1, 2),
          "%r: status %d, %r" % (arguments[:3], done.returncode, done.stderr[:2000]))
    return done


def no_repeated_keys(pairs):
    check(len({key for key, _ in pairs}) == len(pairs), "a key is repeated: %r" % (pairs,))
    return dict(pairs)


def parse(text, what):
    check(text.endswith(b"\n") and all(byte < 128 for byte in text), what + " is not ASCII lines")
    return json.loads(text.decode("ascii"), object_pairs_hook=no_repeated_keys)


def check_error(error, what):
    equal(list(error), ERROR_KEYS, what + ": keys of the error")
    check(isinstance(error["kind"], str) and error["message"], what + ": empty error")
    check(error["section"] in (None, "header", "weights", "m", "v", "footer"), what + ": section")
    for key in ("tensor", "offset", "expected", "found"):
        check(error[key] is None or type(error[key]) is int, "%s: %s" % (what, key))
    for key in ("expected", "found"):
        check(error[key] is None or str(error[key]) in error["message"], what + ": message")


def inspect(name, status, *options):
    done = run(["inspect", name, "--json"] + list(options))
    equal(done.returncode, status, "%r: exit status" % (name,))
    what = "inspect %r" % (name,)
    said = parse(done.stdout, what)
    equal(list(said), INSPECT_KEYS + (["error"] if status != 0 else []), what + ": keys")
    if status != 0:
        check_error(said["error"], what)
    for section in said["sections"]:
        equal(list(section), ["name", "offset", "tensors"], what + ": keys of a section")
        for index, entry in enumerate(section["tensors"]):
            equal(list(entry), ["index", "offset", "bytes", "stored"], what + ": keys of a tensor")
            equal(entry["index"], index, what + ": index")
    return said


def verify(names, *options):
    """Exit status and one object for each name."""
    done = run(["verify", "--json"] + list(options) + ["--"] + names)
    said = [parse(line + b"\n", "verify") for line in done.stdout.splitlines()]
    equal(len(said), len(names), "objects of verify")
    for one in said:
        equal(list(one), ["file", "valid", "dialect", "error"], "verify: keys")
        check(one["valid"] == (one["error"] is None), "verify: valid or error, not both")
        if one["error"] is not None:
            check_error(one["error"], "verify " + one["file"])
    return done.returncode, said


def write(name, content):
    with open(name, "wb") as file:
        file.write(content)
    return name


# ---- Golden files

def expected_dialect(case):
    by_folder = {"onert-merged": "onert", "onert-merged-v0": "onert-v0",
                 "onert-micro": "onert-micro", "wof": "wof"}
    return by_folder.get(case["dialect"]) or "draft-" + case["case"].split("_")[0]


def weight_bytes(case, tensor, is_stored):
    if case["dialect"] == "onert-micro":
        return tensor["stored_bytes"]
    if case["dialect"] == "wof":
        size = 4
        for extent in tensor["shape"]:
            size *= extent
        return size if is_stored else 0
    return tensor["bytes"]


def slot_bytes(case, tensor):
    key = "stored_bytes" if case["dialect"] == "onert-micro" else "slot_bytes"
    return tensor[key]


def check_section(case, section, slot, table_offset, offsets):
    what = "%s %s" % (case["case"], "wmv"[slot])
    equal(section["name"], ("weights", "m", "v")[slot], what + ": name")
    equal(section["offset"], table_offset, what + ": offset")
    equal([entry["offset"] for entry in section["tensors"]], offsets, what + ": offsets")
    may_skip = case["dialect"] in ("onert-micro", "wof")
    has_copies = any(tensor.get("stored_times", 1) > 1 for tensor in case["tensors"])
    for tensor, entry, offset in zip(case["tensors"], section["tensors"], offsets):
        is_stored = not may_skip or offset != 0
        equal(entry["stored"], is_stored, what + ": stored")
        size = slot_bytes(case, tensor) if slot else weight_bytes(case, tensor, is_stored)
        if has_copies and is_stored:
            check(entry["bytes"] >= size, what + ": bytes")
        else:
            equal(entry["bytes"], size, what + ": bytes")


def check_golden(case):
    name = os.path.join(golden, case["file"])
    dialect = expected_dialect(case)
    is_refused = dialect in ("wof", "draft-d2", "draft-d3")
    said = inspect(name, 1 if is_refused else 0)
    what = case["case"]
    slots = [case["offsets"][key] for key in "mv" if case["offsets"][key]]
    header = case["header"]
    equal(said["file"], name, what + ": file")
    equal(said["dialect"], dialect, what + ": dialect")
    equal(said["schema"], 1, what + ": schema")
    equal(said["file_bytes"], case["size"], what + ": file_bytes")
    equal(said["tensor_count"], header["n_buffers"], what + ": tensor_count")
    equal(said["slot_count"], len(slots), what + ": slot_count")
    has_footer = dialect in ("onert", "onert-v0", "onert-micro")
    equal(said["step"], case["step"] if has_footer else None, what + ": step")
    equal(said["epoch"], case["epoch"] if has_footer else None, what + ": epoch")
    equal(len(said["sections"]), 1 + len(slots), what + ": sections")
    tables = [8 if dialect == "wof" else 20, header.get("opt1_offset"), header.get("opt2_offset")]
    for slot, section in enumerate(said["sections"]):
        check_section(case, section, slot, tables[slot], case["offsets"]["wmv"[slot]])
    status, verdict = verify([name])
    equal(status, 1 if is_refused else 0, what + ": status of verify")
    equal(verdict[0]["dialect"], dialect, what + ": dialect of verify")
    equal(verdict[0]["error"], said.get("error"), what + ": error of verify")


def check_refusals():
    kinds = {"wof/wof_fc.wof": "unsupported_dialect", "wof/wof_cnn.wof": "unsupported_dialect",
             "onert-draft/d2_adam_2t.ckpt": "truncated", "onert-draft/d3_sgd_2t.ckpt": "no_footer"}
    for name, kind in kinds.items():
        equal(inspect(os.path.join(golden, name), 1)["error"]["kind"], kind, name)


def check_header_only():
    """The first 460 bytes of a file of 41,843,548: everything that its header tells is told."""
    said = inspect(os.path.join(golden, "header-only", "mbv2_seed000_first460.bin"), 1)
    equal(said["error"]["kind"], "truncated", "header-only: kind")
    equal(said["error"]["expected"], 41843548, "header-only: expected")
    equal(said["error"]["found"], 460, "header-only: found")
    equal((said["dialect"], said["schema"], said["file_bytes"]), (None, 1, 460), "header-only")
    equal((said["tensor_count"], said["slot_count"]), (110, 2), "header-only: counts")
    equal((said["step"], said["epoch"]), (None, None), "header-only: counters")
    equal([section["name"] for section in said["sections"]], ["weights"], "header-only: sections")
    tensors = said["sections"][0]["tensors"]
    equal([entry["offset"] for entry in tensors[:4]], [460, 14284, 15052, 33484], "header-only")
    equal(sum(entry["bytes"] for entry in tensors), 13947400, "header-only: bytes")


# ---- Cuts

def cut_lengths(size, every):
    if every:
        return list(range(size - 1, -1, -1))
    return [n for n in range(size - 1, -1, -1) if n < 2048 or (n - 2048) % 97 == 0]


def check_cuts(content, what, kinds, every):
    """No cut may be valid. A few files are shortened again and again, so little is written."""
    lengths = cut_lengths(len(content), every)
    names = ["cut%d" % i for i in range(min(400, len(lengths)))]
    for name in names:
        write(name, content)
    for first in range(0, len(lengths), len(names)):
        batch = lengths[first:first + len(names)]
        for name, length in zip(names, batch):
            os.truncate(name, length)
        status, said = verify(names[:len(batch)], *(["--slots", "any"] if kinds is None else []))
        check(status == (1 if kinds else status), "%s: status of cuts" % what)
        for length, one in zip(batch, said) if kinds else ():
            check(not one["valid"], "%s cut to %d bytes is valid" % (what, length))
            kind = one["error"] and one["error"]["kind"]
            wanted = ["empty_file"] if length == 0 else kinds
            check(kind in wanted, "%s cut to %d bytes: %s" % (what, length, kind))
    return len(lengths)


def check_all_cuts(cases, every):
    count = 0
    for case in cases:
        kinds = ["truncated"]
        if case["dialect"] == "wof":
            kinds += ["unsupported_dialect"]
        if case["case"].startswith("d3"):
            kinds += ["no_footer"]
        if case["case"].startswith(("d1", "d2")):
            kinds += ["bad_section", "offset_out_of_range", "slot_size_mismatch"]
        count += check_cuts(golden_bytes(case["file"]), case["case"], kinds, every)
    for name, digits in FIXTURES.items():
        count += check_cuts(bytes.fromhex(digits), name, ["truncated"], True)
    # Without the check of slot sizes a draft proves less; it still must not crash.
    count += check_cuts(golden_bytes("onert-draft", "d1_adam_2t.ckpt"), "d1 any", None, True)
    return count


# ---- Fixtures and single faults

def check_fixtures():
    wanted = {
        "adam": ("onert", 148, 3, 2, 1234, 7, [[32, 48, 56], [72, 88, 96], [112, 128, 136]],
                 [[16, 8, 4]] * 3),
        "plain": ("onert", 68, 3, 0, 1234, 7, [[32, 48, 56]], [[16, 8, 4]]),
        "sgd_o": ("onert", 68, 3, 0, 1234, 0, [[32, 48, 56]], [[16, 8, 4]]),
        "sparse": ("onert-micro", 72, 5, 0, 55, 2, [[0, 48, 0, 40, 0]], [[0, 16, 0, 8, 0]]),
        "frozen": ("onert", 132, 3, 2, 9, 0, [[32, 48, 56], [72, 88, 88], [104, 120, 120]],
                   [[16, 8, 4], [16, 0, 4], [16, 0, 4]]),
        "empty_model": ("onert-v0", 28, 0, 0, 0, 0, [[]], [[]]),
    }
    for name, (dialect, size, count, slots, step, epoch, offsets, sizes) in wanted.items():
        said = inspect(name, 0)
        equal([said[key] for key in INSPECT_KEYS[:8]],
              [name, dialect, 1, size, count, slots, step, epoch], name)
        for key, values in (("offset", offsets), ("bytes", sizes)):
            equal([[entry[key] for entry in section["tensors"]] for section in said["sections"]],
                  values, "%s: %ss" % (name, key))
    status, said = verify(list(wanted))
    equal((status, [one["valid"] for one in said]), (0, [True] * 6), "verify of the fixtures")


def patched(offset, content):
    adam = bytes.fromhex(FIXTURES["adam"])
    return adam[:offset] + content + adam[offset + len(content):]


def word(value):
    return struct.pack("<I", value)


def single_faults():
    """Bytes, and the error that they must give: kind, section, tensor, offset, expected, found."""
    yield patched(16, word(0xFFFFFFFF)), ("truncated", "header", None, 16, 17179869200, 148)
    yield patched(16, word(0x40000000)), ("truncated", "header", None, 16, 4294967316, 148)
    for section, first, end in (("weights", 20, 60), ("m", 60, 100), ("v", 100, 140)):
        for tensor in range(3):
            at = first + 4 * tensor
            for value in (148, 149, 0xFFFFFFFF):
                yield (patched(at, word(value)),
                       ("offset_out_of_range", section, tensor, at, end, value))
    yield (patched(20, word(32) + word(56) + word(48)),
           ("bad_order", "weights", 2, 28, 56, 48))
    yield (patched(20, word(56) + word(48) + word(32)),
           ("bad_order", "weights", 1, 24, 56, 48))
    for other in (0xFFFFFFF8, 0x7FFFFFFF, 141):
        yield patched(12, word(other)), ("truncated", "header", None, 12, other + 8, 148)
    # The footer behind the end of the file: the last slot would swallow the true one's eight bytes.
    yield patched(12, word(148)), ("truncated", "footer", None, 148, 156, 148)
    yield patched(0, b"\x01\xad"), ("not_a_checkpoint", "header", None, 0, 429, 0xAD01)
    for schema in (0, 3, 255):
        yield patched(2, bytes([schema])), ("unsupported_version", "header", None, 2, 2, schema)
    yield patched(3, b"\x01"), ("bad_header", "header", None, 3, 0, 1)
    yield patched(148, b"\0"), ("trailing_bytes", "header", None, 12, 148, 149)
    yield patched(4, word(31)), ("bad_section", "m", None, 4, 32, 31)
    yield patched(60, word(72) + word(80) + word(96)), ("slot_size_mismatch", "m", 0, 60, 16, 8)
    yield b"no", ("not_a_checkpoint", "header", None, 0, 429, 0x6F6E)
    yield b"", ("empty_file", None, None, None, 20, 0)


def check_single_faults():
    for content, wanted in single_faults():
        said = inspect(write("faulty", content), 1)
        error = said["error"]
        equal(tuple(error[key] for key in ERROR_KEYS[:6]), wanted, "fault %r" % (wanted,))
        equal(said["file_bytes"], len(content), "fault %r: file_bytes" % (wanted,))
        status, verdict = verify(["faulty"])
        equal((status, verdict[0]["error"]), (1, error), "fault %r: verify" % (wanted,))


def check_what_is_known():
    """What a faulty file still tells."""
    write("faulty", patched(2, b"\x03"))
    said = inspect("faulty", 1)
    equal([said[key] for key in INSPECT_KEYS[1:]], [None, 3, 148, None, None, None, None, []],
          "schema 3")
    write("faulty", patched(0, b"\x01\xad"))
    said = inspect("faulty", 1)
    equal([said[key] for key in INSPECT_KEYS[1:]], [None, None, 148, None, None, None, None, []],
          "another magic")
    write("faulty", patched(64, word(148)))
    said = inspect("faulty", 1)
    equal([said[key] for key in INSPECT_KEYS[1:8]], ["onert", 1, 148, 3, 2, 1234, 7], "bad entry")
    equal(said["sections"][1]["tensors"][1], {"index": 1, "offset": 148, "bytes": 0,
                                              "stored": True}, "bad entry")
    write("faulty", patched(4, word(0xFFFFFFFF)))
    said = inspect("faulty", 1)
    equal([section["name"] for section in said["sections"]], ["weights", "v"], "lost m")
    write("faulty", patched(16, word(0xFFFFFFFF)))
    equal(inspect("faulty", 1)["sections"], [], "sections of too many tensors")
    write("faulty", bytes.fromhex(FIXTURES["adam"])[:139])
    said = inspect("faulty", 1)
    equal([said[key] for key in INSPECT_KEYS[1:8]], [None, 1, 139, 3, 2, None, None], "cut")
    equal([[entry["bytes"] for entry in section["tensors"]] for section in said["sections"]],
          [[16, 8, 4]] * 3, "cut: sizes are those that the header means")
    equal(inspect(write("faulty", patched(60, word(72) + word(80) + word(96))), 0, "--slots",
                  "any")["sections"][1]["tensors"][1]["bytes"], 16, "--slots any")


def golden_bytes(*parts):
    with open(os.path.join(golden, *parts), "rb") as file:
        return file.read()


def check_cut_headers():
    """A cut file is told as far as its header can be followed, and no further."""
    def cut(content, size):
        return inspect(write("faulty", content[:size]), 1)

    def column(said, section, key):
        return [entry[key] for entry in said["sections"][section]["tensors"]]

    write("faulty", patched(4, word(8)))
    said = inspect("faulty", 1)
    equal([section["name"] for section in said["sections"]], ["weights", "v"], "m in the header")
    said = cut(golden_bytes("wof", "wof_cnn.wof"), 40)
    equal([said[key] for key in INSPECT_KEYS[1:]], [None, 1, 40] + [None] * 4 + [[]], "cut WOF")
    said = cut(golden_bytes("onert-merged", "adam_all_untrainable.ckpt"), 91)
    equal(column(said, 1, "bytes"), [0, 0], "slots without bytes")
    said = cut(bytes.fromhex(FIXTURES["sparse"]), 71)
    equal(column(said, 0, "stored"), [False, True, False, True, False], "cut onert-micro")
    equal(column(said, 0, "bytes"), [0, 16, 0, 8, 0], "cut onert-micro")
    one_slot = patched(4, word(60) + word(0) + word(100))[:100] + word(9) + word(0)
    said = inspect(write("faulty", one_slot), 0)
    equal((said["slot_count"], len(said["sections"])), (1, 2), "one slot")
    said = cut(one_slot, 107)
    equal((said["slot_count"], len(said["sections"])), (1, 2), "one slot, cut")
    said = cut(bytes.fromhex(FIXTURES["sgd_o"]), 67)
    equal((said["slot_count"], len(said["sections"])), (0, 1), "SGD, cut")


def check_small_memory():
    """B2: a count of 2^32 - 1 costs nothing."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (64 << 20, 64 << 20))

    try:
        able = subprocess.run([tool, "--version"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=limit).returncode == 0
    except OSError:
        able = False
    if not able:
        print("SKIPPED: memory limit (the tool itself does not start under it)")
        return
    for offset, content in ((16, word(0xFFFFFFFF)), (16, word(0x40000000)),
                            (4, word(0xFFFFFFFF) + word(8) + word(8))):
        write("faulty", patched(offset, content))
        for arguments in (["inspect", "faulty", "--json"], ["inspect", "faulty"],
                          ["verify", "faulty"]):
            equal(run(arguments, preexec_fn=limit).returncode, 1, "%r in 64 MiB" % (arguments,))


# ---- Names and the system

def check_names():
    content = bytes.fromhex(FIXTURES["adam"])
    names = ["a b", "quote\"d", "back\\slash", "tab\tnew\nline\x7f", "\u0447\u0435\u043a.ckpt",
             "\u91cd\u307f", "\U0001F600"]
    raw = [os.fsencode(name) for name in names]
    raw += [b"bad\xff", b"\xc3\x28", b"\xe2\x82", b"\xf0\x9f\x98x", b"\xed\xa0\x80", b"\xc0\xaf",
            b"\xf0\x80\x80\x80", b"\xe0\x80\x80", b"\xf4\x90\x80\x80", b"\x80\xbf",
            b"\xe2\x82\xac\xe2"]
    for name in raw:
        try:
            write(name, content)
        except OSError:
            print("SKIPPED: the file system does not take the name %r" % (name,))
            continue
        status, said = verify([name])
        equal((status, said[0]["file"]), (0, name.decode("utf-8", "replace")), "name %r" % (name,))
        equal(inspect(name, 0)["file"], name.decode("utf-8", "replace"), "name %r" % (name,))


def check_system_errors():
    os.mkdir("directory")
    os.mkfifo("fifo")
    wanted = [("missing", "not_found"), ("directory", "not_a_regular_file"),
              ("fifo", "not_a_regular_file"), ("/dev/zero", "not_a_regular_file"),
              ("", "empty_path"), ("adam/below", "invalid_path")]
    for name, kind in wanted:
        said = inspect(name, 2)
        equal([said[key] for key in INSPECT_KEYS], [name] + [None] * 7 + [[]], "system: " + kind)
        equal(said["error"]["kind"], kind, "system: %r" % name)
        done = run(["inspect", name], timeout=10)
        check(done.stdout == b"" and kind.encode() in done.stderr and
              b"'" + name.encode() + b"'" in done.stderr, "system: words of %r" % name)
    status, said = verify([name for name, _ in wanted] + ["adam", "faulty"])
    equal(status, 2, "system: the worst counts")
    equal([one["valid"] for one in said], [False] * 6 + [True, False], "system: all are checked")
    equal(verify(["adam", "faulty"])[0], 1, "system: the worst counts")


def check_permission():
    shutil.copy("adam", "secret")
    os.chmod("secret", 0)
    os.chmod(".", 0o755)
    options = {}
    if os.getuid() == 0:
        options["preexec_fn"] = lambda: os.setuid(65534)
    try:
        able = subprocess.run([tool, "verify", "adam"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, **options).returncode == 0
    except (OSError, subprocess.SubprocessError):
        able = False
    if not able:
        print("SKIPPED: permission (the tool cannot be started as another user)")
        return
    done = run(["inspect", "--json", "secret"], **options)
    equal(done.returncode, 2, "permission: status")
    equal(parse(done.stdout, "permission")["error"]["kind"], "permission_denied", "permission")
    check(b"'secret': permission_denied" in done.stderr, "permission: words")


# ---- Damage at random: only that nothing crashes and that the JSON stays valid

def check_damage(cases):
    chance = random.Random(429)
    numbers = [0, 1, 8, 19, 20, 28, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF8, 0xFFFFFFFF]
    seeds = [bytes.fromhex(digits) for digits in FIXTURES.values()]
    seeds += [golden_bytes(case["file"])[:4096] for case in cases]
    names = []
    for i in range(600):
        content = bytearray(chance.choice(seeds))
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(min(len(content), 140))
            if chance.random() < 0.5:
                content[at] ^= 1 << chance.randrange(8)
            else:
                value = word(chance.choice(numbers + [len(content), len(content) - 8]))
                content[at // 4 * 4:at // 4 * 4 + 4] = value
        names.append(write("damaged%d" % i, content))
    _, said = verify(names)
    for name, one in list(zip(names, said))[:150]:
        status = 0 if one["valid"] else 1
        equal(inspect(name, status).get("error"), one["error"], "damage: error")
        equal(run(["inspect", name]).returncode, status, "damage: text")


def main(every_cut):
    with open(os.path.join(golden, "cases.json")) as file:
        cases = json.load(file)["cases"]
    files = {os.path.relpath(os.path.join(folder, name), golden)
             for folder, _, names in os.walk(golden) for name in names}
    known = {os.path.normpath(case["file"]) for case in cases}
    equal(files - known, {"cases.json", os.path.join("header-only", "mbv2_seed000_first460.bin")},
          "files without a case")
    for name, digits in FIXTURES.items():
        write(name, bytes.fromhex(digits))
    for case in cases:
        check_golden(case)
    check_refusals()
    check_header_only()
    check_fixtures()
    check_single_faults()
    check_what_is_known()
    check_cut_headers()
    check_small_memory()
    check_names()
    write("faulty", b"no")
    check_system_errors()
    check_permission()
    check_damage(cases)
    cuts = check_all_cuts(cases, every_cut)
    print("%d golden files, %d cuts, %d checks, %d failures" %
          (len(cases) + 1, cuts, checks, failures))
    return 0 if failures == 0 else 1


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--few-cuts"]):
        sys.exit(__doc__)
    tool, golden = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    work = tempfile.mkdtemp(prefix="ckpt_tool.")
    try:
        os.chdir(work)
        outcome = main("--few-cuts" not in sys.argv)
    finally:
        os.chdir("/")
        shutil.rmtree(work)
    sys.exit(outcome)
