"""Takes out of scripts and style sheets what only people read: comments, indentation, spaces that mean nothing.

Names stay as they are, lines mostly too. What is in strings, regular expressions and the text of templates is not touched, but for
indentation at the start of a template's line, which htm drops as well. Files that came minified are left alone (VENDORED).
"""
import re

VENDORED = {"preact.js", "uplot.js", "uplot.css"}
WORD = re.compile(r"[A-Za-z0-9_$\\#]")
TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")
  | (?P<space>\s+)
  | (?P<word>[A-Za-z0-9_$\#]+(?:\.[0-9]+)?)
  | (?P<mark>=>|\+\+|--|[^\sA-Za-z0-9_$])
""", re.X | re.S)
REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
# After these a slash begins a regular expression, not a division.
BEFORE_REGEX = re.compile(r"(^|[=(,:;!&|?{}\[+*%<>~^-]|\breturn|\btypeof|\bcase|=>)$")


def template(text: str, i: int) -> tuple:
    """The template literal that begins at text[i], squeezed, and where it ends."""
    out, i = ["`"], i + 1
    while text[i] != "`":
        if text[i] == "\\":
            out.append(text[i:i + 2])
            i += 2
        elif text.startswith("${", i):
            inner, i = code(text, i + 2, "}")
            out.append("${" + inner + "}")
            i += 1
        elif text[i] == "\n":
            out.append("\n")
            i += 1
            while text[i] in " \t":
                i += 1
        else:
            out.append(text[i])
            i += 1
    return "".join(out) + "`", i + 1


def code(text: str, i: int = 0, until: str = "") -> tuple:
    """Script from text[i] to the bracket `until`, squeezed, and where it ends."""
    out, depth, gap = "", 0, ""
    parts = []

    def put(token: str) -> None:
        nonlocal out, gap
        if gap and out:
            if "\n" in gap and not (out[-1] in "{([,;=:?&|" or token[0] in "})],;:?&|" + ("." if not token.startswith("...") else "")):
                parts.append("\n")  # may end a statement
            elif WORD.match(out[-1]) and WORD.match(token[0]) or out[-1] in "+-" and token[0] == out[-1]:
                parts.append(" ")
        parts.append(token)
        out, gap = token, ""

    tail = ""
    while i < len(text):
        if text[i] == "`":
            token, i = template(text, i)
            put(token)
            tail = "`"
            continue
        if text[i] == "/" and text[i:i + 2] not in ("//", "/*") and BEFORE_REGEX.search(tail):
            token = REGEX.match(text, i).group()
            put(token)
            tail, i = "/", i + len(token)
            continue
        match = TOKEN.match(text, i)
        token = match.group()
        i = match.end()
        if match.lastgroup in ("space", "comment"):
            gap += token if match.lastgroup == "space" else ("\n" if "\n" in token else " ")
            continue
        if until and token == until and depth == 0:
            return "".join(parts), match.start()
        depth += {"{": 1, "}": -1}.get(token, 0)
        put(token)
        tail = token[-1] if match.lastgroup == "mark" else token
    return "".join(parts), i


def style(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r" ?([{};,>]) ?", r"\1", text)
    text = re.sub(r"(?<=[\w)])?: (?=[^;{}]*[;}])", ":", text)
    return text.replace(";}", "}").strip()


def squeeze(name: str, text: str) -> str:
    if name in VENDORED:
        return text
    if name.endswith(".js"):
        return code(text)[0] + "\n"
    return style(text) if name.endswith(".css") else text
