# SPDX-License-Identifier: Apache-2.0
"""Tables of results in Markdown: a row for each behaviour and a column for each subject. Rows that are equal in all columns stand in a
table of their own, with one column: the wide one shows differences only."""


def rows_of(table: str) -> list:
    return [[cell.strip() for cell in line[1:-1].split(" | ")] for line in table.splitlines() if line.startswith("| ")]


def written(head: list, rows: list) -> str:
    lines = [head, *rows]
    rule = "|" + "---|" * len(head)
    made = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([made[0], rule, *made[1:]])


def render(titles: list, rows: dict) -> str:
    """Two tables of `rows`: behaviour -> its cell in each column."""
    same = {behaviour: cells[0] for behaviour, cells in rows.items() if len(set(cells)) == 1}
    differ = [[behaviour, *cells] for behaviour, cells in rows.items() if behaviour not in same]
    parts = [written(["", *titles], differ)]
    if same:
        parts.append(written([f"all {len(titles)}", ""], [list(row) for row in same.items()]))
    return "\n\n".join(parts)


def read(text: str) -> dict:
    """The cells of both tables: (title of the column, behaviour) -> cell."""
    tables = [rows for rows in map(rows_of, text.split("\n\n")) if rows]
    titles = tables[0][0][1:] if tables else []
    cells = {}
    for head, *rows in tables:
        for behaviour, *found in rows:
            cells |= {(title, behaviour): cell for title, cell in zip(titles, found if len(head) > 2 else found * len(titles))}
    return cells
