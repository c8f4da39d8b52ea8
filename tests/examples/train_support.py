"""What the tests of the trainer with a directory of checkpoints share.

Checkpoints are looked at here by what their format says, never by ckpt.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

passed = 0
failures = 0
train = None


def check(holds, what):
    global passed, failures
    if holds:
        passed += 1
    else:
        failures += 1
        print("FAILED: " + what, file=sys.stderr)
    return holds


def equal(found, expected, what):
    return check(found == expected, "%s is %.900r instead of %.900r" % (what, found, expected))


def ok(what):
    print("ok: " + what)


class Ended:
    """A run of the trainer that has ended."""

    def __init__(self, words, code, out, err):
        self.words = " ".join(words)
        self.code = code
        self.out = out.decode()
        self.err = err.decode()

    def steps(self):
        """(step, epoch, batch, learning rate, loss) of each step, as printed."""
        return re.findall(r"^Step (\d+) \(epoch (\d+)/\d+, batch (\d+)\) - learning_rate: (\S+)"
                          r" - loss: (\S+)$", self.out, re.M)

    def step_numbers(self):
        return [int(step[0]) for step in self.steps()]

    def begun_epochs(self):
        return [int(epoch) for epoch in re.findall(r"^Epoch (\d+)/\d+ begins$", self.out, re.M)]

    def epochs(self):
        """The lines of the epochs, without the time."""
        return re.findall(r"^(Epoch \d+/\d+) - time: [0-9.]+ms/step( - .*)$", self.out, re.M)


def attempt(*words, **options):
    """Runs the trainer, however it ends."""
    done = subprocess.run([train] + list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=240, **options)
    return Ended(words, done.returncode, done.stdout, done.stderr)


def ends(ended, code):
    report = "Sanitizer" in ended.err or "runtime error" in ended.err
    check(ended.code == code and not report, "%s: exit code %d instead of %d, %.2000s"
          % (ended.words, ended.code, code, ended.err))
    return ended


def run(*words, **options):
    """Runs the trainer, which must succeed."""
    return ends(attempt(*words, **options), 0)


def refuse(what, says, *words, **options):
    """Runs the trainer, which must refuse: exit code 1, and nothing but the reason."""
    ended = ends(attempt(*words, **options), 1)
    for text in [says] if isinstance(says, str) else says:
        check(text in ended.err, "%s: %.900r does not say %r" % (what, ended.err, text))
    equal(ended.epochs(), [], what + ": trained epochs")
    return ended


def serials(directory):
    """Of the checkpoints that have a mark, in order."""
    found = [re.fullmatch(r"checkpoint_(\d+)", name) for name in os.listdir(directory)]
    return sorted(int(name[1]) for name in found
                  if name and os.path.exists(os.path.join(directory, name[0], "_SUCCESS")))


def entry(directory, serial=None):
    """The directory of a checkpoint, of the newest one unless said otherwise."""
    number = serials(directory)[-1] if serial is None else serial
    return os.path.join(directory, "checkpoint_%d" % number)


def content(name):
    with open(name, "rb") as file:
        return file.read()


def model(directory, serial=None):
    return content(os.path.join(entry(directory, serial), "model.ckpt"))


def arguments(directory, serial=None):
    lines = content(os.path.join(entry(directory, serial), "trainer_0")).decode().splitlines()
    return dict(line.split("=", 1) for line in lines)


def step_of(directory, serial=None):
    return int(arguments(directory, serial)["step"])


def tree(directory):
    """Every file below a directory, with its bytes; the lock is nobody's history."""
    found = {}
    for folder, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(folder, name)
            if name != ".ckpt-lock":
                found[os.path.relpath(path, directory)] = content(path)
    return found


def same_end(directory, expected, what):
    """The newest checkpoints of two directories are the same, serial aside, byte for byte."""
    for name in ("model.ckpt", "trainer_0", "_SUCCESS"):
        check(content(os.path.join(entry(directory), name)) ==
              content(os.path.join(entry(expected), name)),
              "%s: the last %s of %s and %s differ" % (what, name, directory, expected))


def copy_until(source, serial, target):
    """A directory as it was when a checkpoint was its newest."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    for later in serials(source):
        if later > serial:
            shutil.rmtree(entry(target, later))


def main(tests):
    """Runs the tests in a directory of their own."""
    global train
    if len(sys.argv) != 2:
        sys.exit("usage: %s path/to/train" % sys.argv[0])
    train = os.path.abspath(sys.argv[1])
    # In memory where that can be: what is tested here is the trainer, not the patience of a disk.
    memory = "/dev/shm"
    is_free = "TMPDIR" not in os.environ and os.access(memory, os.W_OK)
    work = tempfile.mkdtemp(dir=memory if is_free else None)
    os.chdir(work)
    try:
        for test in tests:
            test()
    finally:
        os.chdir("/")
        shutil.rmtree(work)
    print("%d passed, %d failed" % (passed, failures))
    sys.exit(1 if failures else 0)
