#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL, three daemons over it and nginx before them, on this machine until Ctrl-C: to look at, and to kill parts of.

Everything lies in a folder below /tmp, which is deleted at the end. The database has no standby.
"""
import argparse
import json
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
sys.path.append(str(PROJECT / "tests/support"))
import postgres_server  # noqa: E402  (lies beside the tests, which start one too)

PORT = 7720  # of nginx; those of the daemons follow
DAEMONS = 3


def environment() -> dict:
    """Without settings of the person who runs this."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("HEADWAY_", "XDG_"))}


class Parts:
    """Processes that were started; ended in the opposite order."""

    def __init__(self, binary: str, root: pathlib.Path, port: int):
        self.binary, self.root, self.port = binary, root, port
        self.running = {}
        # One for all daemons: a login, and a new token of the operator, hold at each of them.
        self.secret = root / "cluster.secret"
        self.secret.touch(mode=0o600)
        self.secret.write_text(secrets.token_hex(32) + "\n")

    def start(self, name: str, command: list) -> subprocess.Popen:
        log = self.root / f"{name}.log"
        with log.open("ab") as to:
            process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=to, cwd=self.root,
                                       env=environment(), start_new_session=True)  # Ctrl-C is for this script
        self.running[name] = process
        return process

    def database(self) -> str:
        folder = self.root / "postgres"
        postgres_server.start(folder, True, 5432)
        return postgres_server.url_of(folder, 5432)

    def daemon(self, number: int, url: str) -> str:
        port = self.port + number
        state = self.root / f"daemon{number}"
        hosts = ",".join(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost"))
        process = self.start(f"daemon{number}", [self.binary, "serve", "--store", url, "--state-dir", state, "--listen", f"127.0.0.1:{port}",
                                                 "--set", "access.mode=token", "--set", "server.behind_proxy=on",
                                                 "--set", f"access.secret_file={self.secret}",
                                                 "--set", f"server.allowed_hosts={hosts}"])
        if not process.stdout.readline():  # its first line says that it is ready
            sys.exit(f"the daemon did not start:\n{(self.root / f'daemon{number}.log').read_text()}")
        return f"http://127.0.0.1:{port}"

    def token(self, url: str, name: str, scopes: str) -> str:
        """Token for all daemons."""
        made = subprocess.run([self.binary, "token", "create", name, "--scope", scopes, "--json", "--url", url,
                               "--token-file", self.root / "daemon1/operator.token"], env=environment(), stdout=subprocess.PIPE, text=True,
                              check=True)
        file = self.root / f"{name}.token"
        file.touch(mode=0o600)
        file.write_text(json.loads(made.stdout)["token"] + "\n")
        return str(file)

    def proxy(self) -> str:
        conf = (HERE / "nginx.conf").read_text()
        for number in range(DAEMONS + 1):
            conf = conf.replace(f"127.0.0.1:{PORT + number}", f"127.0.0.1:{self.port + number}")
        folder = self.root / "nginx"
        folder.mkdir()
        (folder / "nginx.conf").write_text(conf)
        user = ["-g", "user root;"] if os.geteuid() == 0 else []
        self.start("nginx", [shutil.which("nginx") or "/usr/sbin/nginx", "-p", folder, "-c", folder / "nginx.conf", "-e", "stderr", *user])
        return f"http://127.0.0.1:{self.port}"

    def stop(self):
        for name, process in reversed(self.running.items()):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                print(f"{name} did not end by itself")
        postgres_server.stop(self.root / "postgres")
        shutil.rmtree(self.root, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="headway, with headway-postgres.so where it looks for that")
    parser.add_argument("--port", type=int, default=PORT, help=f"of nginx, and the next {DAEMONS} of the daemons (default: {PORT})")
    args = parser.parse_args()
    root = pathlib.Path(tempfile.mkdtemp(prefix="headway-scale-", dir="/tmp"))
    root.chmod(0o755)  # PostgreSQL has a user of its own where this is root
    parts = Parts(args.binary, root, args.port)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    try:
        database = parts.database()
        daemons = [parts.daemon(number, database) for number in range(1, DAEMONS + 1)]
        person = parts.token(daemons[0], "person", "read,approve,control,admin")
        agents = parts.token(daemons[0], "agents", "report:,read,control")
        print(f"database    {database}")
        for number, url in enumerate(daemons, 1):
            print(f"daemon {number}    {url}  (process {parts.running[f'daemon{number}'].pid})")
        print(f"all         {parts.proxy()}  (nginx)\nlogs        {root}/*.log\n\n"
              f"  export HEADWAY_URL=http://127.0.0.1:{args.port} HEADWAY_TOKEN_FILE={person}\n"
              f"  {args.binary} top\n\nagents      HEADWAY_TOKEN_FILE={agents}\n\nCtrl-C ends all of it and deletes {root}.", flush=True)
        ended.wait()
    finally:
        parts.stop()


if __name__ == "__main__":
    main()
