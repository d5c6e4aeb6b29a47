"""Where the tests of this folder find real Sparks and connectors: rowgate's own cache, which they fill."""
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "rowgate"


def pip():
    """The command that runs pip: this Python's, or that of a fresh virtual environment."""
    command = [sys.executable, "-m", "pip"]
    if subprocess.run(command + ["--version"], capture_output=True, check=False).returncode == 0:
        return command
    home = CACHE / "pyspark" / "venv"
    made = subprocess.run([sys.executable, "-m", "venv", str(home)], capture_output=True, check=False)
    if made.returncode != 0:
        print("skipped: this Python has neither pip nor venv")
        sys.exit(77)
    return [str(home / "bin" / "python"), "-m", "pip"]


def pyspark_jars(version):
    """The folder of a PySpark's jars: of an environment that `rowgate setup spark:VERSION` made, or out of
    its sdist. Exits with 3 when there is no package index."""
    for cache in filter(None, (os.environ.get("ROWGATE_TEST_CACHE"), CACHE)):
        for jars in (pathlib.Path(cache) / "spark" / version).glob("**/site-packages/pyspark/jars"):
            return jars
    jars = CACHE / "pyspark" / version / "jars"
    if jars.is_dir():
        return jars
    (CACHE / "pyspark").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE / "pyspark", prefix="partial-") as scratch:
        command = pip() + ["download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary",
                           ":all:", "--dest", scratch, f"pyspark=={version}"]
        if subprocess.run(command, check=False).returncode != 0:
            print(f"pip cannot download pyspark {version}: is there a package index?")
            sys.exit(3)
        archive = next(pathlib.Path(scratch).glob("pyspark-*.tar.gz"))
        made = pathlib.Path(scratch) / "jars"
        made.mkdir()
        with tarfile.open(archive) as tar:
            for member in tar:
                path = pathlib.PurePosixPath(member.name)
                if member.isfile() and path.parent.parts[-2:] == ("deps", "jars") and path.suffix == ".jar":
                    with tar.extractfile(member) as source, open(made / path.name, "wb") as to:
                        shutil.copyfileobj(source, to, 1 << 20)
        jars.parent.mkdir(exist_ok=True)
        made.rename(jars)
    return jars


def connector_jar(rowgate, coordinate):
    """The file of a g:a:v, which `rowgate scan` fetches into its cache. Exits with 3 when it cannot."""
    run = subprocess.run([rowgate, "scan", coordinate, "--no-config", "--quiet", "--format", "none",
                          "--fail-on", "never"], capture_output=True, text=True, check=False)
    group, artifact, version = coordinate.split(":")
    name = f"{group.replace('.', '/')}/{artifact}/{version}/{artifact}-{version}.jar"
    for place in [pathlib.Path.home() / ".m2" / "repository", *(CACHE / "maven" / "repositories").glob("*/files")]:
        if (place / name).is_file():
            return place / name
    print(f"rowgate cannot fetch {coordinate}: exit status {run.returncode}\n{run.stderr}")
    sys.exit(3)
