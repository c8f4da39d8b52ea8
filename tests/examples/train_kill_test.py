"""Tests of the trainer that is interrupted: killed, told to stop, told to save, or run twice.

    python3 tests/examples/train_kill_test.py path/to/train
"""

import os
import random
import shutil
import signal
import subprocess
import time

import train_support as support
from train_support import (Ended, check, copy_until, ends, equal, ok, refuse, run, same_end,
                           serials, step_of)

KILLS = 20
# A run of a second or some, most of it for its checkpoints.
LONG = ("--epoch", "16", "--step_interval", "4", "--shuffle", "5")
STEPS = ("--verbose_level", "2")


def begin(*words):
    with open("out", "wb") as out, open("err", "wb") as err:
        return subprocess.Popen([support.train] + list(words), stdout=out, stderr=err)


def end(process, *words):
    process.wait(timeout=240)
    return Ended(words, process.returncode, support.content("out"), support.content("err"))


def newest(directory):
    """The serial of the newest checkpoint; -1: there is none."""
    try:
        return max([-1] + serials(directory))
    except FileNotFoundError:
        return -1


def wait_for_newer(directory, serial, process):
    """Until there is a newer checkpoint than that, or the run has ended."""
    deadline = time.monotonic() + 60
    while newest(directory) <= serial and process.poll() is None:
        if not check(time.monotonic() < deadline, "no checkpoint within a minute"):
            return
        time.sleep(0.001)


def wait_for_output(process):
    """Until it is training: what it prints comes in blocks, the first not before some steps."""
    while process.poll() is None and os.path.getsize("out") == 0:
        time.sleep(0.001)


class Kills:
    """What came of killing a run at random times."""

    def __init__(self, words, longest_life):
        self.words = ("--checkpoint_dir", "killed", "--resume") + words
        self.longest_life = longest_life
        self.count = 0
        self.half_made = 0
        self.restarts = 0

    def life(self):
        """Starts the run and kills it, every other time not before it has saved; false if it was
        faster and has ended."""
        before = newest("killed")
        process = begin(*(self.words + LONG + STEPS))
        if self.count % 2 == 0:
            wait_for_newer("killed", before, process)
        time.sleep(random.uniform(0, self.longest_life))
        process.kill()
        ended = end(process, *self.words)
        if ended.code == 0:
            return False
        equal(ended.code, -signal.SIGKILL, "killed: exit code; %s" % ended.err)
        self.count += 1
        self.look(before)
        return True

    def look(self, before):
        after = newest("killed")
        check(after >= before, "killed: the newest checkpoint is %d, was %d" % (after, before))
        if os.path.isdir("killed"):
            self.half_made += any(name.endswith(".ckpt-tmp") for name in os.listdir("killed"))


def killed_at_random(what, *words):
    """20 kills, and the end is that of a run that nobody disturbed."""
    shutil.rmtree("straight", ignore_errors=True)
    began = time.monotonic()
    whole = run("--checkpoint_dir", "straight", *(LONG + words))
    kills = Kills(words, (time.monotonic() - began) / KILLS)
    lives = []
    shutil.rmtree("killed", ignore_errors=True)
    while kills.count < KILLS:
        if kills.life():
            lives.append(step_of("killed") if newest("killed") >= 0 else 0)
            continue
        # It came to its end between the kills: that is looked at, and it begins anew.
        same_end("killed", "straight", what)
        kills.restarts += 1
        shutil.rmtree("killed")
    last = run(*(kills.words + LONG))
    equal(last.epochs(), whole.epochs()[len(whole.epochs()) - len(last.epochs()):],
          what + ": epoch lines of the last life")
    same_end("killed", "straight", what)
    equal([name for name in os.listdir("killed") if name.endswith(".ckpt-tmp")], [],
          what + ": what is left of interrupted saves")
    check(len(set(lives)) > KILLS // 3, "%s: hardly any progress: %r" % (what, lives))
    ok("%s: %d kills, %d of them within a save; saved steps at the kills %s; %d times it was "
       "faster; the last checkpoint equals that of an uninterrupted run byte for byte"
       % (what, kills.count, kills.half_made, " ".join(str(step) for step in lives),
          kills.restarts))


def kills():
    killed_at_random("killed, in the foreground")
    killed_at_random("killed, in the background", "--async")


def stops(number, name, *way):
    """A signal saves and stops; the run goes on as if there had been none."""
    what = "%s%s" % (name, " with --async" if way else "")
    shutil.rmtree("stopped", ignore_errors=True)
    # Nothing is saved but for the signal and at the end.
    words = ("--checkpoint_dir", "stopped", "--epoch", "40", "--step_interval", "100000",
             "--shuffle", "5") + STEPS + way
    process = begin("--resume", "--clean_on_success", *words)
    wait_for_output(process)
    time.sleep(random.uniform(0, 0.02))
    process.send_signal(number)
    first = ends(end(process, *words), 128 + number)
    done = len(first.step_numbers())
    equal(len(serials("stopped")), 1, what + ": checkpoints")
    equal(step_of("stopped"), done, what + ": the saved step")
    check("Stopped by signal %d and saved: step %d," % (number, done) in first.out,
          what + ": says so")
    rest = run("--resume", *words)
    whole = run("--checkpoint_dir", "stop_whole", *words[2:])
    equal(first.steps() + rest.steps(), whole.steps(), what + ": steps of both parts")
    equal(first.epochs() + rest.epochs(), whole.epochs(), what + ": epoch lines of both parts")
    same_end("stopped", "stop_whole", what)
    shutil.rmtree("stop_whole")
    ok("%s saves and stops with %d, after step %d; the checkpoint stays in spite of "
       "--clean_on_success, and both parts are the whole" % (what, 128 + number, done))


def signals_stop():
    stops(signal.SIGTERM, "SIGTERM")
    stops(signal.SIGTERM, "SIGTERM", "--async")
    stops(signal.SIGINT, "SIGINT")


def hang_up_saves():
    words = ("--checkpoint_dir", "hup", "--epoch", "40", "--step_interval", "100000", "--shuffle",
             "5", "--max_to_keep", "1000") + STEPS
    process = begin(*words)
    wait_for_output(process)
    for _ in range(3):
        before = newest("hup")
        process.send_signal(signal.SIGHUP)
        wait_for_newer("hup", before, process)
    whole = ends(end(process, *words), 0)
    equal(len(whole.steps()), 4000, "SIGHUP: it goes on to the end")
    equal(serials("hup"), [0, 1, 2, 3], "SIGHUP: three checkpoints, and the last")
    saved = [step_of("hup", serial) for serial in serials("hup")]
    for serial in 0, 1, 2:
        copy_until("hup", serial, "part")
        rest = run("--resume", "--checkpoint_dir", "part", *words[2:])
        equal(rest.steps(), whole.steps()[saved[serial]:], "SIGHUP: resumed")
        same_end("part", "hup", "SIGHUP")
    ok("SIGHUP saves and goes on: steps %s" % " ".join(str(step) for step in saved))


def one_run_at_a_time():
    words = ("--checkpoint_dir", "busy", "--resume", "--epoch", "100000")
    process = begin(*words)
    wait_for_newer("busy", -1, process)
    refuse("a second run", ["--checkpoint_dir: cannot manage", "busy"], *words)
    process.kill()
    process.wait()
    after = step_of("busy")
    ended = run("--checkpoint_dir", "busy", "--resume", "--epoch", "1")
    check("Restored checkpoint_%d of busy: step %d" % (newest("busy"), after) in ended.out
          or step_of("busy") == 100, "after a kill the directory is free: %r" % ended.out)
    ok("two runs do not share a directory, and a killed one does not keep it")


support.main([kills, signals_stop, hang_up_saves, one_run_at_a_time])
