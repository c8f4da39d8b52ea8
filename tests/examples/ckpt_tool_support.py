"""What the tests of the tool `ckpt` share: running it, and its formats written down again.

Files are made and read here by what their formats say, never by ckpt.
"""

import ast
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

checks = 0
failures = 0
used_options = set()
tool = None
golden = None


def check(holds, what):
    global checks, failures
    checks += 1
    if holds:
        return
    failures += 1
    print("FAILED: " + what, file=sys.stderr)


def equal(found, expected, what):
    check(found == expected, "%s is %.600r instead of %.600r" % (what, found, expected))


def attempt(*arguments, **options):
    """Runs the tool, however it ends."""
    return subprocess.run([tool] + list(arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **options)


def run(status, *arguments, **options):
    """Runs the tool, which must end with this status, and returns what it printed."""
    used_options.update(word.split("=")[0] for word in arguments if word[:2] == "--")
    done = attempt(*arguments, **options)
    what = " ".join(str(word) for word in arguments)
    report = b"Sanitizer" in done.stderr or b"runtime error" in done.stderr
    check(done.returncode == status and not report,
          "%s: status %d instead of %d, %r" % (what, done.returncode, status, done.stderr[:2000]))
    return done


def no_repeated_keys(pairs):
    check(len({key for key, _ in pairs}) == len(pairs), "a key is repeated: %.200r" % (pairs,))
    return dict(pairs)


def run_json(status, *arguments, **options):
    done = run(status, *(arguments + ("--json",)), **options)
    check(all(byte < 128 for byte in done.stdout), "JSON is not ASCII")
    return json.loads(done.stdout.decode("ascii"), object_pairs_hook=no_repeated_keys)


def complains(done, *words):
    for word in words:
        check(word.encode() in done.stderr, "%.300r does not say %r" % (done.stderr, word))
    check(done.stdout == b"", "a failure prints %.300r" % done.stdout)


def refuse(status, words, *arguments, **options):
    """A command that fails leaves nothing behind, and says why."""
    before = listing()
    complains(run(status, *arguments, **options), *words)
    equal(listing(), before, "files after " + " ".join(arguments))


def listing():
    found = []
    for folder, _, names in os.walk("."):
        found += [folder] + [os.path.join(folder, name) for name in names]
    return sorted(found)


def write(name, content):
    with open(name, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return name


def read(name):
    with open(name, "rb") as file:
        return file.read()


def convert(source, target, *options):
    run(0, "convert", source, target, *options)
    return target


# ---- Formats, written down again

def onert_file(sections, step, epoch):
    """Sections are lists of byte strings: the weights, then up to two slots."""
    count = len(sections[0])
    places, body, at = [], b"", 20
    for part in sections:
        table, payload = [], b""
        for one in part:
            table.append(at + 4 * count + len(payload))
            payload += one
        places.append(at if at > 20 else 0)
        body += struct.pack("<%dI" % count, *table) + payload
        at += 4 * count + len(payload)
    opt1 = places[1] if len(sections) > 1 else at
    opt2 = places[2] if len(sections) > 2 else 0
    return struct.pack("<HBBIIII", 429, 1, 0, opt1, opt2, at, count) + body + struct.pack(
        "<II", step, epoch)


def micro_file(count, sections, visits, step, epoch):
    """Sections are dictionaries from an index to a byte string."""
    places, body, at = [], b"", 20
    for part in sections:
        table, payload = [0] * count, b""
        for index in visits:
            table[index] = at + 4 * count + len(payload)
            payload += part[index]
        places.append(at)
        body += struct.pack("<%dI" % count, *table) + payload
        at += 4 * count + len(payload)
    opt1, opt2 = places[1:3] if len(sections) == 3 else (0, 0)
    return struct.pack("<HBBIIII", 429, 1, 0, opt1, opt2, at, count) + body + struct.pack(
        "<II", step, epoch)


CODES = {"F32": "f", "F64": "d", "F16": "e", "I8": "b", "U8": "B", "I16": "h", "U16": "H",
         "I32": "i", "U32": "I", "I64": "q", "U64": "Q", "BOOL": "B", "BF16": None}
NAMES = {"F32": "f32", "F64": "f64", "F16": "f16", "I8": "i8", "U8": "u8", "I16": "i16",
         "U16": "u16", "I32": "i32", "U32": "u32", "I64": "i64", "U64": "u64", "BOOL": "boolean",
         "BF16": "bf16"}
WIDTHS = {"F32": 4, "F64": 8, "F16": 2, "BF16": 2, "I8": 1, "U8": 1, "I16": 2, "U16": 2, "I32": 4,
          "U32": 4, "I64": 8, "U64": 8, "BOOL": 1}


def elements(dtype, data):
    if dtype == "BF16":
        halves = struct.unpack("<%dH" % (len(data) // 2), data)
        return [struct.unpack("<f", struct.pack("<I", half << 16))[0] for half in halves]
    return list(struct.unpack("<%d%s" % (len(data) // WIDTHS[dtype], CODES[dtype]), data))


def safetensors_file(tensors, metadata=None):
    """Tensors are (name, dtype, shape, bytes)."""
    header, data = {}, b""
    if metadata is not None:
        header["__metadata__"] = metadata
    for name, dtype, shape, content in tensors:
        header[name] = {"dtype": dtype, "shape": shape,
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def read_safetensors(name):
    """A strict reader by the specification: metadata, and (name, dtype, shape, bytes) in order."""
    content = read(name)
    size = struct.unpack("<Q", content[:8])[0]
    text = content[8:8 + size]
    check(len(text) == size <= 100000000 and text[:1] == b"{", name + ": header")
    check((8 + size) % 8 == 0, name + ": data is not aligned")
    header = json.loads(text.decode(), object_pairs_hook=no_repeated_keys)
    metadata = header.pop("__metadata__", {})
    check(all(isinstance(value, str) for value in metadata.values()), name + ": metadata")
    data, at, tensors = content[8 + size:], 0, []
    for key, said in header.items():
        first, last = said["data_offsets"]
        count = WIDTHS[said["dtype"]]
        for extent in said["shape"]:
            count *= extent
        equal((first, last), (at, at + count), name + ": a hole, an overlap or a wrong size")
        tensors.append((key, said["dtype"], said["shape"], data[first:last]))
        at = last
    equal(at, len(data), name + ": bytes behind the data")
    return metadata, tensors


def read_npy(name):
    """Dtype, shape and bytes of an array, by NumPy's own description of the format."""
    content = read(name)
    equal(content[:8], b"\x93NUMPY\x01\x00", name + ": magic")
    size = struct.unpack("<H", content[8:10])[0]
    check((10 + size) % 64 == 0 and content[9 + size:10 + size] == b"\n", name + ": header")
    said = ast.literal_eval(content[10:10 + size].decode("latin1"))
    equal(sorted(said), ["descr", "fortran_order", "shape"], name + ": keys")
    equal(said["fortran_order"], False, name + ": order")
    try:
        import numpy
        check(numpy.load(name).tobytes() == content[10 + size:], name + ": NumPy reads others")
    except ImportError:
        pass
    return said["descr"], said["shape"], content[10 + size:]


ADAM_PARTS = [[bytes([first + i]) * size for i, size in enumerate((16, 8, 4))]
              for first in (0x10, 0x20, 0x30)]
ADAM = onert_file(ADAM_PARTS, 1234, 7)
ABC = "a f32 4\nb f32 2\nc f32 scalar\n"
NAMELESS = "has no names"


SPECIALS = {"F32": ["7f802000", "7fc00001", "ffc00000", "7f800000", "ff800000", "00000000",
                    "80000000", "00000001", "007fffff", "3f800000", "7f7fffff"],
            "F64": ["7ff0000000000001", "7ff8000000000000", "fff8000000000123", "7ff0000000000000",
                    "fff0000000000000", "0000000000000000", "8000000000000000", "0000000000000001",
                    "000fffffffffffff", "3ff0000000000000", "7fefffffffffffff"],
            "F16": ["7c01", "7e00", "fe01", "7c00", "fc00", "0000", "8000", "0001", "03ff", "3c00",
                    "7bff"],
            "BF16": ["7f81", "7fc0", "ffc1", "7f80", "ff80", "0000", "8000", "0001", "007f", "3f80",
                     "7f7f"]}


def specials(dtype):
    return b"".join(bytes.fromhex(digits)[::-1] for digits in SPECIALS[dtype])


def plain(value):
    """A number of the tool's JSON."""
    return float(value) if value in ("nan", "inf", "-inf") else value


# ---- How a test runs

def fixtures():
    """FX-ADAM with and without names, and others like it."""
    write("fx.ckpt", ADAM)
    write("cut.ckpt", ADAM[:-1])
    write("sgd.ckpt", onert_file(ADAM_PARTS[:1], 1234, 7))
    write("odd.ckpt", onert_file([[bytes(16), bytes(10), bytes(4)]], 1, 0))
    parts = [{1: part[0], 2: part[1], 4: part[2]} for part in ADAM_PARTS]
    write("fx.micro", micro_file(6, parts, [4, 2, 1], 1234, 7))
    write("abc.txt", ABC)
    convert("fx.ckpt", "abc.v2", "--to", "v2", "--model", "abc.txt")
    convert("abc.v2", "abc.safetensors")


def start(document, tests):
    """Runs tests in a directory of their own, and ends the program."""
    global tool, golden
    if len(sys.argv) != 3:
        sys.exit(document)
    tool, golden = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    # Waiting for a disk some hundred times proves nothing here.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None
    work = tempfile.mkdtemp(prefix="ckpt_tool.", dir=memory)
    try:
        os.chdir(work)
        fixtures()
        for test in tests:
            test()
    finally:
        os.chdir("/")
        shutil.rmtree(work)
    print("%d checks, %d failures" % (checks, failures))
    sys.exit(0 if failures == 0 else 1)


def golden_cases():
    with open(os.path.join(golden, "cases.json")) as file:
        return json.load(file)["cases"]


def golden_file(case):
    return os.path.join(golden, case["file"])
