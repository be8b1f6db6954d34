#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL of its own for tests, in a folder, on a Unix socket only.

    postgres_server.py start FOLDER [--durable] [--port PORT]    prints the URL; one that runs there already is used
    postgres_server.py stop FOLDER                      ends it and deletes the folder
    postgres_server.py url FOLDER                       prints the URL, or nothing when it does not run

Debian's packages only: postgresql-NN, of which the newest is taken. Root becomes the user `postgres`, since PostgreSQL does not run
as root.
"""
import argparse
import os
import pathlib
import pwd
import shutil
import subprocess
import sys

PROGRAMS = pathlib.Path("/usr/lib/postgresql")
SETTINGS = """
listen_addresses = ''
max_connections = 200
shared_buffers = 64MB
log_min_messages = warning
autovacuum_naptime = 20s
timezone = 'UTC'
"""
# A test that crashes the database itself wants --durable.
FAST = """
fsync = off
full_page_writes = off
"""


def programs():
    """The folder of the newest PostgreSQL, or None."""
    found = sorted(PROGRAMS.glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    return found[-1].parent if found else None


def as_user(folder):
    """How a command is run as a user that PostgreSQL accepts."""
    if os.geteuid() != 0:
        return []
    user = pwd.getpwnam("postgres")
    for path in (folder, *folder.glob("*")):
        os.chown(path, user.pw_uid, user.pw_gid)
    return ["setpriv", "--reuid", str(user.pw_uid), "--regid", str(user.pw_gid), "--clear-groups"]


def url_of(folder, port):
    return f"postgresql:///postgres?host={folder}&port={port}&user=headway"


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/",
                          check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stdout}")
    return done.stdout


def runs(folder):
    lock = folder / "data" / "postmaster.pid"
    try:
        os.kill(int(lock.read_text().split()[0]), 0)
    except (OSError, ValueError, IndexError):
        return False
    return True


def start(folder, durable, port):
    binaries = programs()
    if binaries is None:
        print("skipped: no PostgreSQL here (apt-get install postgresql-15)")
        return
    if runs(folder):
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for parent in (folder, *folder.parents):  # the user must come in
        if os.geteuid() == 0 and parent != pathlib.Path("/") and not parent.stat().st_mode & 0o001:
            sys.exit(f"{parent} is closed to the user postgres")
    prefix = as_user(folder)
    run([*prefix, binaries / "initdb", "-D", folder / "data", "-U", "headway", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
         "--no-sync"])
    with (folder / "data" / "postgresql.conf").open("a") as conf:
        conf.write(SETTINGS + f"unix_socket_directories = '{folder}'\nport = {port}\n" + ("" if durable else FAST))
    run([*prefix, binaries / "pg_ctl", "-D", folder / "data", "-l", folder / "log", "-w", "start"])


def stop(folder):
    binaries = programs()
    if binaries is not None and runs(folder):
        run([*as_user(folder), binaries / "pg_ctl", "-D", folder / "data", "-m", "immediate", "-w", "stop"])
    shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("start", "stop", "url"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--durable", action="store_true")
    parser.add_argument("--port", type=int, default=5432, help="of the socket's name; it opens none")
    args = parser.parse_args()
    folder = args.folder.resolve()
    if args.verb == "start":
        start(folder, args.durable, args.port)
    if args.verb == "stop":
        stop(folder)
    elif runs(folder):
        print(url_of(folder, args.port))


if __name__ == "__main__":
    main()
