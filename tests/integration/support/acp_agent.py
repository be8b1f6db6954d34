#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An agent of the Agent Client Protocol for tests: it does what the words of its prompts say, and writes down what it reads."""
import json
import os
import select
import sys
import time
import uuid

LOG = open(sys.argv[1], "ab", buffering=0)
number = 0


def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def receive() -> dict:
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    LOG.write(line)
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def update(session, **fields):
    send(method="session/update", params={"sessionId": session, "update": fields})


def call(session) -> str:
    """One call that asks for permission; how the turn ends."""
    global number
    number += 1
    about = {"toolCallId": f"call-{number}", "title": "Edit a.txt", "kind": "edit", "rawInput": {"path": "a.txt", "text": "new"}}
    update(session, sessionUpdate="tool_call", status="pending", **about)
    send(id=f"ask-{number}", method="session/request_permission", params={"sessionId": session, "toolCall": about, "options": [
        {"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}]})
    while True:
        message = receive()
        if message.get("method") == "session/cancel":
            return "cancelled"
        if message.get("id") == f"ask-{number}":
            break
    allowed = message["result"]["outcome"].get("optionId") == "yes"
    if allowed:
        update(session, sessionUpdate="tool_call_update", toolCallId=about["toolCallId"], status="in_progress")
    update(session, sessionUpdate="tool_call_update", toolCallId=about["toolCallId"], status="completed" if allowed else "failed",
           content=[{"type": "content", "content": {"type": "text", "text": "done" if allowed else "not allowed"}}])
    return "end_turn"


def ask(session, about, name) -> bool:
    send(id=name, method="session/request_permission", params={"sessionId": session, "toolCall": about, "options": [
        {"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}]})
    while True:
        message = receive()
        if message.get("id") == name:
            return message["result"]["outcome"].get("optionId") == "yes"


def swap(session) -> str:
    """Asks for something harmless, and then, by the same id, for something else."""
    about = {"toolCallId": "swapped", "title": "Edit a.txt", "kind": "edit", "rawInput": {"path": "a.txt", "text": "new"}}
    update(session, sessionUpdate="tool_call", status="pending", **about)
    ask(session, about, "first")
    about["rawInput"] = {"path": "/etc/passwd", "text": "evil"}
    allowed = ask(session, about, "second")
    update(session, sessionUpdate="tool_call_update", toolCallId="swapped", status="completed" if allowed else "failed")
    return "end_turn"


def stubborn(session) -> str:
    """Makes one call after another, whatever is answered, and ends for no cancel."""
    global number
    for _ in range(3):
        number += 1
        about = {"toolCallId": f"call-{number}", "title": "Edit a.txt", "kind": "edit", "rawInput": {"path": "a.txt", "text": str(number)}}
        allowed = ask(session, about, f"ask-{number}")
        update(session, sessionUpdate="tool_call_update", toolCallId=about["toolCallId"], status="completed" if allowed else "failed")
    return "end_turn"


def elsewhere(session, busy: int) -> str:
    """Asks for a call of a session that no editor has named, once so many other prompts have come."""
    while busy > 0:
        busy -= receive().get("method") == "session/prompt"
    about = {"toolCallId": "elsewhere", "title": "Edit a.txt", "kind": "edit", "rawInput": {"path": "a.txt", "text": "new"}}
    ask(session + "-other", about, "elsewhere")
    return "end_turn"


def sub(session) -> str:
    """A call of a session that no editor has named, and its end."""
    ask(session + "-other", {"toolCallId": "sub", "kind": "read", "rawInput": {"path": "a.txt"}}, "sub")
    update(session + "-other", sessionUpdate="tool_call_update", toolCallId="sub", status="completed")
    return "end_turn"


OPTIONS = [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}]
NEW = {"path": "a.txt", "text": "new"}


def announced(session, seen, asked) -> str:
    """Announces a call as begun, and asks for its permission afterwards."""
    update(session, sessionUpdate="tool_call", toolCallId="begun", status="in_progress", **seen)
    allowed = ask(session, {"toolCallId": "begun", **asked}, "begun")
    update(session, sessionUpdate="tool_call_update", toolCallId="begun", status="completed" if allowed else "failed")
    return "end_turn"


def late(session) -> str:
    """Announces a call as begun, and asks for its permission once the editor has said something."""
    about = {"title": "Edit", "kind": "edit", "rawInput": NEW}
    update(session, sessionUpdate="tool_call", toolCallId="late", status="in_progress", **about)
    receive()
    ask(session, {"toolCallId": "late", **about}, "late")
    return "end_turn"


ANNOUNCED = {
    "begun": ({"title": "Edit", "kind": "edit", "rawInput": NEW}, {"title": "Edit", "kind": "edit", "rawInput": NEW}),
    "bare": ({"title": "Run"}, {"kind": "edit", "rawInput": NEW}),
    "other": ({"kind": "edit", "rawInput": {"path": "harmless"}}, {"kind": "edit", "rawInput": {"path": "/etc/passwd"}}),
    "empty": ({"kind": "edit", "rawInput": {"path": "/etc/passwd"}}, {"title": "Look", "kind": "read", "rawInput": {}}),
}


def nameless(session) -> str:
    for name, about in (("none", {}), ("null", {"toolCallId": None}), ("number", {"toolCallId": 7})):
        ask(session, {"title": "Edit", "kind": "edit", "rawInput": NEW, **about}, name)
    return "end_turn"


def crowd(session) -> str:
    """More permissions than are kept, of which it awaits none."""
    for number in range(70):
        send(id=f"crowd-{number}", method="session/request_permission", params={
            "sessionId": session, "options": OPTIONS, "toolCall": {"toolCallId": f"crowd-{number}", "kind": "read", "rawInput": {"path": str(number)}}})
    return "end_turn"


def burst(session) -> str:
    """Asks, and says much more in the same breath."""
    request = {"jsonrpc": "2.0", "id": "burst", "method": "session/request_permission", "params": {
        "sessionId": session, "options": OPTIONS, "toolCall": {"toolCallId": "burst", "kind": "edit", "rawInput": NEW}}}
    more = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": {
        "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x" * 50_000}}}}
    sys.stdout.write(json.dumps(request) + "\n" + json.dumps(more) + "\n")
    sys.stdout.flush()
    while receive().get("id") != "burst":
        pass
    return "end_turn"


ODD = {"half": "rm -rf build #\ud800", "deep": json.loads("[" * 300 + "]" * 300), "long": "x" * (17 << 20)}


def odd(session, name) -> str:
    """Asks for a call with arguments that a strict parser refuses, or that are too long to be read."""
    about = {"toolCallId": name, "title": "Edit a.txt", "kind": "edit", "rawInput": {"path": "a.txt", "text": ODD[name]}}
    allowed = ask(session, about, name)
    update(session, sessionUpdate="tool_call_update", toolCallId=name, status="completed" if allowed else "failed")
    return "end_turn"


def pair(session) -> str:
    """Asks for two calls at once."""
    for number in (1, 2):
        send(id=f"pair-{number}", method="session/request_permission", params={"sessionId": session, "options": OPTIONS, "toolCall": {
            "toolCallId": f"pair-{number}", "kind": "edit", "rawInput": {"path": str(number)}}})
    waits = {"pair-1", "pair-2"}
    while waits:
        waits.discard(receive().get("id"))
    return "end_turn"


def both(session) -> str:
    """Asks for two calls at once, of which one lasts."""
    for number in (1, 2):
        send(id=f"both-{number}", method="session/request_permission", params={"sessionId": session, "options": OPTIONS, "toolCall": {
            "toolCallId": f"both-{number}", "kind": "read", "rawInput": {"path": str(number)}}})
    while receive().get("method") != "session/cancel":
        pass
    return "cancelled"


ASKING = {"late": late, "both": both, "pair": pair, "nameless": nameless, "crowd": crowd, "burst": burst}


def works(session) -> str:
    """A call that is allowed, and lasts."""
    ask(session, {"toolCallId": "works", "kind": "read", "rawInput": {"path": "a.txt"}}, "works")
    while receive().get("method") != "session/cancel":
        pass
    return "cancelled"


def lasts(session) -> str:
    """A call of which a person decides, and a turn that no cancel ends until the editor says so."""
    ask(session, {"toolCallId": "lasts", "kind": "edit", "rawInput": NEW}, "lasts")
    while receive().get("method") != "test/over":
        pass
    return "end_turn"


def floods(session) -> str:
    """Makes requests that are refused, as many as are taken, and reads no answer until no more are."""
    request = (json.dumps({"jsonrpc": "2.0", "method": "x/y", "id": "f" * 200})[:-1] + ',"method":"fs/write_text_file"}\n').encode()
    taken = 0
    while taken < 8 << 20 and select.select([], [1], [], 3)[1]:
        taken += os.write(1, request)
    LOG.write(json.dumps({"taken": taken}).encode() + b"\n")
    while not select.select([], [1], [], 0)[1]:
        os.read(0, 65536)
    return "end_turn"


def wait_for_cancel(session) -> str:
    update(session, sessionUpdate="tool_call", toolCallId="slow", status="in_progress", title="make", kind="execute", rawInput={"command": "make"})
    while receive().get("method") != "session/cancel":
        pass
    return "cancelled"


def deeds(session) -> str:
    """Lets the editor run a command and write a file, for no call."""
    for method, params in (("terminal/create", {"command": "rm", "args": ["-rf", "/x"]}), ("fs/write_text_file", {"path": "/x", "content": "new"})):
        send(id=method, method=method, params={"sessionId": session, **params})
        while receive().get("id") != method:
            pass
    return "end_turn"


def write_of(number: str, session, text: str, **more) -> dict:
    return {"jsonrpc": "2.0", **more, "method": "fs/write_text_file", "id": number, "params": {"sessionId": session, "path": "/x", "content": text}}


def many(session) -> str:
    """Writes more files at once than may be asked about."""
    waits = {f"many-{number}" for number in range(100)}
    sys.stdout.write("".join(json.dumps(write_of(number, session, number)) + "\n" for number in sorted(waits)))
    sys.stdout.flush()
    while waits:
        waits.discard(receive().get("id"))
    return "end_turn"


def unreadable(session) -> str:
    """Lets the editor write in messages that are too long, in a batch, without an id or no JSON."""
    long = {"params": {"sessionId": session, "path": "/x", "content": "x" * (17 << 20)}, "method": "fs/write_text_file", "id": "long"}
    twice = f'{{"method":"x/y","params":"{"x" * (17 << 20)}","method":"fs/write_text_file","id":"twice"}}'
    blanks = f'{{"result":0,"id":"blanks","method":{" " * 1_025}"fs/write_text_file","params":"{"x" * (17 << 20)}"}}'
    nameless = write_of("", session, "nameless")
    del nameless["id"]
    deed = json.dumps(write_of("behind", session, "behind"))
    news = '{"jsonrpc":"2.0","method":"x/y"%s}'
    lines = [news % "" + "\r" + deed, news % f',"params":\r{deed}\r', "0 " + deed, "[debug] " + deed, deed[:-1] + ',"method":"x/y"}']
    odd = write_of("odd", session, "odd", x=float("nan"))
    half = write_of("half", session, "a\ud83d b")
    for line in (json.dumps(long), json.dumps([long]), twice, blanks, json.dumps(nameless), *lines, json.dumps(odd), json.dumps(half)):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    waits = {"long", "twice", "blanks", "odd", "half"}
    while waits:
        waits.discard(receive().get("id"))
    return "end_turn"


def spare(session) -> str:
    """Lets the editor write, with members that some readers take for others."""
    deed = write_of("spare", session, "spare", **{"param\u017f": {"path": "/evil", "content": "evil"}})
    deed["params"]["Content"] = None
    sys.stdout.write(json.dumps(deed) + "\n")
    sys.stdout.flush()
    while receive().get("id") != "spare":
        pass
    return "end_turn"


def edits(session, path, before="") -> str:
    """Asks for an edit, and lets the editor write the file with it, with this text before it."""
    ask(session, {"toolCallId": "edits", "kind": "edit", "rawInput": {"file_path": path, "old_string": "x", "new_string": "y"}}, "edits")
    send(**write_of("written", session, before + "ayb") | {"params": {"sessionId": session, "path": path, "content": before + "ayb"}})
    while receive().get("id") != "written":
        pass
    return "end_turn"


def behind(session):
    """A call outside of a turn, until a cancel."""
    update(session, sessionUpdate="tool_call", toolCallId="behind", status="in_progress", kind="read", rawInput=NEW)
    while receive().get("method") != "session/cancel":
        pass
    update(session, sessionUpdate="tool_call_update", toolCallId="behind", status="failed")


def deed_behind(session):
    """Lets the editor write outside of a turn."""
    send(**write_of("behind", session, "new"))
    while receive().get("id") != "behind":
        pass
    time.sleep(1)  # the end of the call reaches the daemon
    update(session, sessionUpdate="tool_call", toolCallId="later", status="in_progress", kind="read", rawInput=NEW)
    update(session, sessionUpdate="tool_call_update", toolCallId="later", status="completed")


def leave():
    """Exits, and leaves a process that writes on."""
    os.write(1, b'{"a')
    if not os.fork():
        time.sleep(0.1)
        os.write(1, b'":1}\n{"b":2}\n')
    os._exit(0)


BEHIND = {"behind": behind, "deed behind": deed_behind}


def elicits(session) -> str:
    """A question to a person that is no permission."""
    send(id="elicits", method="elicitation/create", params={"sessionId": session, "message": "Which database?"})
    while receive().get("id") != "elicits":
        pass
    return "end_turn"


ASKING |= {"sub": sub, "deeds": deeds, "elicits": elicits, "many": many, "unreadable": unreadable, "spare": spare}

ERRORS = {"error login": {"code": -32000, "message": "Authentication required"}, "error": {"code": -32603, "message": ""},
          "error limit": {"code": -32603, "message": "You've hit your usage limit, resets 5pm"}}


def prompt(message):
    session = message["params"]["sessionId"]
    words = message["params"]["prompt"][0]["text"]
    if words == "nothing":
        return send(id=message["id"], result={"stopReason": "end_turn"})
    if words.startswith("error"):
        return send(id=message["id"], error=ERRORS[words])
    update(session, sessionUpdate="agent_message_chunk", content={"type": "text", "text": "Will "})
    update(session, sessionUpdate="agent_message_chunk", content={"type": "text", "text": "do."})
    reason = "end_turn"
    if words == "call":
        reason = call(session)
    elif words == "swap":
        reason = swap(session)
    elif words in ANNOUNCED:
        reason = announced(session, *ANNOUNCED[words])
    elif words == "unmoved":
        ask(session, {"toolCallId": "unmoved", "kind": "edit", "rawInput": NEW}, "unmoved")
    elif words == "asleep":
        ask(session, {"toolCallId": "asleep", "kind": "read", "rawInput": NEW}, "asleep")
    elif words in ASKING:
        reason = ASKING[words](session)
    elif words in ODD:
        reason = odd(session, words)
    elif words == "stubborn":
        reason = stubborn(session)
    elif words.startswith("elsewhere"):
        reason = elsewhere(session, int(words.split()[1]))
    elif words == "afterwards":
        send(id=message["id"], result={"stopReason": wait_for_cancel(session)})
        return stubborn(session)
    elif words == "floods":
        reason = floods(session)
    elif words == "lasts":
        reason = lasts(session)
    elif words == "works":
        reason = works(session)
    elif words == "slow":
        reason = wait_for_cancel(session)
    elif words.startswith("ends"):
        reason = words[5:] or None
    elif words in BEHIND:
        send(id=message["id"], result={"stopReason": "end_turn"})
        return BEHIND[words](session)
    elif words.startswith("edits"):
        reason = edits(session, words.split()[-1], "more " if "more" in words.split() else "")
    elif words == "unreadable reply":
        return send(id=message["id"], result={"stopReason": "end_turn", "_meta": {"cost": float("nan")}})
    elif words == "leave":
        leave()
    elif words == "exit":
        sys.exit(7)
    elif words == "background":
        send(id=message["id"], result={"stopReason": "end_turn"})
        about = {"toolCallId": "late", "kind": "edit", "rawInput": NEW}
        update(session, sessionUpdate="tool_call", status="in_progress", **about)
        return update(session, sessionUpdate="tool_call_update", toolCallId="late", status="completed")
    elif words == "pieces":
        sys.stdout.write('["not whole')
        sys.stdout.flush()
        receive()
        sys.stdout.write(" and no JSON  \r\n")
    send(id=message["id"], result={"stopReason": reason, "usage": {"inputTokens": 100, "outputTokens": 20}})


while True:
    received = receive()
    kind = received.get("method")
    if kind == "initialize":
        send(id=received["id"], result={"protocolVersion": 1, "agentInfo": {"name": "@acme/Fake", "version": "1.2"}})
    elif kind == "session/new":
        send(id=received["id"], result={"sessionId": os.environ.get("SESSION_ID") or f"n-{uuid.uuid4()}", "models": {"currentModelId": "m-1"}})
    elif kind == "session/load":
        send(id=received["id"], result={})
    elif kind == "session/prompt":
        prompt(received)
