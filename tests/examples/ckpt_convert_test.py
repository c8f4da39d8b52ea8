#!/usr/bin/env python3
"""Converts checkpoints with the tool `ckpt`, there and back.

    ckpt_convert_test.py TOOL GOLDEN_DIRECTORY

Needs a POSIX system and Python 3.6 with its standard library; functions are called after the cases
drawn from public bug reports where they are of one. Exit status: 0 passed, 1 failed.
"""

import os
import shutil

from ckpt_tool_support import (ABC, ADAM, ADAM_PARTS, NAMES, SPECIALS, check, convert, equal,
                               golden_cases, golden_file, onert_file, read, read_npy,
                               read_safetensors, refuse, run, run_json, safetensors_file, specials,
                               start, write)


def case_names(case):
    return ["layer%d/w" % i for i in range(len(case["tensors"]))]


def case_dtype(tensor):
    return {"spc": "f32", "bool": "boolean", "bool8": "boolean"}.get(tensor["dtype"],
                                                                     tensor["dtype"])


def case_model(case):
    """The model file of a golden file."""
    lines = []
    is_micro = case["dialect"] == "onert-micro"
    slotted = bool(case["offsets"]["m"])
    for name, tensor in zip(case_names(case), case["tensors"]):
        shape = "x".join(str(extent) for extent in tensor["shape"]) or "scalar"
        dtype, role = case_dtype(tensor), ""
        if is_micro and tensor["stored_bytes"] == 0:
            role = " absent"
        elif is_micro and tensor["stored_bytes"] == 4 * tensor["elements"]:
            dtype = "i32" if dtype == "i8" else dtype  # the quirk: four bytes for each element
        elif not is_micro and slotted and tensor["slot_bytes"] == 0 and tensor["bytes"] > 0:
            role = " frozen"
        lines.append("%s %s %s%s\n" % (name, dtype, shape, role))
    if is_micro:
        visits = [i for op in reversed(case["ops"]) for i in op["inputs"]
                  if i >= 0 and case["tensors"][i]["stored_bytes"] > 0]
        if visits:
            lines.append("visits %s\n" % " ".join(str(i) for i in visits))
    return "".join(lines)


def golden_round_trip(case, plain, plus, model):
    first = golden_file(case)
    options = ["--model", model] if model else []
    content = read(first)
    chain = [(first, plus, options), (plus, "v2", []), ("v2", "safetensors", []),
             ("safetensors", plain, [])]
    for source, target, more in chain:
        if source != first:
            source += ".file"
        convert(source, target + ".file", "--to", target, "--force", *more)
        run(0, "verify", target + ".file")
    equal(read(plain + ".file"), content, "%s after its round trip (%s)" % (case["case"], model))
    return run_json(0, "inspect", "v2.file")


def round_trips():
    """Acceptance 2: onert -> onert_plus -> v2 -> safetensors -> onert, and those of onert-micro."""
    count = 0
    for case in golden_cases():
        plain = {"onert-merged": "onert", "onert-micro": "onert_micro"}.get(case["dialect"])
        if plain is None:
            continue
        count += 1
        model = write("model.txt", case_model(case) or "# no tensors\n")
        said = golden_round_trip(case, plain, plain + "_plus", model)
        equal((said["step"], said["epoch"]), (case["step"], case["epoch"]), case["case"])
        tensors = said["contents"]["tensors"]
        equal([one["name"] for one in tensors], case_names(case), case["case"] + ": names")
        equal(run(0, "inspect", "v2.file", "--model-text").stdout.decode(), case_model(case),
              case["case"] + ": model text")
        equal(run(0, "inspect", "safetensors.file", "--model-text").stdout.decode(),
              case_model(case), case["case"] + ": model text of safetensors")
        if case["case"] != "sgd_shared":  # of the dead copies only the model knows
            said = golden_round_trip(case, plain, plain + "_plus", None)
            check(all(one["name"] == "tensor.%d" % i and one["dtype"] == "u8"
                      for i, one in enumerate(said["contents"]["tensors"])), "positional names")
    check(count == 32, "%d golden files were converted" % count)


def directory_round_trips():
    for name in ("sgd_2t", "adam_2t", "adam_untrainable", "adam_12t_cnn", "adam_110t"):
        for case in golden_cases():
            if case["case"] != name:
                continue
            model = write("model.txt", case_model(case).replace("/w", ".w"))
            convert(golden_file(case), "v2.file", "--to", "v2", "--model", model,
                    "--force")
            for kind in ("oneflow", "paddle"):
                shutil.rmtree("tree", ignore_errors=True)
                convert("v2.file", "tree", "--to", kind)
                convert("tree", "back.file", "--to", "onert", "--model", model, "--force")
                equal(read("back.file"), read(golden_file(case)),
                      name + " by way of " + kind)
                if not case["offsets"]["m"] or "untrainable" not in name:
                    run(0, "diff", "tree", "v2.file")


def t2_safetensors():
    """FX-ADAM with names a, b, c to safetensors and back; the middle file is read strictly."""
    convert("fx.ckpt", "fx.safetensors", "--model", "abc.txt")
    metadata, tensors = read_safetensors("fx.safetensors")
    shapes = {"a": [4], "b": [2], "c": []}
    wanted = [(prefix + name, "F32", shapes[name], ADAM_PARTS[section][i])
              for section, prefix in enumerate(("", "m/", "v/")) for i, name in enumerate("abc")]
    equal(tensors, wanted, "T2: tensors")
    equal((metadata["ckpt.step"], metadata["ckpt.epoch"]), ("1234", "7"), "T2: counters")
    convert("fx.safetensors", "fx2.ckpt", "--to", "onert")
    equal(read("fx2.ckpt"), ADAM, "T2: back")


def hand_written_files():
    """Files that were written byte by byte, by what the formats say of themselves."""
    folder = os.path.join(os.path.dirname(golden_file({"file": ""}).rstrip("/")), "identity")
    names = {"onert_micro_plus_sgd": ["x", "w", "b"], "onert_plus_adam": ["fc.w", "fc.b", "größe"]}
    found = sorted(name for name in os.listdir(folder) if name.endswith(".hex"))
    check(len(found) >= 5, "hand-written files are missing")
    for name in found:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            words = " ".join(line.split("#")[0] for line in file).split()
        pairs = [word.partition("*") for word in words]  # 00*12 is twelve zeros
        stem = write(name[:-4], b"".join(bytes.fromhex(digits) * int(times or 1)
                                         for digits, _, times in pairs))
        run(0, "verify", stem)
        said = run_json(0, "inspect", stem)
        if stem in names:
            equal([one["name"] for one in said["contents"]["tensors"]], names[stem], stem)
        kind = said["dialect"].replace("-", "_")
        convert(stem, "hand.safetensors", "--force")
        convert("hand.safetensors", "hand.back", "--to", kind, "--force")
        equal(run_json(0, "diff", stem, "hand.back")["equal"], True, stem + " and back")
        if kind != "v2":  # how long the state section is, is the writer's own choice
            equal(read("hand.back"), read(stem), stem + " byte for byte")


def slots_of_optimizers():
    """SGD -> Adam with zero slots, Adam -> SGD without: each only when asked for."""
    sgd = "sgd.ckpt"
    to = ["--to", "onert", "--model", "abc.txt"]
    refuse(1, ["--slots drop", "m, v"], "convert", "fx.ckpt", "no", "--optimizer", "sgd", *to)
    refuse(1, ["--slots zero", "m, v"], "convert", sgd, "no", "--optimizer", "adam", *to)
    convert("fx.ckpt", "s1", "--optimizer", "sgd", "--slots", "drop", *to)
    equal(read("s1"), read(sgd), "Adam to SGD")
    convert("fx.ckpt", "s2", "--slots", "drop", *to)
    equal(read("s2"), read(sgd), "all slots dropped")
    convert(sgd, "s3", "--optimizer", "adam", "--slots", "zero", *to)
    zeros = [bytes(len(one)) for one in ADAM_PARTS[0]]
    equal(read("s3"), onert_file([ADAM_PARTS[0], zeros, zeros], 1234, 7), "SGD to Adam")
    convert("fx.ckpt", "s4", "--to", "v2", "--model", "abc.txt", "--optimizer", "rmsprop_centred")
    said = run_json(0, "inspect", "s4")["contents"]
    equal((said["optimizer"], said["slots"]), ("rmsprop_centred", ["mean_square", "mean_gradient"]),
          "slots that the optimizer names")
    convert("fx.ckpt", "s5", "--to", "v2", "--model", "abc.txt", "--optimizer", "amsgrad",
            "--slots", "zero")
    equal(run_json(0, "inspect", "s5")["contents"]["slots"], ["m", "v", "v_max"], "Adam to AMSGrad")
    refuse(1, ["cannot write 'no'"], "convert", "s5", "no", "--to", "onert")
    refuse(1, ["--slots drop"], "convert", "s4", "no", "--to", "onert", "--optimizer", "adam",
           "--slots", "zero")
    convert("s4", "s6", "--to", "onert", "--optimizer", "adam", "--slots", "drop,zero")
    equal(read("s6"), read("s3"), "slots of other names are not the same slots")
    convert("s5", "s7", "--to", "onert", "--optimizer", "adamw", "--slots", "drop")
    equal(read("s7"), ADAM, "AMSGrad to AdamW")
    # Slots without names go by their places.
    metadata = {"ckpt.format": "1", "ckpt.model": "w f32 1\n", "ckpt.step": "1", "ckpt.epoch": "0",
                "ckpt.slots": '"" one/\n"" two/\n'}
    parts = [("w", b"wwww"), ("one/w", b"1111"), ("two/w", b"2222")]
    write("u.safetensors", safetensors_file([(name, "F32", [1], data) for name, data in parts],
                                            metadata))
    convert("u.safetensors", "u.v2", "--to", "v2")
    convert("u.v2", "u.ckpt", "--to", "onert")
    equal(read("u.ckpt"), onert_file([[data] for _, data in parts], 1, 0), "slots without names")
    run(0, "extract", "u.v2", "w", "--slot", "slot 2", "--npy", "u.npy")
    equal(read_npy("u.npy")[2], b"2222", "a slot without a name")
    # The factors of Adafactor have sizes of their own.
    weight, row, column = bytes(range(24)), b"\1" * 8, b"\2" * 12
    write("f.txt", "w f32 2x3\n")
    write("fac.ckpt", onert_file([[weight], [row], [column]], 1, 0))
    refuse(1, [], "convert", "fac.ckpt", "no", "--to", "v2", "--model", "f.txt")
    convert("fac.ckpt", "fac.v2", "--to", "v2", "--model", "f.txt", "--optimizer", "adafactor")
    slots = run_json(0, "inspect", "fac.v2")["contents"]["tensors"][0]["slots"]
    equal([(one["name"], one["shape"]) for one in slots], [("row", [2]), ("column", [3])],
          "Adafactor")
    convert("fac.v2", "fac2.ckpt", "--to", "onert")
    equal(read("fac2.ckpt"), read("fac.ckpt"), "Adafactor back")


def drafts_without_a_footer():
    draft = os.path.join(os.path.dirname(golden_file({"file": ""})), "onert-draft/d1_adam_2t.ckpt")
    done = run(0, "convert", draft, "d1.v2", "--to", "v2")
    check(b"no step" in done.stderr, "a draft has no step, and nobody says so")


def index_maps():
    """onert <-> onert-micro: a tensor of one has another index in the other."""
    write("to_micro.txt", "# the graph has six tensors\n1 0\n2 1\n4 2  # the last weight\n5 -\n"
                          "visits 4 2 1\n")
    write("to_onert.txt", "0 1\n1 2\n2 4\n")
    micro = read("fx.micro")
    convert("fx.ckpt", "i.micro", "--to", "onert_micro", "--map", "to_micro.txt")
    equal(read("i.micro"), micro, "onert to onert-micro")
    convert("i.micro", "i.ckpt", "--to", "onert", "--map", "to_onert.txt")
    equal(read("i.ckpt"), ADAM, "onert-micro to onert")
    write("order.txt", "x f32 1 absent\na f32 4\nb f32 2\ny f32 1 absent\nc f32 scalar\n"
                       "z f32 1 absent\nvisits 4 2 1\n")
    convert("abc.v2", "i2.micro", "--to", "onert_micro", "--model", "order.txt")
    equal(read("i2.micro"), micro, "onert-micro by the names of a model")
    convert("abc.v2", "i3.micro", "--to", "onert_micro", "--model", "order.txt", "--map",
            write("ids.txt", "1 0\n2 1\n4 2\n"))
    equal(read("i3.micro"), micro, "indices into a model")
    wrong = {"9 0\n8 0\n0 1\n1 2\n": "taken twice", "0 3\n": "takes tensor 3 of 3",
             "0 0\n1 1\n": "tensor 2", "0 0\n0 1\n": "line 2", "0 0\nvisits x\n": "line 2",
             "0 0\nvisits\n": "line 2", "0\n": "line 1", "0 1 2\n": "line 1",
             "0 0\nname a\n": "line 2", "x tensor.0\n0 0\n": "line 2", "# nothing\n": "no line",
             "1000000 0\n": "line 1", "\"a b 0\n": "line 1", "0 0\nvisits 0\nvisits 0\n": "line 3"}
    for text, words in wrong.items():
        write("wrong.txt", text)
        refuse(1, [words], "convert", "fx.ckpt", "no", "--to", "onert_micro", "--map", "wrong.txt")
    refuse(2, ["nowhere.txt"], "convert", "fx.ckpt", "no", "--to", "v2",
           "--map", "nowhere.txt")


def names_and_orders():
    """D1: weights and slots follow their names into another order."""
    write("cab.txt", "c f32 scalar\na f32 4\nb f32 2\n")
    convert("abc.v2", "cab.ckpt", "--to", "onert", "--model", "cab.txt")
    equal(read("cab.ckpt"), onert_file([[part[i] for i in (2, 0, 1)] for part in ADAM_PARTS], 1234,
                                       7), "another order")
    write("names.txt", "\"a new name\" a\nb c   # and\r\nc b\n")
    convert("abc.v2", "renamed.v2", "--to", "v2", "--map", "names.txt")
    said = run_json(0, "inspect", "renamed.v2")["contents"]
    equal([one["name"] for one in said["tensors"]], ["a new name", "c", "b"], "new names")
    convert("fx.ckpt", "named.v2", "--to", "v2", "--map", write("n.txt", "a tensor.0\n"))
    said = run_json(0, "inspect", "named.v2")["contents"]
    equal([one["name"] for one in said["tensors"]], ["a", "tensor.1", "tensor.2"], "names for some")
    for text, words in {"x q\n": "'q'", "x a\ny a\n": "twice", "b a\n": "'b'"}.items():
        write("wrong.txt", text)
        refuse(1, [words], "convert", "abc.v2", "no", "--to", "onert", "--map", "wrong.txt")
    for text, words in {"a f32 4\nb f32 2\n": "'c'", ABC + "d f32 1\n": "'d'",
                        ABC.replace("f32 4", "i32 4"): "'a'",
                        ABC.replace("f32 4", "f32 2x2"): "'a'",
                        ABC.replace("f32 4", "f32 4 frozen"): "--slots drop",
                        ABC.replace("f32 4", "f32 4 absent"): "'a'"}.items():
        write("wrong.txt", text)
        refuse(1, [words], "convert", "abc.v2", "no", "--to", "onert", "--model", "wrong.txt")


def n1_bits():
    """NaN payloads, signalling bits, -0 and denormals survive every converter."""
    tensors = [(dtype, dtype, [11], specials(dtype)) for dtype in SPECIALS]
    write("n1.safetensors", safetensors_file(tensors))
    write("n1.txt", "".join("%s %s 11\n" % (name, NAMES[name]) for name, _, _, _ in tensors))
    source = "n1.safetensors"
    chain = ["onert", "onert_plus", "onert_micro", "onert_micro_plus", "v2", "oneflow", "paddle",
             "safetensors"]
    for kind in chain:
        if kind == "oneflow":  # it has no name for bfloat16
            continue
        convert(source, "n1." + kind, "--to", kind, "--model", "n1.txt", "--force")
        source = "n1." + kind
        for name, _, _, data in tensors:
            run(0, "extract", source, name, "--npy", "n1.npy", "--force", "--model", "n1.txt")
            equal(read_npy("n1.npy")[2], data, "N1: %s in %s" % (name, kind))
    equal([one[3] for one in read_safetensors("n1.safetensors")[1]], [one[3] for one in tensors],
          "N1: back")
    write("n1b.safetensors", safetensors_file(tensors[:3]))
    convert("n1b.safetensors", "n1.oneflow", "--to", "oneflow")
    run(0, "diff", "n1b.safetensors", "n1.oneflow")


def g10_empty_tensors():
    for place in range(3):
        sizes = [4, 8]
        sizes.insert(place, 0)
        tensors = [("t%d" % i, "F32", [size // 4, 1], bytes([i + 1]) * size)
                   for i, size in enumerate(sizes)]
        model = write("g.txt", "".join("t%d f32 %dx1\n" % (i, size // 4)
                                       for i, size in enumerate(sizes)))
        write("g.safetensors", safetensors_file(tensors))
        shutil.rmtree("g.arrays", ignore_errors=True)
        convert("g.safetensors", "g.arrays", "--to", "npy")
        equal([read_npy("g.arrays/t%d.npy" % i)[1:] for i in range(3)],
              [(tuple(one[2]), one[3]) for one in tensors], "G10: npy")
        for kind in ("onert", "onert_plus", "onert_micro_plus", "v2", "oneflow", "paddle"):
            shutil.rmtree("g." + kind, ignore_errors=True)
            convert("g.safetensors", "g." + kind, "--to", kind, "--force", "--optimizer", "adam",
                    "--slots", "zero")
            convert("g." + kind, "g.back", "--to", "safetensors", "--force", "--model", model,
                    "--slots", "drop")
            equal(read_safetensors("g.back")[1], tensors, "G10: %d by way of %s" % (place, kind))


if __name__ == "__main__":
    start(__doc__, [round_trips, directory_round_trips, t2_safetensors, hand_written_files,
                    slots_of_optimizers, drafts_without_a_footer, index_maps, names_and_orders, n1_bits, g10_empty_tensors])
