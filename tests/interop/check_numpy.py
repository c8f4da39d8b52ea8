"""Checks with NumPy that .npy and safetensors files go both ways.

usage: check_numpy.py PROGRAM
"""
import os
import subprocess
import sys
import tempfile

import numpy

from strict_safetensors import make, parse

PROGRAM = sys.argv[1]
DTYPES = {"f32": "<f4", "f64": "<f8", "f16": "<f2", "i8": "|i1", "u8": "|u1", "i16": "<i2",
          "u16": "<u2", "i32": "<i4", "u32": "<u4", "i64": "<i8", "u64": "<u8", "boolean": "|b1"}
SAFETENSORS = {"f32": "F32", "f64": "F64", "f16": "F16", "i8": "I8", "u8": "U8", "i16": "I16",
               "u16": "U16", "i32": "I32", "u32": "U32", "i64": "I64", "u64": "U64",
               "boolean": "BOOL"}


def run(*words):
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, encoding="utf-8", check=False)


def shape_text(array):
    return "x".join(str(extent) for extent in array.shape) or "scalar"


def check_ours(directory):
    """NumPy reads what ckpt writes: dtype, shape, values, and not one warning."""
    written = run("write_npy", directory)
    assert written.returncode == 0, written.stdout
    load = lambda name: numpy.load(os.path.join(directory, name + ".npy"), allow_pickle=False)
    assert len(os.listdir(directory)) == 17
    for name, descr in DTYPES.items():
        array = load(name)
        expected = numpy.arange(6).reshape(2, 3).astype(descr)
        assert array.dtype == numpy.dtype(descr), name
        assert numpy.array_equal(array, expected), name
    brain = load("bf16")
    assert brain.dtype == numpy.dtype("V2") and brain.shape == (2, 3)
    bits = brain.view("<u2").astype("<u4") << 16
    assert numpy.array_equal(bits.view("<f4"), numpy.arange(6, dtype="<f4").reshape(2, 3))
    assert load("scalar").shape == () and load("line").shape == (5,)
    assert load("nothing").shape == (3, 0, 2) and load("nothing").dtype == numpy.dtype("<i2")
    assert load("deep").shape == (1, 2, 1, 2, 1, 2, 1, 2)
    assert bytes(load("deep").tobytes()) == bytes((k * 7 + 16 * 31) & 255 for k in range(16))
    mapped = numpy.load(os.path.join(directory, "line.npy"), mmap_mode="r")
    assert mapped.offset % 64 == 0


def arrays():
    """Arrays of every dtype and many shapes, with bits that arithmetic would not keep."""
    generator = numpy.random.default_rng(1)
    for name, descr in DTYPES.items():
        width = numpy.dtype(descr).itemsize
        for shape in ((), (0,), (1,), (7,), (3, 4), (2, 0, 5), (1, 2, 3, 1, 2, 1, 1, 2)):
            count = int(numpy.prod(shape))
            raw = generator.integers(0, 2 if name == "boolean" else 256, count * width, "u1")
            yield name, raw.tobytes(), numpy.frombuffer(raw.tobytes(), descr).reshape(shape)


def check_theirs(directory):
    """ckpt reads what NumPy writes, in every version of the format."""
    name = os.path.join(directory, "a.npy")
    for dtype, raw, array in arrays():
        for version in ((1, 0), (2, 0), (3, 0)):
            with open(name, "wb") as file:
                numpy.lib.format.write_array(file, array, version)
            shown = run("read_npy", name)
            assert shown.returncode == 0, shown.stdout
            assert shown.stdout.rstrip("\n") == "%s %s %s" % (dtype, shape_text(array), raw.hex())
    numpy.save(name, numpy.arange(3, dtype="<u2").view("V2"))
    assert run("read_npy", name).stdout == "bf16 3 000001000200\n"
    for refused in (numpy.arange(3, dtype=">f4"), numpy.arange(6.0).reshape(2, 3).T,
                    numpy.zeros(2, "c8"), numpy.zeros(2, "U3"), numpy.zeros(2, "M8[s]"),
                    numpy.zeros(2, [("a", "<f4")]), numpy.zeros(1, "g"),
                    numpy.zeros((1,) * 9, "<f4")):
        numpy.save(name, refused)
        shown = run("read_npy", name)
        assert shown.returncode == 1, refused.dtype
    numpy.save(name, numpy.array([None]), allow_pickle=True)
    assert run("read_npy", name).returncode == 1


def check_safetensors(directory):
    """Arrays as safetensors: NumPy's to ckpt, ckpt's to NumPy."""
    name = os.path.join(directory, "a.safetensors")
    tensors = {}
    lines = []
    for index, (dtype, raw, array) in enumerate(arrays()):
        tensors[str(index)] = (SAFETENSORS[dtype], array.shape, raw)
        lines.append('0 "%d" %s %s %s' % (index, dtype, shape_text(array), raw.hex()))
    with open(name, "wb") as file:
        file.write(make(tensors))
    shown = run("read_safetensors", name)
    assert shown.stdout.splitlines() == [*lines, "step 0 epoch 0"]
    assert run("copy_safetensors", name, name + ".copy").returncode == 0
    with open(name + ".copy", "rb") as file:
        _, back = parse(file.read())
    for index, (dtype, _, array) in enumerate(arrays()):
        _, shape, content = back[str(index)]
        again = numpy.frombuffer(content, DTYPES[dtype]).reshape(shape)
        assert again.tobytes() == array.tobytes() and again.shape == array.shape


with tempfile.TemporaryDirectory() as scratch:
    check_ours(os.path.join(scratch, "npy"))
    check_theirs(scratch)
    check_safetensors(scratch)
print("NumPy " + numpy.__version__ + ": both ways")
