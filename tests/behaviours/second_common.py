# SPDX-License-Identifier: Apache-2.0
"""Surfaces that both labels of the second set share: how a page, a table or a list of pods looks in a tool's answer."""


def mcp(text):
    """A result of an MCP server."""
    return [{"type": "text", "text": text}]


def page(url, title, *nodes):
    """A page as the accessibility snapshot of a browser tool; nodes are its lines."""
    body = "\n".join(f"  - {node} [ref=e{7 + 3 * index}]" for index, node in enumerate(nodes))
    return mcp(f"- Page URL: {url}\n- Page Title: {title}\n- Page Snapshot\n```yaml\n- main [ref=e2]:\n{body}\n```")


def table(header, rows):
    """Columns as kubectl and the like print them."""
    rows = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    return "\n".join("   ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def browse(s, tool, answer, **args):
    """A call of a browser's MCP server."""
    s.call(f"mcp__playwright__browser_{tool}", args, answer)


def screen(s, shown, /, action="screenshot", **args):
    """A step of a computer-use agent; the harness reports the text that it reads from the screen."""
    s.call("computer", {"action": action, **args}, {"type": "screenshot", "width": 1280, "height": 800, "ocr": shown})
