"""What the scripts that hand rendered reports to other programs share."""
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def skip(reason):
    print("skipped: " + reason)
    sys.exit(SKIPPED)


def need_module(name, apt_package):
    """Imports a module; where this interpreter lacks it, starts again with the system's."""
    try:
        return __import__(name)
    except ImportError:
        system = "/usr/bin/python3"
        if os.path.realpath(sys.executable) != os.path.realpath(system) and os.path.exists(system):
            os.execv(system, [system, *sys.argv])
        skip(f"no Python module {name}; apt-get install {apt_package}")


def need_program(names, apt_package):
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    skip(f"no program {' or '.join(names)}; apt-get install {apt_package}")


def render(program):
    """The folder with the samples in every format, and the object that owns it."""
    folder = tempfile.TemporaryDirectory(prefix="rowgate-formats-")
    subprocess.run([program, folder.name], check=True)
    return folder


def read(folder, name):
    with open(os.path.join(folder.name, name), encoding="utf-8", newline="") as file:
        return file.read()


class Checks:
    """Counts what was checked, so that a test that checked nothing fails."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, condition, message):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print("FAILED: " + message)

    def exit(self):
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(0 if self.passed and not self.failed else 1)
