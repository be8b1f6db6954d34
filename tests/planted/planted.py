#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants faults, one at a time, in a copy of the sources, and runs the simulation: does an assertion stop it?

An assertion is worth its cost if it stops a fault near its cause. Each fault is an off by one or something left out, in the fold,
the budget, cursors, eviction, snapshots or the chain of rows. The simulation stops it by an assertion, finds it by comparing with
its model, or does not see it. Fewer than STOPPED_MIN by an assertion is a failure.

    tests/planted/planted.py build/planted            # the copy and its build lie there; 20 s a fault after the first build
    tests/planted/planted.py build/planted --only budget
    tests/planted/planted.py --check                  # every fault can still be planted; without a build
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
STOPPED_MIN = 24
SECONDS_MAX = 300  # of one run of the simulation

# (name, file, what stands there, what is planted)
FAULTS = (
    ("fold: the number of the last event", "core/fold/fold.cpp", "    state.n = event.n;\n", "    state.n = event.n + 1;\n"),
    ("fold: the same attempt takes over", "core/fold/fold.cpp", "if (event.attempt > state.attempt) take_over",
     "if (event.attempt >= state.attempt) take_over"),
    ("fold: the last change lies ahead", "core/fold/fold.cpp", "state.last_change_n = event.n;", "state.last_change_n = event.n + 1;"),
    ("fold: changes are counted twice", "core/fold/fold.cpp", "        ++state.state_changes;\n", "        state.state_changes += 2;\n"),
    ("fold: an end leaves calls open", "core/fold/fold.cpp", "    state.end_code = end.code;\n        state.open_calls.clear();\n",
     "    state.end_code = end.code;\n"),
    ("fold: an end leaves questions open", "core/fold/fold.cpp", "        close(state.approvals, event.n, event.at);\n", ""),
    ("fold: a verdict is reached ahead", "core/fold/fold.cpp", "state.reached[static_cast<std::size_t>(verdict)] = event.n;",
     "state.reached[static_cast<std::size_t>(verdict)] = event.n + 2;"),
    ("fold: numbers have gaps", "core/session/session.cpp", "    event.n = state_.n + 1;\n", "    event.n = state_.n + 2;\n"),
    ("fold: every verdict is adopted", "core/session/session_command.cpp", "    if (!is_news(before, next)) return;\n", ""),
    ("ledger: a call is counted twice", "core/detection/ledger.cpp", "    ++ledger.calls;\n    HEADWAY_ASSERT", "    ledger.calls += 2;\n    HEADWAY_ASSERT"),
    ("ledger: the newest call is the one before", "core/detection/ledger.cpp", "(calls - 1 - i) % limits::kRecentCallsMax",
     "(calls - i) % limits::kRecentCallsMax"),
    ("ledger: the trail of a file grows", "core/detection/ledger.cpp",
     "if (digests.size() == limits::kTrailDigestsMax) digests.erase(digests.begin());",
     "if (digests.size() > limits::kTrailDigestsMax) digests.erase(digests.begin());"),
    ("ledger: the worst count of failures is the best", "core/detection/ledger.cpp", "*failing < verification.best_failing)",
     "*failing > verification.best_failing)"),
    ("ledger: an answer belongs to the event after", "core/detection/ledger.cpp", "    entry.first_n = last.first_n;\n",
     "    entry.first_n = n + 1;\n"),
    ("budget: a sum is one short", "core/budgets/budget_fold.cpp", "std::min(a, kBudgetCountMax) + std::min(b, kBudgetCountMax);\n    HEADWAY_ASSERT",
     "std::min(a, kBudgetCountMax) + std::min(b, kBudgetCountMax) - 1;\n    HEADWAY_ASSERT"),
    ("budget: time is taken from one clock only", "core/budgets/budget_fold.cpp", "        meter.human -= worked;\n", ""),
    ("budget: more was worked than waited", "core/budgets/budget_fold.cpp", "std::min(meter.waited, Millis{limits::kWorkBesideQuestionMsMax})",
     "std::min(meter.waited + Millis{1}, Millis{limits::kWorkBesideQuestionMsMax})"),
    ("budget: time is charged twice", "core/budgets/budget_fold.cpp", "if (Millis* clock = clock_of(meter, meter.running)) *clock += passed;",
     "if (Millis* clock = clock_of(meter, meter.running)) *clock += 2 * passed;"),
    ("budget: a wait is kept in two places", "core/budgets/budget_fold.cpp", "if (meter.running == BudgetClock::kHuman) meter.waited += passed;",
     "meter.waited += passed;"),
    ("budget: the clock stands", "core/budgets/budget_fold.cpp", "    meter.clock_at = event.at;\n", ""),
    ("budget: an ended session has a clock", "core/budgets/budget_fold.cpp", "    if (state.ended()) return BudgetClock::kNone;\n", ""),
    ("budget: calls beside a question have no bound", "core/budgets/budget_fold.cpp",
     "std::min(state.calls_while_asked, limits::kCallsBesideQuestion) + 1;", "state.calls_while_asked + limits::kCallsBesideQuestion;"),
    ("approvals: a decision leaves it pending", "core/approvals/approvals.cpp", "    approval.status = status;\n    approval.changed_n = n;\n    HEADWAY_ASSERT",
     "    approval.changed_n = n;\n    HEADWAY_ASSERT"),
    ("approvals: an execution leaves it open", "core/approvals/approval_calls.cpp", "    approval.status = S::kExecuted;\n", ""),
    ("cursor: rows share one", "storage/sqlite/sqlite_journal.cpp", "    const Cursor cursor = next_;\n", "    const Cursor cursor = next_ - 1;\n"),
    ("cursor: the next is where the last was", "storage/sqlite/sqlite_journal.cpp", "    next_ += static_cast<Cursor>(events.size());\n", ""),
    ("cursor: a rollback forgets nothing", "storage/sqlite/sqlite_journal.cpp", "    next_ = next_at_begin_;\n", "    next_ = next_at_begin_ + 1;\n"),
    ("chain: the tail is the row before", "storage/sqlite/sqlite_journal.cpp", "    chain.tail = cursor;\n", "    chain.tail = cursor - 1;\n"),
    ("chain: a row points at itself", "storage/sqlite/sqlite_journal.cpp",
     ".bind(4, chain.tail)\n                      .bind_blob(5, row_buffer_)\n                      .bind(6, row_checksum(cursor, key, first, chain.tail,",
     ".bind(4, cursor)\n                      .bind_blob(5, row_buffer_)\n                      .bind(6, row_checksum(cursor, key, first, cursor,"),
    ("chain: a row begins one later", "storage/sqlite/sqlite_journal.cpp", "static_cast<std::int64_t>(events.front().n);\n    HEADWAY_CHECK(append_",
     "static_cast<std::int64_t>(events.front().n + 1);\n    HEADWAY_CHECK(append_"),
    ("snapshot: the cursor is one ahead", "server/engine/durability/upkeep.cpp", "oldest->dirty_from - 1 : store_.head();",
     "oldest->dirty_from : store_.head();"),
    ("snapshot: a session is clean before it is saved", "server/engine/residents/resident_set.cpp", "    resident.dirty_from = cursor;\n",
     "    resident.dirty_from = cursor + 1;\n"),
    ("eviction: what is not saved goes", "server/engine/durability/upkeep.cpp", "        if (oldest->dirty_from != 0) return;  // save_least_recent() will save it\n", ""),
    ("eviction: a saved session stays marked", "server/engine/residents/resident_set.cpp", "    resident.dirty_from = 0;\n", "    resident.dirty_from = 1;\n"),
    ("eviction: an entry is left behind", "server/engine/residents/resident_set.cpp", "    by_id_.erase(resident.session.id());\n", ""),
)


def plant(folder: pathlib.Path, fault: tuple) -> str:
    """Changes the file and returns what it held."""
    name, file, before, after = fault
    text = (folder / file).read_text(encoding="utf-8")
    if text.count(before) != 1:
        raise SystemExit(f"{name}: {file} holds it {text.count(before)} times, not once: {before!r}")
    (folder / file).write_text(text.replace(before, after), encoding="utf-8")
    return text


def check() -> None:
    for fault in FAULTS:
        text = (ROOT / fault[1]).read_text(encoding="utf-8")
        if text.count(fault[2]) != 1:
            raise SystemExit(f"{fault[0]}: {fault[1]} holds it {text.count(fault[2])} times, not once: {fault[2]!r}")
    print(f"{len(FAULTS)} faults can be planted")


def build(folder: pathlib.Path) -> bool:
    done = subprocess.run(["cmake", "--build", str(folder / "build"), "--target", "simulation"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout[-2000:], done.stderr[-2000:], file=sys.stderr)
    return done.returncode == 0


def outcome(folder: pathlib.Path) -> str:
    environment = {**os.environ, "HEADWAY_SEED": "1"}
    try:
        done = subprocess.run([str(folder / "build/tests/simulation")], capture_output=True, text=True, timeout=SECONDS_MAX,
                              check=False, env=environment)
    except subprocess.TimeoutExpired:
        return "not seen (too slow)"
    said = done.stdout + done.stderr
    if "assertion failed" in said:
        line = next(line for line in said.splitlines() if "assertion failed" in line)
        return "assertion: " + line.split("assertion failed", 1)[1].strip(": ")[:90]
    return "not seen" if done.returncode == 0 else "model"


def prepare(folder: pathlib.Path) -> None:
    """A copy of what git knows, built once."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for file in filter(None, files):
        to = folder / "source" / file
        to.parent.mkdir(parents=True, exist_ok=True)
        if not to.exists() or to.read_bytes() != (ROOT / file).read_bytes():
            shutil.copy2(ROOT / file, to)
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    subprocess.run(["cmake", "-S", str(folder / "source"), "-B", str(folder / "build"), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                    "-DCMAKE_CXX_FLAGS_DEBUG=-Og -g1", "-DBUILD_TESTING=ON", *launcher], check=True, stdout=subprocess.DEVNULL)
    if not build(folder):
        raise SystemExit("the sources do not build as they are")
    if (seen := outcome(folder)) != "not seen":
        raise SystemExit(f"without a fault the simulation says: {seen}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--only", default="", help="faults whose name holds this")
    parser.add_argument("--check", action="store_true", help="only look whether every fault can be planted")
    options = parser.parse_args()
    if options.check or options.folder is None:
        check()
        return 0
    folder = options.folder.resolve()
    prepare(folder)
    faults = [fault for fault in FAULTS if options.only in fault[0]]
    stopped = 0
    for fault in faults:
        before = plant(folder / "source", fault)
        seen = outcome(folder) if build(folder) else "does not build"
        (folder / "source" / fault[1]).write_text(before, encoding="utf-8")
        stopped += seen.startswith("assertion")
        print(f"{fault[0]:50} {seen}", flush=True)
    print(f"{stopped} of {len(faults)} stopped by an assertion")
    return 0 if options.only or stopped >= STOPPED_MIN else 1


if __name__ == "__main__":
    sys.exit(main())
