#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scans the includes of every layer (on Debian every library lies in /usr/include, so linking isolates nothing).

    core      std without threads, files and clocks; libcrypto (one .cpp)
    system    core, libcurl (one header), POSIX: what cli and server both need of the system
    storage   core, sqlite3, libpq, POSIX                   api   core, Boost.JSON's parser (one .cpp)
    config    core, toml++ (one .cpp)                  cli   core, system, api, config, hook, nlohmann, CLI11, sqlite3 (one .cpp each), POSIX
    server    all of these, OpenSSL (one .cpp), Asio, spdlog, prometheus; Beast in at most two .cpp files; cli only from a main.cpp
    hook      POSIX, and nothing of the others: a program of its own, started around each call of an agent, and for `headway hook`
    tests     unit tests of a layer: what the layer may include and the layer; integration tests: no product header

    agents    one folder an agent; each part of it is a file of api or cli (AGENT_PARTS in source.py)

Each folder's rooms stand in ROOMS from the lowest up: a file includes only its own room and lower ones, and a room holds at
most 15 files.

Also: project headers by their path from the root, no umbrella headers of Boost, a clock's now() only in the two sources
of time (tests, bench and cli excepted), server/time/time_source.hpp only in what waits, and nothing of server/testclock in the
product.
"""
import re
import sys

import source

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
# The sources of time, of the product and of tests, and who may include their header; others ask server/time/clock.hpp.
TIME_SOURCES = ("server/time/time_source_system.cpp", "server/testclock/time_source.cpp")
TIME_USERS = TIME_SOURCES + ("server/time/clock.hpp", "server/http/sockets/net.hpp")
CLOCK = re.compile(r"::\s*now\s*\((?!\)\s*const)|\b(clock_gettime|gettimeofday|timespec_get)\s*\(|\bstd\s*::\s*time\s*\(")

# Third-party headers by the prefix of their path. POSIX and Linux headers are every other <*.h>.
LIBRARIES = {
    "system": ("boost/system/", "boost/version.hpp"),
    "asio": ("boost/asio/",),
    "beast": ("boost/beast/",),
    "sqlite": ("sqlite3.h",),
    "libpq": ("libpq-fe.h",),
    "json": ("nlohmann/",),
    "boost json": ("boost/json/",),
    "small vectors": ("boost/container/small_vector.hpp",),
    "openssl": ("openssl/",),
    "intrinsics": ("immintrin.h",),
    "protozero": ("protozero/",),
    "toml": ("toml++/", "toml.hpp"),
    "cli11": ("CLI/",),
    "curl": ("curl/",),
    "spdlog": ("spdlog/",),
    "prometheus": ("prometheus/",),
    "catch2": ("catch2/",),
    "rapidcheck": ("rapidcheck.h", "rapidcheck/"),
    "benchmark": ("benchmark/",),
}
CORE_DENIED = frozenset(
    "thread mutex shared_mutex condition_variable future stop_token semaphore latch barrier "
    "fstream iostream filesystem syncstream ctime csignal".split())
GENERATED = ("headway_git.hpp",)  # made by CMake in the build directory
UMBRELLAS = ("boost/asio.hpp", "boost/beast.hpp", "boost/beast/http.hpp", "boost/beast/core.hpp", "spdlog/fmt/bundled")

# layer: (project folders, third-party libraries). The layer itself is always allowed.
ALLOWED = {
    "core": ((), ("openssl",)),
    "system": (("core",), ("curl", "posix")),
    "storage": (("core",), ("sqlite", "libpq", "posix")),
    "api": (("core",), ("intrinsics", "boost json", "protozero", "small vectors")),
    "config": (("core",), ("toml", "posix")),
    "cli": (("core", "system", "api", "config", "hook"), ("json", "cli11", "sqlite", "posix")),
    "hook": ((), ("posix",)),
    "server": (("core", "system", "storage", "api", "config"),
               ("openssl", "system", "asio", "beast", "sqlite", "json", "spdlog", "prometheus", "posix")),
}
# The rooms of each folder, the lowest first; "" is the folder itself.
ROOMS = {
    "core": """base text calls values events approvals detection detectors/messages detectors/repeats detectors/failures
        detectors/cycles detectors meters state redaction policies budgets judgement fold hooks session views outbound""",
    "api": """text json calls records decode encode/parts encode encode/system judge hooks hooks/texts hooks/agents admin digest mcp notify otlp""",
    "storage": "base tables store codec sql files sqlite damage postgres/wire postgres",
    "config": "values settings load keys",
    "system": ".",
    "hook": "text way goal .",
    "cli": """base process client line . lines lines/agents conversations records stores views scan scan/report held observe keep_going run wait acp/messages acp agents/settings agents agents/install
        doctor agents/doctor eval top verbs verbs/run verbs/watch verbs/steer verbs/records verbs/setup verbs/admin""",
    "server": """time process tokens http/body http/message http/sockets access http/connection
        outbound/transfer outbound/webhooks outbound/commands outbound/judge
        engine/base engine/residents engine/durability engine/cluster engine/transaction engine/projections engine/commands
        engine/reports engine/goals engine/hooks engine/queries engine/links engine/turn
        web metrics backups hub/processes hub/streams hub/waits endpoints/routing openapi endpoints/agents endpoints/people
        daemon/store daemon testclock .""",
}
ROOM_FILES_MAX = 15
ROOM_OF = {top: {"" if room == "." else room: height for height, room in enumerate(rooms.split())} for top, rooms in ROOMS.items()}

TEST_LIBRARIES = ("catch2", "rapidcheck", "benchmark", "json", "posix")


def library(name: str) -> str:
    """std, posix, the key of a library, or the header's own name when it is unknown."""
    if re.fullmatch(r"[a-z_0-9]+", name):
        return "std"
    for key, prefixes in LIBRARIES.items():
        if name.startswith(prefixes):
            return key
    return "posix" if name.endswith(".h") else name


def rule_for(parts: tuple) -> tuple:
    """(project folders, libraries) that the file with these path parts may include."""
    top = parts[0]
    if top in ALLOWED:
        folders, libraries = ALLOWED[top]
        extra = ("cli",) if parts in (("server", "main.cpp"), ("server", "testclock", "main.cpp")) else ()
        return folders + (top,) + extra, libraries
    every_library = tuple(k for k in LIBRARIES if k not in ("beast",)) + ("posix",)
    if parts == ("bench", "engine_bench.cpp"):  # measures the engine from within; the others the daemon from outside
        return ("bench", "core", "api", "tests"), every_library
    if top == "bench":
        return ("bench", "clients"), every_library + ("beast",)
    if parts[1:2] == ("integration",):
        return ("tests",), every_library
    if parts[1:2] == ("unit",) and len(parts) > 2 and parts[2] in ALLOWED:
        folders, libraries = ALLOWED[parts[2]]
        return folders + (parts[2], "tests"), libraries + TEST_LIBRARIES
    return source.PRODUCT + ("tests",), every_library


def check_include(path, parts: tuple, quote: str, name: str):
    """The error in one include, or None."""
    folders, libraries = rule_for(parts)
    if name == "server/time/time_source.hpp" and "/".join(parts) not in TIME_USERS and parts[0] != "tests":
        return f'"{name}": ask server/time/clock.hpp'
    if name.startswith("server/testclock/") and parts[:2] != ("server", "testclock") and parts[0] != "tests":
        return f'"{name}" is for tests'
    if quote == '"':
        if name in GENERATED:
            return None
        if "/" not in name or name.startswith("."):
            return f'"{name}": include project headers by their path from the root'
        return None if source.place_of(name).split("/")[0] in folders else f'{parts[0]} may not include "{name}"'
    kind = library(name)
    if name in UMBRELLAS:
        return f"<{name}>: include the precise header"
    if kind == "std":
        denied = parts[0] == "core" and name in CORE_DENIED
        return f"core may not include <{name}>" if denied else None
    if name == "nlohmann/json.hpp" and path.suffix == ".hpp" and parts[0] not in ("tests", "bench"):
        return "<nlohmann/json.hpp> in a header: use <nlohmann/json_fwd.hpp>"
    return None if kind in libraries else f"{'/'.join(parts[:-1])} may not include <{name}>"


# (folder, library, suffixes, how many files of it may include it)
QUOTAS = (("storage", "libpq", (".cpp",), 4), ("storage", "libpq", (".hpp",), 0), ("server", "beast", (".cpp",), 2), ("server", "beast", (".hpp",), 0), ("api", "boost json", (".cpp",), 1),
          ("api", "boost json", (".hpp",), 0),
          ("api", "protozero", (".cpp",), 2), ("api", "protozero", (".hpp",), 0),
          ("core", "openssl", (".cpp",), 1), ("core", "openssl", (".hpp",), 0), ("config", "toml", (".cpp",), 1),
          ("config", "toml", (".hpp",), 0),
          ("server", "openssl", (".cpp",), 1), ("server", "openssl", (".hpp",), 0), ("system", "curl", (".cpp",), 0), ("system", "curl", (".hpp",), 1),
          ("cli", "cli11", (".cpp",), 1), ("cli", "cli11", (".hpp",), 0), ("cli", "json", (".cpp",), 1), ("cli", "json", (".hpp",), 0))


def room_of(name: str) -> tuple:
    """(top folder, room) of a project file."""
    top, _, rest = source.place_of(name).partition("/")
    return top, rest.rpartition("/")[0]


def check_room(relative: str, name: str):
    """The error in the include `name`, as an arrow between two rooms of one folder, or None."""
    (top, room), (to, lower) = room_of(relative), room_of(name)
    heights = ROOM_OF.get(top)
    if heights is None or top != to or room == lower or room not in heights or lower not in heights:
        return None
    return None if heights[lower] < heights[room] else f'"{name}" points up: {top}/{lower} stands above {top}/{room}'


def check_rooms(root) -> list:
    """Files outside all rooms, and rooms of too many files."""
    counts, findings = {}, []
    for path in source.files(root):
        relative = path.relative_to(root).as_posix()
        if relative.split("/")[0] in ROOM_OF:
            counts.setdefault(room_of(relative), []).append(relative)
        elif relative.startswith("agents/") and source.place_of(relative) == relative:
            findings.append(f"{relative}: no part of an agent: name it in AGENT_PARTS of tests/arch/source.py")
    for (top, room), paths in sorted(counts.items()):
        if room not in ROOM_OF[top]:
            findings.append(f"{paths[0]}: {top}/{room} is no room: name it in ROOMS of tests/arch/layers.py")
        elif len(paths) > ROOM_FILES_MAX:
            findings.append(f"{top}/{room}: {len(paths)} files, at most {ROOM_FILES_MAX}")
    return findings


def check_quotas(users: dict) -> list:
    findings = []
    for folder, kind, suffixes, limit in QUOTAS:
        paths = sorted(p for p in users.get((folder, kind), ()) if p.endswith(suffixes))
        if len(paths) > limit:
            findings.append(f"{folder}: {kind} in {len(paths)} {suffixes[0]} files, at most {limit}: {', '.join(paths)}")
    return findings


def reached(root, path, seen: set) -> set:
    """The headers of tests/ that a file includes, and those that they include."""
    if path not in seen and path.is_file():
        seen.add(path)
        text = source.blank(path.read_text(encoding="utf-8"), keep_includes=True)
        for quote, name in INCLUDE.findall(text):
            if quote == '"' and name.startswith("tests/"):
                reached(root, root / name, seen)
    return seen


def check_integration(root) -> list:
    """No product header behind the integration tests, not even through tests/support."""
    support = set()
    for path in source.files(root / "tests", ("integration",)):
        reached(root, path, support)
    findings = []
    for path in sorted(p for p in support if p.parent.name != "integration"):
        text = source.blank(path.read_text(encoding="utf-8"), keep_includes=True)
        for match in INCLUDE.finditer(text):
            if match.group(1) == '"' and match.group(2).split("/")[0] in source.PRODUCT:
                where = f"{path.relative_to(root)}:{source.line_of(text, match.start())}"
                findings.append(f'{where}: integration tests reach "{match.group(2)}" through it')
    return findings


def scan(root) -> list:
    findings, users = check_integration(root) + check_rooms(root), {}
    for path in source.files(root):
        relative = path.relative_to(root)
        parts = tuple(source.place_of(relative.as_posix()).split("/"))
        text = source.blank(path.read_text(encoding="utf-8"), keep_includes=True)
        for match in INCLUDE.finditer(text):
            quote, name = match.groups()
            users.setdefault((parts[0], library(name)), set()).add(str(relative))
            if wrong := check_include(path, parts, quote, name) or (quote == '"' and check_room(str(relative), name)):
                findings.append(f"{relative}:{source.line_of(text, match.start())}: {wrong}")
        if parts[0] in ("tests", "bench", "cli", "clients") or str(relative) in TIME_SOURCES:
            continue
        for match in CLOCK.finditer(text):
            findings.append(f"{relative}:{source.line_of(text, match.start())}: only server/time_source* asks a clock")
    return findings + check_quotas(users)


BAD = [
    ("core may not include", {"core/a.hpp": '#include <boost/system/result.hpp>\n'}),
    ("core may not include <mutex>", {"core/a.hpp": "#include <mutex>\n"}),
    ('core may not include "api/b.hpp"', {"core/a.cpp": '#include "api/b.hpp"\n'}),
    ("core may not include <boost/asio/post.hpp>", {"core/a.cpp": "# include <boost/asio/post.hpp>\n"}),
    ("core may not include <nlohmann/json.hpp>", {"core/a.cpp": "#include <nlohmann/json.hpp>\n"}),
    ("core may not include <unistd.h>", {"core/a.cpp": "#include <unistd.h>\n"}),
    ('system may not include "api/b.hpp"', {"system/a.cpp": '#include "api/b.hpp"\n'}),
    ('storage may not include "system/b.hpp"', {"storage/a.cpp": '#include "system/b.hpp"\n'}),
    ('storage may not include "config/b.hpp"', {"storage/a.cpp": '#include "config/b.hpp"\n'}),
    ("storage may not include <spdlog/spdlog.h>", {"storage/a.cpp": "#include <spdlog/spdlog.h>\n"}),
    ("api may not include <sqlite3.h>", {"api/a.cpp": "#include <sqlite3.h>\n"}),
    ('api may not include "server/b.hpp"', {"api/a.cpp": '#include "server/b.hpp"\n'}),
    ('cli may not include "server/b.hpp"', {"cli/a.cpp": '#include "server/b.hpp"\n'}),
    ("cli may not include <boost/asio/post.hpp>", {"cli/a.cpp": "#include <boost/asio/post.hpp>\n"}),
    ('server may not include "cli/b.hpp"', {"server/a.cpp": '#include "cli/b.hpp"\n'}),
    ("beast in 3", {f"server/{n}.cpp": "#include <boost/beast/http/parser.hpp>\n" for n in "abc"}),
    ("beast in 1 .hpp", {"server/a.hpp": "#include <boost/beast/http/parser.hpp>\n"}),
    ("in a header", {"server/a.hpp": "#include <nlohmann/json.hpp>\n"}),
    ("boost json in 1 .hpp", {"api/a.hpp": "#include <boost/json/basic_parser.hpp>\n"}),
    ("core: openssl in 2", {f"core/{n}.cpp": "#include <openssl/evp.h>\n" for n in "ab"}),
    ("core: openssl in 1 .hpp", {"core/a.hpp": "#include <openssl/evp.h>\n"}),
    ("core may not include <immintrin.h>", {"core/a.cpp": "#include <immintrin.h>\n"}),
    ("openssl in 2", {f"server/{n}.cpp": "#include <openssl/ssl.h>\n" for n in "ab"}),
    ("openssl in 1 .hpp", {"server/a.hpp": "#include <openssl/ssl.h>\n"}),
    ("storage may not include <openssl/evp.h>", {"storage/a.cpp": "#include <openssl/evp.h>\n"}),
    ("boost json in 2", {f"api/{n}.cpp": "#include <boost/json/basic_parser.hpp>\n" for n in "ab"}),
    ("api may not include <openssl/evp.h>", {"api/a.cpp": "#include <openssl/evp.h>\n"}),
    ("api may not include <curl/curl.h>", {"api/a.cpp": "#include <curl/curl.h>\n"}),
    ("cli may not include <curl/curl.h>", {"cli/a.cpp": "#include <curl/curl.h>\n"}),
    ("server may not include <curl/curl.h>", {"server/a.cpp": "#include <curl/curl.h>\n"}),
    ("curl in 2", {f"system/{n}.hpp": "#include <curl/curl.h>\n" for n in "ab"}),
    ("api may not include <nlohmann/json.hpp>", {"api/a.cpp": "#include <nlohmann/json.hpp>\n"}),
    ("cli11 in 2", {f"cli/{n}.cpp": "#include <CLI/CLI.hpp>\n" for n in "ab"}),
    ("cli11 in 1 .hpp", {"cli/a.hpp": "#include <CLI/CLI.hpp>\n"}),
    ("json in 2", {f"cli/{n}.cpp": "#include <nlohmann/json.hpp>\n" for n in "ab"}),
    ("json in 1 .hpp", {"cli/a.hpp": "#include <nlohmann/json_fwd.hpp>\n"}),
    ("toml in 2", {f"config/{n}.cpp": "#include <toml++/toml.h>\n" for n in "ab"}),
    ("path from the root", {"core/a.cpp": '#include "a.hpp"\n'}),
    ("precise header", {"server/a.cpp": "#include <boost/asio.hpp>\n"}),
    ('tests may not include "core/a.hpp"', {"tests/integration/a_test.cpp": '#include "core/a.hpp"\n'}),
    ('tests may not include "storage/a.hpp"', {"tests/unit/api/a_test.cpp": '#include "storage/a.hpp"\n'}),
    ('reach "core/a.hpp"', {"tests/integration/a_test.cpp": '#include "tests/support/x.hpp"\n',
                            "tests/support/x.hpp": '#include "tests/support/y.hpp"\n',
                            "tests/support/y.hpp": '#include "core/a.hpp"\n'}),
    ("asks a clock", {"server/a.cpp": "auto t = std::chrono::steady_clock::now();\n"}),
    ("asks a clock", {"core/a.cpp": "auto t = std::time(nullptr);\n"}),
    ("asks a clock", {"server/time/clock.cpp": "auto t = Steady::now();\n"}),
    ("ask server/time/clock.hpp", {"server/a.cpp": '#include "server/time/time_source.hpp"\n'}),
    ("points up: core/fold stands above core/events", {"core/events/a.cpp": '#include "core/fold/b.hpp"\n'}),
    ("points up: cli/verbs/run stands above cli/views", {"cli/views/a.hpp": '#include "cli/verbs/run/b.hpp"\n'}),
    ("core/cellar is no room", {"core/cellar/a.cpp": ""}),
    ("core/base: 16 files", {f"core/base/{n}.hpp": "" for n in "abcdefghijklmnop"}),
    ("api may not include \"agents/x/lines.hpp\"", {"agents/x/hooks.cpp": '#include "agents/x/lines.hpp"\n'}),
    ('points up: cli/keep_going stands above cli/lines/agents', {"agents/x/lines.cpp": '#include "agents/x/resume.hpp"\n'}),
    ("no part of an agent", {"agents/x/tricks.cpp": ""}),
    ("is for tests", {"server/a.cpp": '#include "server/testclock/a.hpp"\n'}),
]
GOOD = [
    {"agents/x/hooks.cpp": '#include "api/json/a.hpp"\n', "agents/x/lines.cpp": '#include "cli/lines/a.hpp"\n#include "agents/x/hooks.hpp"\n'},
    {"core/base/a.hpp": '#include <vector>\n#include "core/base/b.hpp"\n'},
    {"core/base/a.cpp": '// #include <mutex>\n/* Clock::now() */ const char* s = "::now(";\n'},
    {"server/time/time_source_system.cpp": "auto t = std::chrono::steady_clock::now();\n", "server/main.cpp": '#include "cli/x.hpp"\n',
     "server/testclock/main.cpp": '#include "cli/x.hpp"\n#include "server/testclock/y.hpp"\n',
     "server/time/clock.hpp": '#include "server/time/time_source.hpp"\n'},
    {"cli/a.cpp": '#include "system/x.hpp"\n#include "config/x.hpp"\nauto t = Clock::now();\n'},
    {"api/json/a.cpp": "#include <boost/json/basic_parser.hpp>\n", "server/a.hpp": "#include <nlohmann/json_fwd.hpp>\n",
     "tests/unit/api/a_test.cpp": "#include <nlohmann/json.hpp>\n"},
    {"tests/unit/api/a_test.cpp": '#include <catch2/catch.hpp>\n#include "api/a.hpp"\n#include "tests/support/x.hpp"\n'},
    {"tests/integration/a_test.cpp": '#include "tests/support/x.hpp"\n', "tests/support/x.hpp": "#include <vector>\n",
     "tests/support/y.hpp": '#include "core/base/a.hpp"\n'},
    {"server/a.cpp": "#include <boost/beast/http/parser.hpp>\n", "bench/b.cpp": "#include <boost/beast/http/parser.hpp>\n"},
]

if __name__ == "__main__":
    sys.exit(source.run(__doc__, scan, BAD, GOOD))
