#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judge of test_scale, on histories that are made up: it must find each kind of wrong, and nothing where all is well."""
import copy
import unittest
from datetime import datetime, timezone

from support import history as judge
from support.history import Ack, Decision, History, Read, Wait

BEGIN = 1_700_000_000.0


def stamp(second: float) -> str:
    return datetime.fromtimestamp(BEGIN + second, timezone.utc).isoformat(timespec="milliseconds")


def event(n: int, kind: str, second: float, event_id: str | None = None, **data) -> dict:
    return {"session": "s", "n": n, "type": kind, "at": stamp(second), "data": data, **({"event_id": event_id} if event_id else {})}


def good_journals() -> dict:
    return {"s": [event(1, "session.started", 0, policy={"heartbeat_interval_ms": 2000}),
                  event(2, "tool.finished", 1, "a"),
                  event(3, "verdict.changed", 1, to="progressing"),
                  event(4, "approval.requested", 2),
                  event(5, "approval.decided", 3, id="s.a4", decision="approve", by="ann"),
                  event(6, "tool.finished", 4, "b"),
                  event(7, "verdict.changed", 9, to="silent"),
                  event(8, "session.ended", 10, "c"),
                  event(9, "verdict.changed", 10, to="completed")],
            "t": [event(1, "session.started", 5, policy={"heartbeat_interval_ms": 2000})]}


def good_history() -> History:
    history = History()
    history.acks = [Ack("one", "s", "a", 2, 1.0, 1.1), Ack("one", "s", "a", 2, 1.2, 1.3), Ack("one", "s", "b", 6, 4.0, 4.1)]
    history.reads = [Read("one", "s", 3, 1.4, 1.5), Read("two", "s", 3, 4.05, 4.2), Read("two", "s", 6, 4.3, 4.4)]
    history.waits = [Wait("two", "s", ("event",), 2, None, 3), Wait("two", "s", ("completed", "failed"), 0, "completed", 9)]
    history.decisions = [Decision("s.a4", "approve", "ann", 200), Decision("s.a4", "reject", "bob", 409, ("approve", "ann"))]
    whole = [(cursor, "s" if cursor < 10 else "t", cursor if cursor < 10 else 1) for cursor in range(1, 11)]
    history.streams["x"], history.streams["y"] = list(whole), list(whole)
    history.session_streams["z", "s"] = list(range(1, 8))
    history.attempts["s"] = [BEGIN + 1, BEGIN + 4]
    return history


class Judge(unittest.TestCase):
    def setUp(self):
        self.history, self.journals = good_history(), good_journals()

    def finds(self, *parts: str):
        found = judge.judge(self.history, self.journals)
        for part in parts:
            self.assertTrue(any(part in line for line in found), (part, found))

    def test_a_good_history_has_no_findings(self):
        self.assertEqual(judge.judge(self.history, self.journals), [])

    def test_a_lost_event(self):
        self.journals["s"][5].pop("event_id")
        self.finds("event b, acknowledged to one as 6, is lost")

    def test_an_event_that_is_there_twice(self):
        self.journals["s"][7]["event_id"] = "b"
        self.finds("event b is in the journal 2 times")

    def test_another_number_than_acknowledged(self):
        self.history.acks[1].n = 3
        self.finds("event a was acknowledged to one as 3 and is 2")

    def test_a_gap_in_the_numbers(self):
        del self.journals["s"][3]
        self.finds("the journal is not gapless at 4")

    def test_a_number_that_is_there_twice(self):
        self.journals["s"].insert(3, copy.deepcopy(self.journals["s"][2]))
        self.finds("the journal is not gapless at 4")

    def test_a_read_that_goes_back(self):
        self.history.reads.append(Read("two", "s", 5, 4.5, 4.6))
        self.finds("two has read 5 after two had 6: a read goes back")

    def test_a_read_below_what_somebody_was_acknowledged(self):
        self.history.reads[0].n = 1
        self.finds("one has read 1 after one had 2: a read goes back")

    def test_a_read_beside_an_acknowledgement_may_show_either(self):
        self.history.reads.append(Read("three", "s", 5, 4.05, 4.09))
        self.assertEqual(judge.judge(self.history, self.journals), [])

    def test_a_wait_that_was_not_true(self):
        for wait, part in ((Wait("two", "s", ("event",), 9, None, 9), "for an event after 9 was met at 9"),
                           (Wait("two", "s", ("event",), 9, None, 10), "met at 10, which the journal does not have"),
                           (Wait("two", "s", ("completed",), 0, "completed", 8), "where the verdict is silent"),
                           (Wait("two", "s", ("failed",), 0, "completed", 9), "for failed was met by completed")):
            self.history.waits = [wait]
            self.finds(part)

    def test_two_winners_of_an_approval(self):
        self.journals["s"][5] = event(6, "approval.decided", 4, id="s.a4", decision="reject", by="bob")
        self.finds("s.a4: the journal has 2 decisions")

    def test_a_decider_who_was_told_otherwise(self):
        self.history.decisions[1] = Decision("s.a4", "reject", "bob", 200)
        self.finds("bob was told to have decided (reject)")
        self.history.decisions[1] = Decision("s.a4", "reject", "bob", 409, ("approve", "eve"))
        self.finds("bob was told that ('approve', 'eve') had won")

    def test_a_decision_that_is_not_in_the_journal(self):
        self.history.decisions.append(Decision("s.a6", "approve", "ann", 200))
        self.finds("s.a6: ann was answered 200, and the journal has no decision")

    def test_a_stream_that_skips(self):
        del self.history.streams["y"][4]
        self.finds("stream y: 6 came after 4: 1 events are left out", "stream y: 1 events of the journals never came")

    def test_a_stream_that_ends_too_early(self):
        self.history.streams["x"].pop()
        self.finds("stream x: 1 events of the journals never came, such as ('t', 1)")

    def test_a_stream_that_repeats(self):
        self.history.streams["y"].insert(5, self.history.streams["y"][4])
        self.finds("stream y: 5 came after 5: a repeat")

    def test_streams_in_different_orders(self):
        seen = self.history.streams["y"]
        seen[8], seen[9] = (9, *seen[9][1:]), (10, *seen[8][1:])
        self.finds("stream y: at 9 is event 1 of t, elsewhere 9 of s")

    def test_a_stream_of_something_that_was_never_committed(self):
        self.history.streams["y"].append((11, "t", 2))
        self.finds("stream y: 1 events are in no journal, such as ('t', 2)")

    def test_a_stream_of_one_session_that_skips_or_repeats_or_invents(self):
        for numbers, part in (([1, 2, 4], "4 came instead of 3"), ([1, 2, 2], "2 came instead of 3"), (range(1, 11), "10 is not in the journal")):
            self.history.session_streams["z", "s"] = list(numbers)
            self.finds("stream of s to z: " + part)

    def test_a_session_that_was_silenced_too_early(self):
        self.journals["s"][6]["at"] = stamp(7.5)
        self.finds("s: silent at 7, 3.500 s after an event, with an interval of 2.0 s")

    def test_a_session_that_was_asked_for_more_beats_is_silent_earlier(self):
        self.journals["s"][6]["at"] = stamp(7.5)
        self.journals["s"][5]["next_heartbeat_ms"] = 1000
        self.history.attempts.clear()
        self.assertEqual(judge.judge(self.history, self.journals), [])

    def test_a_session_that_was_silenced_while_its_agent_tried(self):
        self.history.attempts["s"].append(BEGIN + 8)
        self.finds("s: silent at 7, and its agent had tried to report 1.000 s before")

    def test_a_retry_of_what_was_stored_is_no_sign_of_life(self):
        self.history.attempts["s"].append(BEGIN + 5)
        self.assertEqual(judge.judge(self.history, self.journals), [])

    def test_silence_that_is_noticed_late_or_twice_or_never(self):
        def of(*silences):
            return {"q": [event(1, "session.started", 0), *(event(2 + i, "verdict.changed", s, to="silent")
                                                            for i, s in enumerate(silences))]}
        self.assertEqual(judge.silence_noticed(of(4), {"q": 5}), [])
        for silences, part in (((6,), "noticed after 6.0 s"), ((4, 5), "2 verdicts say so"), ((), "0 verdicts say so")):
            (finding,) = judge.silence_noticed(of(*silences), {"q": 5})
            self.assertIn(part, finding)

    def test_times_that_go_back_or_are_of_another_clock(self):
        self.assertEqual(judge.stamps_in_order(self.journals, BEGIN, BEGIN + 10), [])
        self.journals["s"][4]["at"] = stamp(1)
        self.assertEqual(judge.stamps_in_order(self.journals, BEGIN, BEGIN + 10), ["s: times go back"])
        self.journals["s"][4]["at"] = stamp(3)
        self.journals["t"][0]["at"] = stamp(3605)
        (finding,) = judge.stamps_in_order(self.journals, BEGIN, BEGIN + 10)
        self.assertIn("t: times from", finding)

    def test_a_parent_that_was_not_told_of_its_child(self):
        def of(*told):
            return {"p": [event(1, "session.started", 0), *(event(2, "child.progress", 1, child="c", steps=steps, ended=ended)
                                                            for steps, ended in told)],
                    "c": [event(1, "session.started", 0, parent="p"), event(2, "tool.finished", 0), event(3, "session.ended", 1)]}
        self.assertEqual(judge.children_told(of((0, False), (1, True))), [])
        for told, part in ((((1, False),), "does not know that it has ended"), ((), "does not know that it has ended"),
                           (((0, True),), "knows of 0 steps of 1"), (((1, True), (1, True)), "was told of its end 2 times")):
            (finding,) = judge.children_told(of(*told))
            self.assertIn(part, finding)
        counted = of((3, True))  # by its agent, in a heartbeat
        counted["c"].insert(2, event(3, "heartbeat", 0, iteration=3))
        self.assertEqual(judge.children_told(counted), [])

    def test_a_replay_that_says_otherwise(self):
        steps = [{"n": n, "to": to} for n, to in judge.changes(self.journals["s"])]
        self.assertEqual(judge.verdicts_replayed("s", self.journals["s"], steps, []), [])
        for wrong in (steps[:-1], [*steps, {"n": 10, "to": "stuck"}], [steps[0], {"n": 7, "to": "stuck"}, steps[2]]):
            self.assertEqual(len(judge.verdicts_replayed("s", self.journals["s"], wrong, [])), 1)

    def test_daemons_that_show_different_journals(self):
        other = copy.deepcopy(self.journals)
        self.assertEqual(judge.same_everywhere({"one": self.journals, "two": other}), [])
        other["s"][1]["data"] = {"tool": "x"}
        self.assertEqual(judge.same_everywhere({"one": self.journals, "two": other}), ["s: two shows another journal than one"])


if __name__ == "__main__":
    unittest.main()
