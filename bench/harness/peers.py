# SPDX-License-Identifier: Apache-2.0
"""Alternatives that users would build: a service of fastify that stores each event durably, over SQLite and over PostgreSQL
(bench/peers)."""
import pathlib
import shutil
import subprocess
import sys

from harness.servers import WithPortsFile, pinned

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "bench" / "peers"
POSTGRES = ROOT / "tests" / "support" / "postgres_server.py"
FILES = ("package.json", "package-lock.json", "server.mjs")


def folder(build: pathlib.Path) -> pathlib.Path:
    return build / "bench-peers"


def installed(build: pathlib.Path) -> bool:
    """Copies the service into the build directory and installs there what its lock file names; says why it cannot."""
    if not shutil.which("node") or not shutil.which("npm"):
        print("bench: fastify services skipped, node or npm is not installed", file=sys.stderr)
        return False
    place = folder(build)
    place.mkdir(exist_ok=True)
    lock, marker = SOURCES / "package-lock.json", place / "node_modules" / ".package-lock.json"
    current = marker.exists() and (place / "package-lock.json").read_bytes() == lock.read_bytes()
    for name in FILES:
        shutil.copyfile(SOURCES / name, place / name)
    if current:
        return True
    # With its scripts: better-sqlite3 takes a binary that was built for this node, or compiles SQLite, which takes minutes.
    print("bench: npm ci for the fastify services", file=sys.stderr, flush=True)
    done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=place, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"bench: fastify services skipped, npm ci failed: {done.stderr.strip()[-300:]}", file=sys.stderr)
        shutil.rmtree(place / "node_modules", ignore_errors=True)
    return done.returncode == 0


class FastifySqlite(WithPortsFile):
    name = "fastify, better-sqlite3 FULL"
    directory_name = "fastify_sqlite"

    def command(self) -> list:
        return self._node("sqlite", self.directory / "events.db")

    def _node(self, kind: str, store) -> list:
        return ["node", str(folder(self.build) / "server.mjs"), kind, str(self.ports_file), str(store)]


class FastifyPostgres(FastifySqlite):
    """Its database runs on the server's core, too, and counts as a part of it."""
    name = "fastify, PostgreSQL"
    directory_name = "fastify_postgres"

    @staticmethod
    def available() -> bool:
        if list(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres")):
            return True
        print("bench: fastify over PostgreSQL skipped, it is not installed (apt-get install postgresql-15)", file=sys.stderr)
        return False

    @property
    def database(self) -> pathlib.Path:
        # Not below the state of root, whose folders the user postgres cannot enter; still on a disk.
        return pathlib.Path("/var/tmp") / f"headway-bench-{self.directory.parent.name}"

    def command(self) -> list:
        self._database("start", "--durable")
        return self._node("postgres", self._database("url").strip())

    def _database(self, *arguments) -> str:
        verb, *rest = arguments
        done = subprocess.run([sys.executable, str(POSTGRES), verb, str(self.database), *rest], capture_output=True, text=True,
                              check=True, preexec_fn=pinned({self.core}))
        return done.stdout

    def pids(self) -> list:
        postmaster = int((self.database / "data" / "postmaster.pid").read_text().split()[0])
        return self.with_children([self.process.pid, postmaster])

    def stop(self) -> None:
        super().stop()
        self._database("stop")
