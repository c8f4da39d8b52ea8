"""Tests of the trainer with a directory of checkpoints: what is saved, kept, resumed and refused.

    python3 tests/examples/train_checkpoint_test.py path/to/train
"""

import os
import resource
import shutil
import signal

import train_support as support
from train_support import (arguments, attempt, check, copy_until, ends, entry, equal, model, ok,
                           refuse, run, same_end, serials, step_of, tree)

ALL = ("--max_to_keep", "1000")
STEPS = ("--verbose_level", "2")
# 16 steps an epoch.
SPLIT = ("--batch_size", "50", "--validation_split", "0.2", "--metric", "0")


def resumes_everywhere(what, *words):
    """A run that is resumed from any of its checkpoints is, from there on, the same run."""
    shutil.rmtree("whole", ignore_errors=True)
    words += SPLIT + STEPS + ALL + ("--epoch", "3", "--step_interval", "5")
    whole = run("--checkpoint_dir", "whole", *words)
    equal(whole.step_numbers(), list(range(1, 49)), what + ": steps")
    equal([step_of("whole", serial) for serial in serials("whole")],
          list(range(5, 46, 5)) + [48], what + ": saved steps")
    for serial in serials("whole"):
        copy_until("whole", serial, "part")
        done = step_of("part")
        rest = run("--checkpoint_dir", "part", "--resume", *words)
        here = "%s, resumed at step %d" % (what, done)
        equal(rest.steps(), whole.steps()[done:], here + ": steps, rates and losses")
        equal(rest.epochs(), whole.epochs()[done // 16:], here + ": epoch lines")
        equal(rest.begun_epochs(), list(range(done // 16 + 1, 4)), here + ": epochs that begin")
        same_end("part", "whole", here)
        equal(tree("part"), tree("whole"), here + ": all checkpoints")
    ok("%s: a run resumed at any of %d checkpoints equals the uninterrupted one, step by step and "
       "byte by byte" % (what, len(serials("whole"))))


def resume_is_exact():
    for number, name in ("1", "SGD"), ("2", "Adam"), ("3", "momentum"):
        for shuffle in ("no shuffle",), ("shuffle", "--shuffle", "7"):
            for way in ("in the foreground",), ("in the background", "--async"):
                resumes_everywhere("%s, %s, %s" % (name, shuffle[0], way[0]), "--optimizer",
                                   number, *(shuffle[1:] + way[1:]))
    for kind in "onert", "onert_plus":
        resumes_everywhere("Adam, files of " + kind, "--checkpoint_dir_format", kind, "--shuffle",
                           "7")
    resumes_everywhere("frozen layers", "--num_of_trainable_ops", "1")


def async_saves_the_same():
    run("--checkpoint_dir", "sync", "--epoch", "2", *ALL)
    run("--checkpoint_dir", "async", "--epoch", "2", "--async", *ALL)
    equal(tree("async"), tree("sync"), "--async: all checkpoints")
    ok("--async leaves the same %d checkpoints" % len(serials("sync")))


def e1_no_step_twice():
    """Three sessions of three batches each."""
    sessions = [run("--checkpoint_dir", "e1", "--resume", "--epoch", epochs, "--batch_size", "300",
                    *(STEPS + ALL)) for epochs in "123"]
    for number, session in enumerate(sessions):
        equal(session.step_numbers(), [3 * number + i for i in (1, 2, 3)], "E1: steps")
        equal([step[2] for step in session.steps()], ["0", "1", "2"], "E1: batches")
    equal([step_of("e1", serial) for serial in serials("e1")], [3, 6, 9], "E1: stored steps")
    run("--checkpoint_dir", "e1_whole", "--epoch", "3", "--batch_size", "300")
    same_end("e1", "e1_whole", "E1")
    says = " ".join(run("--help").out.split())
    check("Steps and epochs are counted when they are completed: a checkpoint of step 3 goes on "
          "with the fourth." in says, "E1: --help says what the stored step means")
    ok("E1: three sessions of three batches: 9 updates, stored steps 3, 6, 9, no batch twice")


def e2_counters_stand():
    before = tree("e1")
    for _ in range(10):
        ended = run("--checkpoint_dir", "e1", "--resume", "--epoch", "3", "--batch_size", "300")
        check("step 9, epoch 3; nothing is left to train" in ended.out, "E2: says so")
        equal(tree("e1"), before, "E2: the directory")
    # Within an epoch: each process loads, and is made to save again by a longer run that is cut.
    run("--checkpoint_dir", "e2", "--epoch", "1", "--step_interval", "41", *ALL)
    copy_until("e2", 0, "part")
    first = model("part")
    for _ in range(10):
        run("--checkpoint_dir", "part", "--resume", "--epoch", "1", "--step_interval", "41", *ALL)
        copy_until("part", 0, "again")
        shutil.rmtree("part")
        os.rename("again", "part")
    equal((model("part"), step_of("part")), (first, 41), "E2: step 41 after 10 processes")
    ok("E2: 10 processes that load in turn leave step, epoch and all bytes as they are")


def e3_schedule():
    """10 steps up, then a cosine down to step 100."""
    plan = ("--lr_schedule", "warmup_cosine", "--warmup_steps", "10", "--batch_size", "50",
            "--step_interval", "45") + STEPS + ALL
    whole = run("--checkpoint_dir", "e3", "--epoch", "5", *plan)
    equal(whole.step_numbers(), list(range(1, 101)), "E3: steps")
    rates = [float(step[3]) for step in whole.steps()]
    check(all(a < b for a, b in zip(rates[:9], rates[1:10])), "E3: the rate rises for 10 steps")
    check(all(a > b for a, b in zip(rates[10:], rates[11:])), "E3: and then falls")
    equal(["%.9g" % rates[step] for step in (0, 9, 10, 55)],
          ["0.000100000005", "0.00100000005", "0.00100000005", "0.000500000024"], "E3: rates")
    for given in plan, STEPS + ALL + ("--batch_size", "50", "--step_interval", "45"):
        copy_until("e3", 0, "part")
        rest = run("--checkpoint_dir", "part", "--resume", "--epoch", "5", *given)
        equal(rest.steps(), whole.steps()[45:], "E3: steps 46 to 100")
        same_end("part", "e3", "E3")
    run("--epoch", "2", "--total_steps", "100", "--export_checkpoint", "b.ckpt", *plan[:6])
    rest = run("--epoch", "3", "--checkpoint", "b.ckpt", *(plan[:6] + STEPS))
    equal(rest.steps(), [(step, str(int(epoch) - 2)) + tuple(others) for step, epoch, *others in
                         whole.steps()[40:]], "E3: with --checkpoint, steps 41 to 100")
    copy_until("e3", 0, "part")
    longer = run("--checkpoint_dir", "part", "--resume", "--epoch", "6", "--batch_size", "50",
                 *STEPS)
    equal(longer.steps()[:55], whole.steps()[45:], "E3: a longer run keeps the length")
    equal({step[3] for step in longer.steps()[55:]}, {"0"}, "E3: and has rate 0 behind it")
    ok("E3: a schedule cut at step 45 goes on with the rate of every step from 46 to 100")


def total_and_additional_epochs():
    whole = run("--checkpoint_dir", "t", "--epoch", "5", "--step_interval", "50",
                "--export_checkpoint", "five.ckpt", *ALL)
    copy_until("t", [step_of("t", serial) for serial in serials("t")].index(150), "part")
    rest = run("--checkpoint_dir", "part", "--resume", "--epoch", "5", "--step_interval", "50",
               *(ALL + STEPS))
    check("Restored checkpoint_2 of part: step 150, epoch 1 and 50 steps of the next\n" in rest.out,
          "total: says where it stands")
    equal(rest.begun_epochs(), [2, 3, 4, 5], "total: epochs")
    equal(rest.epochs(), whole.epochs()[1:], "total: epoch lines")
    run("--epoch", "2", "--export_checkpoint", "two.ckpt")
    more = run("--epoch", "3", "--checkpoint", "two.ckpt", "--export_checkpoint", "end.ckpt")
    equal([line[0] for line in more.epochs()], ["Epoch %d/3" % i for i in (1, 2, 3)],
          "additional: epoch lines")
    equal(support.content("end.ckpt"), support.content("five.ckpt"), "additional: the checkpoint")
    fewer = run("--checkpoint_dir", "part", "--resume", "--epoch", "4")
    check("epoch 5; nothing is left to train" in fewer.out, "total: more than wanted is there")
    run("--checkpoint_dir", "from_two", "--epoch", "3", "--checkpoint", "two.ckpt")
    same_end("from_two", "t", "additional, into a directory")
    ok("--resume counts epochs in all, --checkpoint counts more of them")


def serial_0_resumes():
    words = ("--epoch", "1", "--batch_size", "50", "--step_interval", "7") + ALL
    run("--checkpoint_dir", "zero", *words)
    copy_until("zero", 0, "part")
    equal(serials("part"), [0], "serial 0: what is there")
    rest = run("--checkpoint_dir", "part", "--resume", *(words + STEPS))
    equal(rest.step_numbers(), list(range(8, 21)), "serial 0: steps")
    same_end("part", "zero", "serial 0")
    ok("a run that has only checkpoint_0 trains no step twice")


def new_and_used_directories():
    ended = run("--checkpoint_dir", "new/er", "--resume", "--epoch", "1")
    check("No checkpoint in new/er yet: a new run begins\n" in ended.out, "new: says so")
    run("--checkpoint_dir", "straight", "--epoch", "1")
    same_end("new/er", "straight", "new")
    before = tree("straight")
    refuse("used", ["--checkpoint_dir straight: has checkpoints of a run, the newest is "
                    "checkpoint_9; give --resume to go on with it, or another directory"],
           "--checkpoint_dir", "straight", "--epoch", "1")
    equal(tree("straight"), before, "used: the directory")
    ok("--resume begins where nothing is; without it a used directory is refused")


def unusable_checkpoints():
    run("--checkpoint_dir", "bad", "--epoch", "1", "--step_interval", "40", *ALL)
    equal(serials("bad"), [0, 1, 2], "unusable: what is there")
    with open("bad/checkpoint_2/model.ckpt", "r+b") as file:
        file.seek(5000)
        file.write(b"damage")
    copy_until("bad", 2, "part")
    rest = run("--checkpoint_dir", "part", "--resume", "--epoch", "1", *STEPS)
    check("passed over" in rest.err and "checkpoint_2" in rest.err, "fallback: %r" % rest.err)
    check("Restored checkpoint_1 of part: step 80" in rest.out, "fallback: %r" % rest.out)
    equal(rest.step_numbers(), list(range(81, 101)), "fallback: steps")
    os.truncate("bad/checkpoint_1/model.ckpt", 100)
    os.remove("bad/checkpoint_0/_SUCCESS")
    before = tree("bad")
    names = ["checkpoint_0", "checkpoint_1", "checkpoint_2"]
    refuse("none usable", ["--checkpoint_dir: cannot resume from"] + names,
           "--checkpoint_dir", "bad", "--resume", "--epoch", "1")
    refuse("none usable, no --resume", "has checkpoints of a run",
           "--checkpoint_dir", "bad", "--epoch", "1")
    equal(tree("bad"), before, "none usable: the directory")
    before = tree("straight")
    refuse("another optimizer", ["written by another optimizer"] +
           ["checkpoint_%d" % i for i in (7, 8, 9)],
           "--checkpoint_dir", "straight", "--resume", "--epoch", "2", "--optimizer", "1")
    refuse("another network", "checkpoint_9", "--checkpoint_dir", "straight", "--resume",
           "--epoch", "2", "--hidden", "8")
    equal(tree("straight"), before, "another optimizer or network: the directory")
    ok("a broken checkpoint is passed over; where none is usable all are listed and nothing is "
       "touched")


def within_an_epoch():
    words = ("--epoch", "2", "--step_interval", "30", "--batch_size", "10")
    run("--checkpoint_dir", "within", *(words + ALL))
    copy_until("within", 0, "part")
    before = tree("part")
    refuse("another batch size", "--batch_size 20: the checkpoint was saved within an epoch of "
           "batches of 10; go on with that size", "--checkpoint_dir", "part", "--resume",
           "--batch_size", "20")
    refuse("another split", "saved behind 300 samples of an epoch, and here an epoch has 300",
           "--checkpoint_dir", "part", "--resume", "--validation_split", "0.7")
    refuse("as a file", "it was saved within an epoch; --checkpoint_dir with --resume goes on",
           "--checkpoint", "part/checkpoint_0/model.ckpt")
    equal(tree("part"), before, "within an epoch: the directory")
    ok("within an epoch only the same batches lead on")


def checkpoint_says_what_no_flag_says():
    odd = ("--learning_rate", "0.0005", "--shuffle", "7")
    for kind in "onert", "onert_plus", "v2":
        words = ("--epoch", "1", "--checkpoint_dir_format", kind, "--step_interval", "30") + ALL
        shutil.rmtree("odd", ignore_errors=True)
        run("--checkpoint_dir", "odd", *(words + odd))
        copy_until("odd", 0, "part")
        rest = run("--checkpoint_dir", "part", "--resume", *words)
        check("- learning_rate        = 0.0005\n" in rest.out, kind + ": says the learning rate")
        same_end("part", "odd", kind + ": learning rate and shuffle of the checkpoint")
        copy_until("odd", 0, "part")
        run("--checkpoint_dir", "part", "--resume", "--shuffle", "8", *words)
        check(model("part") != model("odd"), kind + ": a flag counts more")
    ok("learning rate and shuffle come from the checkpoint, in every format")


def what_stays():
    words = ("--epoch", "2", "--batch_size", "50", "--step_interval", "4")
    steps = lambda name: [step_of(name, serial) for serial in serials(name)]
    run("--checkpoint_dir", "k1", *words)
    equal(steps("k1"), [32, 36, 40], "--max_to_keep: default 3")
    run("--checkpoint_dir", "k2", "--max_to_keep", "1", *words)
    equal(steps("k2"), [40], "--max_to_keep 1")
    run("--checkpoint_dir", "k3", "--keep_every", "15", *words)
    equal(steps("k3"), [16, 32, 36, 40], "--keep_every 15")
    run("--checkpoint_dir", "k4", "--epoch_interval", "2", *(words + ALL))
    equal(steps("k4"), [4, 8, 12, 16, 20, 40], "--epoch_interval 2, and the end")
    run("--checkpoint_dir", "k5", "--epoch", "1", "--batch_size", "50", "--step_interval", "7")
    equal(steps("k5"), [7, 14, 20], "the end of a run, off the interval")
    run("--checkpoint_dir", "all", *(words + ALL))
    losses = {arguments("all", serial)["loss"] for serial in serials("all")}
    check(len(losses) == 10, "a loss in every checkpoint: %r" % losses)
    rising = ("--learning_rate", "6", "--optimizer", "1", "--lr_schedule", "warmup_cosine",
              "--warmup_steps", "39")
    run("--checkpoint_dir", "rise", *(words + ALL + rising))
    by_loss = {step_of("rise", serial): float(arguments("rise", serial)["loss"])
               for serial in serials("rise")}
    run("--checkpoint_dir", "best", "--keep_best", "loss", "--max_to_keep", "1",
        *(words + rising))
    lowest = min(sorted(by_loss), key=by_loss.get)
    equal(steps("best"), sorted({lowest, 40}), "--keep_best loss")
    check(lowest < 32, "--keep_best loss: the lowest is at step %d, where it would stay anyway"
          % lowest)
    ok("rotation: newest, every so many steps, the best, and the end")


def best_by_validation():
    words = ("--epoch", "4", "--step_interval", "7", "--checkpoint_dir_format", "onert") + SPLIT
    whole = run("--checkpoint_dir", "v1", "--keep_best", "val_loss", *(words + ALL))
    found = {step_of("v1", serial): arguments("v1", serial).get("val_loss")
             for serial in serials("v1")}
    equal([step for step in sorted(found) if found[step]], [16, 32, 48, 64],
          "val_loss: known at the end of an epoch")
    printed = [line[1].split("val_loss: [0] ")[1].split(" ")[0] for line in whole.epochs()]
    equal(["%.4f" % float(found[step]) for step in (16, 32, 48, 64)], printed,
          "val_loss: as printed")
    rising = words + ("--optimizer", "1", "--learning_rate", "1", "--lr_schedule",
                      "warmup_cosine", "--warmup_steps", "63")
    run("--checkpoint_dir", "v2", "--keep_best", "val_loss", *(rising + ALL))
    run("--checkpoint_dir", "v3", "--keep_best", "val_loss", "--max_to_keep", "1", *rising)
    known = {step_of("v2", serial): float(arguments("v2", serial).get("val_loss", "inf"))
             for serial in serials("v2")}
    lowest = min(sorted(known), key=known.get)
    check(lowest != 64, "val_loss: the lowest is at the end, where it would stay anyway")
    equal([step_of("v3", serial) for serial in serials("v3")], [lowest, 64],
          "--keep_best val_loss")
    refuse("val_loss without a split", "--keep_best val_loss: nothing is validated: give "
           "--validation_split too", "--checkpoint_dir", "v4", "--keep_best", "val_loss")
    check(not os.path.exists("v4"), "val_loss without a split makes no directory")
    ok("--keep_best val_loss saves where it is known")


def clean_on_success():
    run("--checkpoint_dir", "clean", "--epoch", "1", "--clean_on_success")
    check(not os.path.exists("clean"), "--clean_on_success: the directory is gone")
    run("--checkpoint_dir", "clean", "--epoch", "1")
    equal(len(serials("clean")), 3, "without it the checkpoints stay")
    with open("clean/notes", "w") as file:
        file.write("mine")
    run("--checkpoint_dir", "clean", "--epoch", "2", "--resume", "--clean_on_success", "--async")
    equal(os.listdir("clean"), ["notes"], "--clean_on_success: what is not ours stays")
    ok("--clean_on_success removes the checkpoints, and nothing else")


def small_files_only():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))


def saves_that_fail():
    run("--checkpoint_dir", "full", "--epoch", "1")
    before = tree("full")
    words = ("--checkpoint_dir", "full", "--epoch", "2", "--resume")
    ended = refuse("save that fails", "--checkpoint_dir: cannot save", *words,
                   preexec_fn=small_files_only)
    equal(ended.err.count("\n"), 1, "a save that fails: lines of reasons")
    equal(tree("full"), before, "a save that fails: the directory")
    ended = ends(attempt("--async", *words, preexec_fn=small_files_only), 1)
    check("--checkpoint_dir: in the background: cannot save" in ended.err,
          "a save that fails in the background: %r" % ended.err)
    equal(len(ended.epochs()), 1, "a save that fails in the background: training goes on")
    equal(tree("full"), before, "a save that fails in the background: the directory")
    ended = ends(attempt("--async", "--clean_on_success", *words, preexec_fn=small_files_only), 1)
    equal(tree("full"), before, "what went wrong is no success: nothing is cleaned")
    run(*words)
    run("--checkpoint_dir", "full_whole", "--epoch", "2")
    same_end("full", "full_whole", "after saves that failed")
    ok("a save that fails ends the run, one in the background is told; both exit with 1 and leave "
       "what was there")


def rollback():
    absurd = ("--rollback", "5", "--learning_rate", "1e30", "--optimizer", "1", "--epoch", "1")
    early = ends(attempt("--checkpoint_dir", "r1", *absurd), 1)
    check("is not finite, and there is nothing to go back to" in early.err,
          "rollback without a checkpoint: %r" % early.err)
    late = ends(attempt("--checkpoint_dir", "r2", "--step_interval", "1", *(absurd + STEPS)), 1)
    check("--rollback: the loss of step" in late.err, "rollback: %r" % late.err)
    check(len(late.step_numbers()) < 200, "rollback: %d steps" % len(late.step_numbers()))
    ok("--rollback ends a hopeless run after %d steps and %d rollbacks"
       % (len(late.step_numbers()), late.err.count("; back to ")))
    # Noise rises now and then: it goes back, and ends for sure.
    for rises in "123":
        noisy = attempt("--checkpoint_dir", "n" + rises, "--rollback", rises, "--epoch", "3",
                        "--step_interval", "5")
        count = noisy.err.count("; back to ")
        check("rose again; back to" in noisy.err, "rollback: noise: %r" % noisy.err)
        gave_up = "going back has not helped" in noisy.err or "nothing to go back" in noisy.err
        check(noisy.code == (1 if gave_up else 0), "rollback: noise ends with %d, %r"
              % (noisy.code, noisy.err))
        check(count <= 10 and len(serials("n" + rises)) >= 1, "rollback: noise, %d times" % count)
    # The rate rises until it is too high.
    words = ("--rollback", "1000", "--optimizer", "1", "--epoch", "3", "--loss", "1", "--shuffle",
             "3", "--lr_schedule", "warmup_cosine", "--warmup_steps", "200", "--learning_rate",
             "3") + STEPS
    for name, *way in (("r3",), ("r3_async", "--async"), ("r3_epoch", "--step_interval", "90")):
        saved = run("--checkpoint_dir", name, *(words + tuple(way)))
        count = saved.err.count("; back to ")
        check(1 <= count <= 10, "rollback: %d times" % count)
        equal(arguments(name)["rollbacks"], str(count), "rollback: counted in the checkpoint")
        equal(step_of(name), 300, "rollback: it came to its end")
        check("nan" not in saved.epochs()[-1][1], "rollback: %r" % saved.out[-200:])
        places = [tuple(int(number) for number in step[:3]) for step in saved.steps()]
        equal(places, [(step, (step - 1) // 100 + 1, (step - 1) % 100) for step, *_ in places],
              "rollback: epoch and batch of each step")
        jumps = [(a, b) for (a, *_), (b, *_) in zip(places, places[1:]) if b != a + 1]
        equal(len(jumps), count, "rollback: steps back")
        ok("--rollback: a rate that is too high is halved until it is not; from step to step %s"
           % ", ".join("%d to %d" % jump for jump in jumps))
    same_end("r3_async", "r3", "rollback in the background")
    for way in (), ("--async",):
        unharmed = run("--checkpoint_dir", "r4" + "".join(way), "--rollback", "50", "--epoch", "1",
                       *way)
        equal(unharmed.err, "", "rollback: nothing to do")
        run("--checkpoint_dir", "r5" + "".join(way), "--epoch", "1")
        same_end("r4" + "".join(way), "r5" + "".join(way), "rollback: nothing to do")


def flags_that_do_not_go_together():
    for flag in ("--resume", "--async", "--clean_on_success", "--max_to_keep=2",
                 "--step_interval=2", "--epoch_interval=2", "--keep_every=2", "--keep_best=loss",
                 "--rollback=2", "--checkpoint_dir_format=v2"):
        refuse(flag, flag.split("=")[0] + " says how to keep checkpoints: give --checkpoint_dir "
               "too", flag, "--epoch=1")
    for flag in ("--max_to_keep", "--step_interval", "--epoch_interval", "--keep_every",
                 "--rollback", "--total_steps"):
        for value in "0", "-1", "x", "1.5", "99999999999":
            refuse(flag, "%s %s: must be a whole number from 1 to" % (flag, value),
                   "--checkpoint_dir=d", "%s=%s" % (flag, value))
    refuse("warm-up", "--warmup_steps -1: must be a whole number from 0 to", "--warmup_steps=-1")
    refuse("metric", "--keep_best accuracy: must be loss or val_loss", "--keep_best=accuracy")
    refuse("schedule", "--lr_schedule cosine: must be constant or warmup_cosine",
           "--lr_schedule=cosine")
    refuse("format", "--checkpoint_dir_format v1: must be onert, onert_plus or v2",
           "--checkpoint_dir_format=v1")
    refuse("empty", "--checkpoint_dir : must be a name", "--checkpoint_dir=")
    refuse("two ways", "--checkpoint and --resume both say where to go on", "--checkpoint=a",
           "--checkpoint_dir=d", "--resume")
    for flag in "--warmup_steps=5", "--total_steps=5":
        refuse(flag, "describe a schedule: give --lr_schedule warmup_cosine", flag, "--epoch=1")
    refuse("long warm-up", "--warmup_steps 100: must be less than the total steps, here 100",
           "--lr_schedule=warmup_cosine", "--warmup_steps=100", "--epoch=1")
    check(not os.path.exists("d"), "a refused flag makes no directory")
    with open("file", "w"):
        pass
    refuse("a file", "--checkpoint_dir: cannot manage", "--checkpoint_dir=file", "--epoch=1")
    ok("flags that cannot be meant are refused, with what to do")


support.main([resume_is_exact, async_saves_the_same, e1_no_step_twice, e2_counters_stand,
              e3_schedule, total_and_additional_epochs, serial_0_resumes,
              new_and_used_directories, unusable_checkpoints, within_an_epoch,
              checkpoint_says_what_no_flag_says, what_stays, best_by_validation,
              clean_on_success, saves_that_fail, rollback, flags_that_do_not_go_together])
