# SPDX-License-Identifier: Apache-2.0
"""The agents as npm has them, in build/agents. Versions are pinned: each release of an agent may behave differently."""
import json
import os
import shutil
import subprocess
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
ROOT = PROJECT / "build/agents"
INSTALL_SECONDS = 600


class Away(Exception):
    """A requirement of the tests is missing and cannot be installed; the tests are skipped."""


def installed(folder: Path, package: str) -> bool:
    name, _, version = package.rpartition("@")
    try:
        return json.loads((folder / "node_modules" / name / "package.json").read_text())["version"].startswith(version)
    except (OSError, ValueError, KeyError):
        return False


def ensure(agent, root: Path = ROOT) -> Path:
    """The folder of the agent's programs, installed now if needed."""
    folder = root / "npm" / agent.name
    if not all(installed(folder, package) for package in agent.packages):
        npm = shutil.which("npm")
        if npm is None:
            raise Away("npm is not installed")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private":true}\n')
        command = [npm, "install", "--no-audit", "--no-fund", "--save-exact", "--fetch-retries=1", *agent.packages]
        environment = {**os.environ, "DO_NOT_TRACK": "1", "DISABLE_TELEMETRY": "1"}
        with open(folder / "install.log", "wb") as log:
            try:
                code = subprocess.run(command, cwd=folder, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                      timeout=INSTALL_SECONDS, check=False).returncode
            except subprocess.TimeoutExpired:
                raise Away(f"npm did not finish in {INSTALL_SECONDS} s") from None
        if code != 0 or not all(installed(folder, package) for package in agent.packages):
            raise Away(f"npm could not install {' '.join(agent.packages)}: {last_words(folder / 'install.log')}")
    return folder / "node_modules/.bin"


def last_words(log: Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if "error" in line.lower()]
    return " | ".join(lines[:2])[:300]
