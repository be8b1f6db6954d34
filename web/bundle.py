"""What a browser is sent of web/: fewer and smaller files, the same program.

bundle() puts the modules that are always read together into one (GROUPS), squeeze() takes out of scripts and style sheets what only
people read: comments, indentation, spaces that mean nothing. Names stay as they are, but for the four of SHORT. What is in strings, regular expressions and
the text of templates is not touched, but for line breaks between tags and indentation, which htm drops as well. Files that came
minified are left alone (VENDORED). Unbundled, the folder works just as well: nothing depends on this but the weight.
"""
import re

VENDORED = {"preact.js", "uplot.js"}
# In the order of their imports. A name that two modules of a group have at their top is an error of syntax in the browser.
GROUPS = {
    "hub.js": ["api.js", "format.js", "fold.js", "hub.js"],
    "main.js": ["page.js", "ui.js", "fleet.js", "approvals.js", "journal.js", "budget.js", "session.js", "more.js", "main.js"],
}
SHORT = {"html": "$", "useState": "$s", "useEffect": "$e", "useRef": "$r"}  # imported from preact.js, and all over the place
HOME = {module: group for group, modules in GROUPS.items() for module in modules}
IMPORT = re.compile(r"^import \{ ([^}]*) \} from '\./([\w.]+)';\n", re.M)
EXPORT = re.compile(r"^export ((?:async )?(?:const|let|function|class) (\w+))", re.M)
UNQUOTED = re.compile(r'(?<=[a-z])="([\w-]+)"(?=[\s>])')  # htm needs no quotes around a word
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
            while text[i] in " \t\n":
                i += 1
            # Between tags htm drops a line break; elsewhere it parts words or attributes.
            out.append("" if (out[-1][-1:] == ">" or len(out) == 1) and text[i] == "<" else "\n")
        else:
            out.append(text[i])
            i += 1
    return UNQUOTED.sub(r"=\1", "".join(out)).replace(" />", "/>") + "`", i + 1


def code(text: str, i: int = 0, until: str = "") -> tuple:
    """Script from text[i] to the bracket `until`, squeezed, and where it ends."""
    out, depth, gap = "", 0, ""
    parts = []
    begun = [["", ""]]  # for each open bracket, how the statement before began, and this one

    def put(token: str) -> None:
        nonlocal out, gap
        if token == "}" and parts and parts[-1] in ";,":
            parts.pop()  # the last of a block or a list needs no end
            out, gap = parts[-1] if parts else "", ""
        if token == "=>" and len(parts) > 3 and parts[-1] == ")" and parts[-3] == "(" and not WORD.match(parts[-4][-1]) and WORD.match(parts[-2]):
            del parts[-1], parts[-2]  # (x) => is x =>
            if WORD.match(parts[-2][-1]):
                parts.insert(-1, " ")
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
        if tail != ".":
            token = {"const": "let", **SHORT}.get(token, token)
        if token in "([{":
            begun.append(["", ""])
        elif token in ")]}":
            begun.pop()
            if token == "}" and begun[-1][1] != "let":
                begun[-1] = ["", ""]  # the end of a block, or of something that no declaration goes on from
        elif token == ";":
            begun[-1] = [begun[-1][1], ""]
        elif not begun[-1][1]:
            begun[-1][1] = token
            if token == "let" and begun[-1][0] == "let" and parts[-1] == ";":
                parts[-1] = out = ","  # one declaration for all that follow each other
                gap = ""
                tail = ","
                continue
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


def bundle(files: dict) -> dict:
    """Name to text, for the names and texts of all files."""
    scripts = {name: text for name, text in files.items() if name.endswith(".js") and name not in VENDORED}
    wanted = {name: set() for name in files}  # what modules of other groups import of each
    for name, text in scripts.items():
        for names, target in IMPORT.findall(text):
            if HOME.get(target, target) != HOME.get(name, name):
                wanted[target].update(names.split(", "))
    out = {name: text for name, text in files.items() if name not in HOME}
    for group, modules in GROUPS.items():
        imports, exports, body = {}, set(), []
        for module in modules:
            for names, target in IMPORT.findall(files[module]):
                if HOME.get(target) != group:
                    imports.setdefault(HOME.get(target, target), set()).update(names.split(", "))
            exports |= wanted[module]
            body.append(EXPORT.sub(r"\1", IMPORT.sub("", files[module])))
        head = "".join(f"import{{{','.join(f'{n} as {SHORT[n]}' if n in SHORT else n for n in sorted(names))}}}from'./{target}';" for target, names in sorted(imports.items()))
        out[group] = head + squeeze(group, "".join(body)) + (f"export{{{','.join(sorted(exports))}}};\n" if exports else "")
    return {name: text if name in GROUPS else squeeze(name, text) for name, text in sorted(out.items())}
