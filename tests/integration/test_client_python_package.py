#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clients/python as it is given out: what is in wheel and sdist, their metadata, types, installation, and its README as it is read."""
import ast
import base64
import csv
import email
import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path

from support.case import SharedDaemonCase, unique
from support.daemon import PROJECT, clean_environment
from support.limits import patient

PACKAGE = PROJECT / "clients/python"
README = (PACKAGE / "README.md").read_text(encoding="utf-8")
MYPY = shutil.which("mypy")
TWINE = shutil.which("twine")


BUILD = "import sys; from flit_core import buildapi; buildapi.build_wheel(sys.argv[1]); buildapi.build_sdist(sys.argv[1])"
DEBIAN_PYTHON = "/usr/bin/python3"  # the one that Debian's flit is for


def build(source: Path, folder: Path):
    folder.mkdir(exist_ok=True)
    subprocess.run([DEBIAN_PYTHON, "-B", "-c", BUILD, str(folder)], cwd=source, check=True, stdout=subprocess.DEVNULL,
                   env=clean_environment(SOURCE_DATE_EPOCH="1767225600"))


def built(test) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="headway-dist-"))
    test.addCleanup(shutil.rmtree, folder)
    build(PACKAGE, folder)
    return folder


class Built(unittest.TestCase):
    def test_the_wheel_is_whole_minimal_and_says_what_it_is(self):
        (wheel,) = built(self).glob("*.whl")
        self.assertEqual(wheel.name, "headway_agent-0.1.0-py3-none-any.whl")
        with zipfile.ZipFile(wheel) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        info = "headway_agent-0.1.0.dist-info/"
        modules = {f"headway/{path.name}" for path in (PACKAGE / "headway").glob("*.py")} | {"headway/py.typed"}
        self.assertEqual(set(files), modules | {info + name for name in ("LICENSE", "METADATA", "WHEEL", "RECORD", "entry_points.txt")})
        self.assertEqual(files[info + "LICENSE"], (PROJECT / "LICENSE").read_bytes())
        rows = list(csv.reader(files[info + "RECORD"].decode().splitlines()))
        self.assertEqual({row[0] for row in rows}, set(files))
        for name, digest, size in rows:
            if name != info + "RECORD":
                right = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), (f"sha256={right}", str(len(files[name]))))
        self.assertLess(wheel.stat().st_size, 64 << 10)
        self.check_metadata(files[info + "METADATA"])
        self.assertIn(b"[pytest11]\nheadway=headway.pytest_plugin\n", files[info + "entry_points.txt"].replace(b" ", b""))

    def check_metadata(self, raw: bytes):
        about = email.message_from_bytes(raw)
        self.assertEqual((about["Name"], about["Version"], about["Requires-Python"]), ("headway-agent", "0.1.0", ">=3.9"))
        self.assertIn("License :: OSI Approved :: Apache Software License", about.get_all("Classifier"))
        self.assertEqual(about["Description-Content-Type"], "text/markdown")
        self.assertEqual(about.get_payload(decode=True).decode().rstrip("\n"), README.rstrip("\n"))
        self.assertTrue(0 < len(about["Summary"]) < 512)
        self.assertIsNone(about["Requires-Dist"])
        self.assertIn(f'__version__ = "{about["Version"]}"', (PACKAGE / "headway/__init__.py").read_text(encoding="utf-8"))

    def test_the_sdist_makes_the_same_wheel(self):
        folder = built(self)
        (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
        with tarfile.open(sdist) as archive:
            names = archive.getnames()
            archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        top, = {name.split("/")[0] for name in names}
        self.assertIn(f"{top}/LICENSE", names)
        self.assertFalse([name for name in names if "__pycache__" in name or "test" in Path(name).name and "pytest" not in name])
        self.check_metadata((folder / top / "PKG-INFO").read_bytes())
        again = folder / "again"
        build(folder / top, again)
        self.assertEqual((again / wheel.name).read_bytes(), wheel.read_bytes())

    @unittest.skipUnless(TWINE, "twine is not installed")
    def test_twine_finds_nothing(self):
        files = [str(path) for path in built(self).iterdir()]
        done = subprocess.run([TWINE, "check", "--strict", *files], capture_output=True, text=True, check=False, env=clean_environment())
        self.assertEqual((done.returncode, done.stdout.count("PASSED")), (0, 2), done.stdout + done.stderr)

    def test_pip_installs_the_wheel_without_a_network(self):
        folder = Path(tempfile.mkdtemp(prefix="headway-venv-"))
        self.addCleanup(shutil.rmtree, folder)
        try:
            venv.create(folder, with_pip=True)
        except (subprocess.CalledProcessError, OSError) as error:
            self.skipTest(f"no virtual environment: {error}")
        python = str(folder / "bin/python")
        wheel, = built(self).glob("*.whl")
        subprocess.run([python, "-m", "pip", "-q", "install", "--no-index", "--disable-pip-version-check", str(wheel)],
                       check=True, timeout=patient(120))
        code = ("import headway, importlib.metadata as m, pathlib\n"
                "print(m.version('headway-agent'), [e.value for e in m.entry_points()['pytest11']] if isinstance(m.entry_points(), dict) else\n"
                "      [e.value for e in m.entry_points(group='pytest11')], (pathlib.Path(headway.__file__).parent / 'py.typed').exists())")
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True, env=clean_environment())
        self.assertEqual(done.stdout.strip(), "0.1.0 ['headway.pytest_plugin'] True")

    @unittest.skipUnless(MYPY, "mypy is not installed")
    def test_mypy_is_strict_with_it_and_with_the_readme(self):
        folder = Path(tempfile.mkdtemp(prefix="headway-mypy-"))
        self.addCleanup(shutil.rmtree, folder)
        (folder / "example.py").write_text(example(), encoding="utf-8")
        for command, where in ((["--strict", "--python-version", "3.9"], PACKAGE), (["--strict", "--config-file", "/dev/null", "example.py"], folder)):
            done = subprocess.run([MYPY, "--cache-dir", str(folder / "cache"), *command], cwd=where, capture_output=True, text=True, check=False,
                                  env=clean_environment(MYPYPATH=str(PACKAGE)))
            self.assertIn("Success", done.stdout, done.stdout + done.stderr)

    def test_no_syntax_of_a_python_above_3_9(self):
        files = sorted((PACKAGE / "headway").glob("*.py"))
        self.assertGreater(len(files), 5)
        for path in files:
            with self.subTest(path.name):
                self.assertTrue(ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 9)).body)


def example() -> str:
    return re.search(r"```python\n(.*?)```", README, re.S)[1]


class Readme(SharedDaemonCase):
    def test_the_example(self):
        self.assertLessEqual(len(example().splitlines()), 20)
        name = unique("readme")
        folder = Path(tempfile.mkdtemp(prefix="headway-readme-"))
        self.addCleanup(shutil.rmtree, folder)
        done = subprocess.run([sys.executable, "-W", "error", "-c", example()], cwd=folder, capture_output=True, text=True, check=False, timeout=patient(60),
                              env=clean_environment(HEADWAY_URL=self.daemon.url, HEADWAY_SESSION=name, PYTHONPATH=str(PACKAGE)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("No such file", done.stdout)
        document = self.client.session(name)
        self.assertEqual((document["goal"], document["verdict"]["status"]), ("list the files and count them", "completed"))
        journal = self.client.journal(name)
        self.assertEqual([e["data"]["ok"] for e in journal if e["type"] == "tool.finished"], [True, True, False])
        away = subprocess.run([sys.executable, "-W", "error", "-c", example()], cwd=folder, capture_output=True, text=True, check=False,
                              env=clean_environment(HEADWAY_URL="http://127.0.0.1:9", PYTHONPATH=str(PACKAGE)), timeout=patient(60))
        self.assertEqual((away.returncode, away.stderr), (0, ""))
        self.assertIn("No such file", away.stdout)

    def test_each_name_of_the_readme_is_there(self):
        sys.path.insert(0, str(PACKAGE))
        import headway
        for name in set(re.findall(r"\bs\.(\w+)", README)):
            self.assertTrue(hasattr(headway.Session, name) or name in ("stopped",), name)
        for name in set(re.findall(r"\bheadway\.(\w+)", README)) - {"org"}:
            there = hasattr(headway, name) or (PACKAGE / f"headway/{name}.py").exists()
            self.assertTrue(there or name in ("wait", "session"), name)


if __name__ == "__main__":
    unittest.main()
