#!/usr/bin/env python3
"""What the daemon keeps in memory: a session that has ended leaves it, and does not come back to stay."""
import re
import unittest

from support.case import OwnDaemonCase
from support.limits import eventually


class Residents(OwnDaemonCase):
    def test_ended_sessions_leave_and_those_that_visit_leave_again(self):
        daemon = self.start({"policy.heartbeat_interval": "4s"})
        client = self.client(daemon)
        for number in range(20):
            client.report(f"done-{number}", "message", role="assistant", text="the last word")
            client.end(f"done-{number}")
        client.report("quiet", "message", role="assistant", text="and then nothing more")

        def resident() -> int:
            client.report("busy", "heartbeat")  # a gap between turns is what sessions are saved in
            return int(re.search(rb"^headway_sessions_resident (\d+)$", client.get("/metrics").body, re.M)[1])

        eventually(lambda: resident() == 2, 60, "that only busy and quiet are in memory")
        # When it is called silent, what was planned for those that ended before it has come up too.
        eventually(lambda: resident() and client.get("/v1/sessions/quiet").json()["verdict"]["status"] == "silent", 60, "silence")
        self.assertEqual(resident(), 2)
        for number in range(20):
            self.assertEqual(client.get(f"/v1/sessions/done-{number}").json()["verdict"]["status"], "completed")
        eventually(lambda: resident() == 2, what="that the visitors have left")


if __name__ == "__main__":
    unittest.main()
