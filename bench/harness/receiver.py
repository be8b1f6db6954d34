#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A slow receiver of webhooks as a process of its own: every message has a connection that ends with its answer.

    python3 -I receiver.py [CERTIFICATE KEY]     (TLS with these, else plain HTTP)

Prints its port; ends when its standard input does.
"""
import asyncio
import re
import socket
import ssl
import sys

ACCEPT_SECONDS = 0.01  # from the connection to the first byte of the handshake
ANSWER_SECONDS = 0.01  # from the message to its answer


class Message(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.received = transport, b""

    def data_received(self, data):
        self.received += data
        head, end, body = self.received.partition(b"\r\n\r\n")
        if end and len(body) == int(re.search(rb"content-length: (\d+)", head.lower()).group(1)):
            asyncio.get_running_loop().call_later(ANSWER_SECONDS, self.answer)

    def answer(self):
        self.transport.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        self.transport.close()


async def take(connection: socket.socket, tls) -> None:
    await asyncio.sleep(ACCEPT_SECONDS)
    try:
        await asyncio.get_running_loop().connect_accepted_socket(Message, connection, ssl=tls)
    except OSError:
        connection.close()  # the sender has given up


async def main(files: list) -> None:
    tls = None
    if files:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*files)
        tls.num_tickets = 0  # no handshake is shortened by an earlier one
    loop, tasks = asyncio.get_running_loop(), set()
    loop.add_reader(sys.stdin, lambda: sys.exit(0))
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        listener.setblocking(False)
        print(listener.getsockname()[1], flush=True)
        while True:
            connection, _ = await loop.sock_accept(listener)
            task = asyncio.create_task(take(connection, tls))
            tasks.add(task)  # the loop itself holds tasks weakly
            task.add_done_callback(tasks.discard)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
