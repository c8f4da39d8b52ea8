#!/usr/bin/env python3
"""What the tool `ckpt` does not do, and what it leaves behind then: nothing.

    ckpt_refusal_test.py TOOL GOLDEN_DIRECTORY

Needs a POSIX system and Python 3.6 with its standard library; functions are called after the cases
drawn from public bug reports where they are of one. Exit status: 0 passed, 1 failed.
"""

import json
import math
import os
import random
import resource
import signal
import struct

from ckpt_tool_support import (ABC, ADAM, NAMELESS, attempt, check, complains, convert, equal,
                               onert_file, read, read_safetensors, refuse, run, run_json,
                               safetensors_file, start, used_options, write)


def every_command_line_of_the_help():
    write("in.ckpt", ADAM)
    write("m.txt", ABC)
    write("map.txt", "x a\n")
    help_text = run(0, "--help").stdout.decode()
    for words in ("inspect in.ckpt", "inspect in.ckpt --stats --model m.txt --optimizer adam",
                  "inspect in.ckpt --model-text", "inspect in.ckpt --slots any --stats",
                  "inspect in.ckpt --from ckpt --json", "verify in.ckpt in.ckpt --json",
                  "verify in.ckpt --slots any --from ckpt", "diff in.ckpt in.ckpt",
                  "diff in.ckpt in.ckpt --model m.txt --optimizer adamw --json",
                  "convert in.ckpt o1 --to v2 --from ckpt --model m.txt --map map.txt --slots keep",
                  "convert in.ckpt o2 --to=onert --slots=drop --drop-training-state",
                  "convert o1 o2 --to onert_plus --force --json",
                  "convert o2 o3 --to v2 --slots drop,zero --optimizer rmsprop",
                  "extract o1 x --npy o4.npy", "extract o1 x --slot v --npy o5.npy --json",
                  "extract in.ckpt b --model m.txt --optimizer lamb --from ckpt --npy o4.npy "
                  "--force", "--version", "--help"):
        run(0, *words.split())
    for word in set(help_text.replace(".", " ").replace("]", " ").replace(":", " ").split()):
        if word.startswith("--") and len(word) > 2 and word.strip("-,") != "":
            check(word.rstrip(",;)") in used_options, "no test uses %s of the help" % word)
    for kind in ("onert", "onert_micro", "onert_plus", "onert_micro_plus", "v2", "safetensors",
                 "oneflow", "paddle", "npy"):
        check(kind in help_text, "the help does not name " + kind)


def usage():
    for words in ("convert in.ckpt", "convert a b c", "diff in.ckpt", "extract in.ckpt a",
                  "extract in.ckpt --npy x.npy", "convert in.ckpt x --to", "convert a b --to=",
                  "convert in.ckpt x --slots some --to v2", "diff a b --stats", "inspect a --force",
                  "convert in.ckpt x --optimizer adm --to v2", "convert in.ckpt x --from zip",
                  "verify a --npy x", "diff a b --json=1"):
        done = run(2, *words.split())
        complains(done, "ckpt: ", "usage: ckpt inspect FILE")
    refuse(2, ["--to takes one of onert, onert_micro, onert_plus, onert_micro_plus, v2, "
               "safetensors, oneflow, paddle, npy"], "convert", "in.ckpt", "x.out")
    refuse(2, ["--to takes one of", "zip"], "convert", "in.ckpt", "x.out", "--to", "zip")
    refuse(2, ["--optimizer"], "convert", "in.ckpt", "x", "--to", "v2", "--slots", "zero")


def t4_types_and_sizes():
    """f32 for a 10-byte tensor, type q4_9, a type list shorter than the tensors."""
    for text, words in {"a f32 4\nb f32 3\nc f32 1\n": ["tensor 1", "'b'", "12 bytes", "10 bytes"],
                        "a f32 4\nb q4_9 10\nc f32 1\n": ["line 2", "'b'", "q4_9"],
                        "a f32 4\nb u8 10\n": ["tensor 2"],
                        "a f32 4\n": ["tensor 1"],
                        "a f32 4\nb u8 10\nc f32 1\nd f32 1\n": ["tensor 3", "'d'"],
                        "a f32 4\nb u8 10\na f32 1\n": ["line 3", "'a'"],
                        "a f32 4\nb u8 1e1\nc f32 1\n": ["line 2", "'b'"],
                        "a f32 4\nb u8 10 stored\nc f32 1\n": ["line 2", "stored"],
                        "a f32 18446744073709551615x9\nb u8 10\nc f32 1\n": ["'a'"]}.items():
        write("types.txt", text)
        refuse(1, words, "convert", "odd.ckpt", "no", "--to", "v2", "--model", "types.txt")
        said = run_json(1, "convert", "odd.ckpt", "no", "--to", "v2", "--model", "types.txt")
        check(said["error"]["kind"] and words[0] in said["error"]["message"], "T4: JSON")
    done = run(0, "convert", "odd.ckpt", "raw.v2", "--to", "v2")
    check(NAMELESS in done.stderr.decode(), "raw bytes are not announced")
    equal(run_json(0, "convert", "odd.ckpt", "raw.v2", "--to", "v2", "--force")["names"],
          "positions", "raw bytes in JSON")


def failing_conversions():
    os.symlink("fx.ckpt", "link")
    os.link("fx.ckpt", "hard")
    os.mkdir("sub")
    os.symlink("../fx.ckpt", "sub/link")
    for target in ("fx.ckpt", "./fx.ckpt", "link", "hard", "sub/link", os.path.abspath("fx.ckpt")):
        for more in ([], ["--force"]):
            refuse(2, ["it is what is read"], "convert", "fx.ckpt", target, "--to", "v2", *more)
            refuse(2, ["it is what is read"], "convert", target, "fx.ckpt", "--to", "v2", *more)
            refuse(2, ["it is what is read"], "extract", "fx.ckpt", "tensor.0", "--npy", target,
                   *more)
    equal(read("fx.ckpt"), ADAM, "a file in place")
    os.symlink("nowhere", "dangling")
    for target in ("sgd.ckpt", "dangling"):
        refuse(2, ["--force"], "convert", "fx.ckpt", target, "--to", "v2")
    convert("fx.ckpt", "dangling", "--to", "onert", "--force")
    check(not os.path.islink("dangling") and not os.path.exists("nowhere"), "a link is replaced")
    refuse(2, ["it exists"], "convert", "fx.ckpt", "sub", "--to", "v2", "--force")
    refuse(2, ["it exists"], "convert", "abc.v2", "sub", "--to", "paddle", "--force")
    refuse(2, [], "convert", "fx.ckpt", "nowhere/x", "--to", "v2")
    refuse(2, [], "convert", "missing", "x", "--to", "v2")
    refuse(1, [], "convert", "cut.ckpt", "x", "--to", "v2")
    damaged = bytearray(read("abc.v2"))
    damaged[len(damaged) // 3] ^= 1
    refuse(1, [], "convert", write("damaged.v2", bytes(damaged)), "x", "--to", "onert")
    convert("abc.v2", "tree1", "--to", "oneflow", "--drop-training-state")
    refuse(2, ["it is what is read"], "convert", "tree1", "tree1/new", "--to", "v2")
    refuse(2, ["it is what is read"], "convert", "tree1", "sub/../tree1/a/new", "--to", "v2")


def full_disk():
    """A file that may not grow beyond 4 KiB: what was begun goes away again."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    write("big.safetensors", safetensors_file([("w", "F32", [2048], bytes(8192))]))
    for kind in ("onert", "onert_plus", "v2", "safetensors", "oneflow", "paddle", "npy"):
        refuse(2, ["no"], "convert", "big.safetensors", "no", "--to", kind, preexec_fn=limit)


def training_state_that_does_not_fit():
    def record(key, kind, data):
        whole = struct.pack("<HBBI", len(key), kind, 0, len(data)) + key + data
        return whole + bytes(-len(whole) % 4)

    def make(name, values):
        metadata = {"ckpt.format": "1", "ckpt.model": "w f32 2\n", "ckpt.step": "5",
                    "ckpt.epoch": "2", "ckpt.sample_cursor": "77", "ckpt.shuffle_seed": "9",
                    "ckpt.rng_state": "1 2 3 18446744073709551615",
                    "ckpt.best_metric": "3fe0000000000000", "ckpt.learning_rate":
                    "3f50624dd2f1a9fc", "ckpt.optimizer": "sgd", "ckpt.values": values.hex()}
        return write(name, safetensors_file([("w", "F32", [2], bytes(8))], metadata))

    small = (record(b"count", 1, struct.pack("<q", -3)) + record(b"loss", 2,
             struct.pack("<d", math.inf)) + record(b"note", 3, "caf\u00e9\x1b".encode()) +
             record(b"raw", 4, b"\0\xff"))
    convert(make("state.safetensors", small), "state.v2", "--to", "v2")
    said = run_json(0, "inspect", "state.v2")["contents"]
    equal(said["training"], {"step": 5, "epoch": 2, "sample_cursor": 77, "shuffle_seed": 9,
                             "rng_state": [1, 2, 3, 18446744073709551615], "best_metric": 0.5,
                             "learning_rate": 0.001}, "training state")
    equal([(one["key"], one["type"], one["value"]) for one in said["values"]],
          [("count", "integer", -3), ("loss", "real", "inf"), ("note", "text", "caf\u00e9\x1b"),
           ("raw", "bytes", "00ff")], "values")
    check(b"\x1b" not in run(0, "inspect", "state.v2").stdout, "a value plays tricks")
    for kind in ("onert", "onert_plus", "onert_micro", "oneflow", "paddle", "npy"):
        refuse(1, ["--drop-training-state"], "convert", "state.v2", "no", "--to", kind)
        convert("state.v2", "kept." + kind, "--to", kind, "--drop-training-state")
    equal(read("kept.onert"), onert_file([[bytes(8)]], 5, 2), "what onert holds")
    convert("state.v2", "back.safetensors")
    equal(run_json(0, "diff", "state.v2", "state.safetensors")["equal"], True, "state there")
    equal(run_json(0, "diff", "state.v2", "back.safetensors")["equal"], True, "state and back")
    said = run_json(1, "diff", "state.v2", "kept.onert_plus")
    equal([one["what"] + (":" + one["of"] if one["of"] else "") for one in said["structure"]],
          ["best metric", "learning rate", "random state", "sample cursor", "shuffle seed",
           "value:count", "value:loss", "value:note", "value:raw"], "state that was dropped")
    for size in (900, 3000, 60000, 200000):
        name = make("v%d.safetensors" % size, record(b"long", 3, b"x" * size))
        convert(name, "v%d.v2" % size, "--to", "v2")
        run(0, "diff", name, "v%d.v2" % size)
    refuse(1, [], "convert", make("huge.safetensors", record(b"long", 3, b"x" * 300000)), "no",
           "--to", "v2")


def kinds_are_found():
    """The kind is told from the bytes; --from says otherwise."""
    run(0, "extract", "abc.v2", "a", "--npy", "one.npy")
    for file, kind in (("fx.ckpt", "onert"), ("abc.v2", "v2"), ("abc.safetensors", "safetensors"),
                       ("one.npy", "npy"), ("tree1", "oneflow"), ("kept.paddle", "paddle"),
                       ("kept.paddle/w", "paddle"), ("tree1/a", "oneflow")):
        equal(run_json(0, "inspect", file)["dialect"], kind, "kind of " + file)
        run(0, "verify", file)
    refuse(1, [], "convert", "fx.ckpt", "no", "--to", "v2", "--from", "safetensors")
    refuse(1, [], "convert", "abc.safetensors", "no", "--to", "v2", "--from", "ckpt")
    run(1, "inspect", "fx.ckpt", "--from", "npy")
    # A JSON header may be as long as our magic number.
    text = json.dumps({"w": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}}).encode()
    write("429.safetensors", struct.pack("<Q", 429) + text + b" " * (429 - len(text)) + b"7")
    equal(run_json(0, "inspect", "429.safetensors")["dialect"], "safetensors", "a header of 429")
    for content in (struct.pack("<Q", 5) + b"{", struct.pack("<Q", 2) + b"{]", b"\x93NUMPY\x01",
                    bytes(16) + struct.pack("<I", 2) + b"\x08\x63"):
        write("broken", content)
        for words in (["inspect", "broken"], ["verify", "broken"]):
            run(1, *words)
        check(run_json(1, "inspect", "broken")["error"]["kind"], "a broken file in JSON")
        refuse(1, [], "convert", "broken", "no", "--to", "v2")
    os.remove("tree1/snapshot_done")
    refuse(1, ["tree1"], "convert", "tree1", "no", "--to", "v2")


def damage_at_random():
    """Only that nothing crashes, hangs or appears."""
    chance = random.Random(3)
    seeds = [read(name) for name in ("fx.ckpt", "abc.v2", "abc.safetensors", "one.npy",
                                     "o2", "kept.paddle/w", "fx.micro")]
    for _ in range(250):
        content = bytearray(chance.choice(seeds))
        for _ in range(chance.randint(1, 4)):
            content[chance.randrange(min(len(content), 500))] = chance.randrange(256)
        write("dmg", bytes(content[:chance.randint(1, len(content))]
                           if chance.random() < 0.3 else content))
        done = attempt("convert", "dmg", "dmg.out", "--to", "safetensors")
        check(done.returncode in (0, 1) and b"Sanitizer" not in done.stderr and
              b"runtime error" not in done.stderr, "damage: %r" % done.stderr[-500:])
        equal(os.path.exists("dmg.out"), done.returncode == 0, "damage: OUT")
        if done.returncode == 0:
            read_safetensors("dmg.out")
            os.remove("dmg.out")


if __name__ == "__main__":
    start(__doc__, [every_command_line_of_the_help, usage, t4_types_and_sizes,
                   failing_conversions, full_disk, training_state_that_does_not_fit,
                   kinds_are_found, damage_at_random])
