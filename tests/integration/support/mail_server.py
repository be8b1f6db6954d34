# SPDX-License-Identifier: Apache-2.0
"""A mail server as a thread of the test: takes mails, and refuses what its script says."""
import email
import email.policy
import socketserver
import ssl
import threading
from dataclasses import dataclass

from .limits import Deadline


@dataclass
class Mail:
    sender: str
    recipients: list
    raw: bytes
    user: str = ""
    encrypted: bool = False

    @property
    def message(self):
        return email.message_from_bytes(self.raw, policy=email.policy.default)

    @property
    def text(self) -> str:
        return self.message.get_content()


class MailServer:
    """`answers` maps a command (MAIL, RCPT, DATA, BODY, AUTH, CONNECT) to the lines that it gets next, before the usual one."""

    def __init__(self, certificate: str = "", starttls: bool = False, port: int = 0):
        self.mails, self.answers = [], {}
        self._told = threading.Condition()
        context = None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
        server = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                try:
                    server._serve(self, context, starttls)
                except OSError:
                    pass  # a daemon that was killed, or does not trust us

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True

        self._server = Server(("127.0.0.1", port), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def _serve(self, handler, context, starttls):
        if context and not starttls:
            with context.wrap_socket(handler.request, server_side=True) as connection:
                self._talk(connection, True, None)
        else:
            self._talk(handler.request, False, context if starttls else None)

    def _talk(self, connection, encrypted, starttls, greets: bool = True):
        user = ""
        lines = connection.makefile("rb")
        say = lambda text: connection.sendall(text.encode() + b"\r\n")  # noqa: E731
        sender, recipients = "", []
        if greets:
            say(self._answer("CONNECT", "220 test"))
        while line := lines.readline():
            word, _, rest = line.decode().strip().partition(" ")
            word = word.upper()
            if word == "EHLO":
                say("250-test" + ("\r\n250-STARTTLS" if starttls else "") + "\r\n250 AUTH PLAIN")
            elif word == "STARTTLS":
                say("220 go on")
                with starttls.wrap_socket(connection, server_side=True) as safe:
                    return self._talk(safe, True, None, False)
            elif word == "AUTH":
                if rest == "PLAIN":
                    say("334 ")
                    rest = "PLAIN " + lines.readline().decode().strip()
                user = rest.partition(" ")[2]
                say(self._answer("AUTH", "235 welcome"))
            elif word == "MAIL":
                sender, recipients = rest, []
                say(self._answer("MAIL", "250 ok"))
            elif word == "RCPT":
                recipients.append(rest)
                say(self._answer("RCPT", "250 ok"))
            elif word == "DATA":
                say(self._answer("DATA", "354 go on"))
                raw = b""
                while (part := lines.readline()) not in (b".\r\n", b""):
                    raw += part[1:] if part.startswith(b"..") else part
                with self._told:
                    self.mails.append(Mail(sender, recipients, raw, user, encrypted))
                    self._told.notify_all()
                say(self._answer("BODY", "250 taken"))
            elif word == "QUIT":
                say("221 bye")
                return
            else:
                say("250 ok")

    def _answer(self, word: str, usual: str) -> str:
        waiting = self.answers.get(word)
        return waiting.pop(0) if waiting else usual

    def wait_for(self, count: int, seconds: float = 60) -> list:
        deadline = Deadline(seconds)
        with self._told:
            while len(self.mails) < count:
                if not self._told.wait(deadline.left()) and deadline.passed():
                    raise AssertionError(f"mail {count} did not come; so far {len(self.mails)}")
            return list(self.mails)

    def stop(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
