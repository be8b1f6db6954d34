#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the learned risk of docs/risk.md from recordings: `./dev risk`.

Reads the features that `headway eval --features` wrote and the labels of the recordings. Writes core/judgement/risk_model.hpp, examples
for the unit test, and the tables of docs/risk.md. The same input gives the same bytes."""
import argparse
import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

PROJECT = Path(__file__).resolve().parents[2]
HORIZON = 20  # calls ahead
# These set where a session of an unknown source stands; all others compare the calls of one source.
LEVEL = ["hard"]
FAR = 10.0  # scale of a source's own intercept: hardly penalised
DRAWS = 400  # of the bootstrap
SEED = 20261123
BEGIN, END = "<!-- tables: made by ./dev risk -->", "<!-- end of the tables -->"


@dataclass
class Rows:
    """One finished call each; a session's weights add up to one."""
    session: np.ndarray
    source: np.ndarray
    call: np.ndarray
    suspect: np.ndarray
    failures: np.ndarray
    features: np.ndarray
    label: np.ndarray
    weight: np.ndarray


def label_of(facts: dict, call: int, calls: int):
    """1 or 0 after `call` of `calls` calls; None where the labels do not tell."""
    ends = calls - call <= HORIZON
    failed = facts["outcome"] == "fail" and ends
    if facts["outcome"] == "unknown" and ends:
        failed = None
    if facts["loop"] == "yes":
        start = int(facts["loop_start_call"])
        stuck = start < call + HORIZON and start + int(facts["loop_len"]) > call if start >= 0 else None
    else:
        stuck = False if facts["loop"] == "no" else None
    if failed or stuck:
        return 1
    return None if failed is None or stuck is None else 0


def read(features: Path, labels: Path):
    with open(labels, newline="", encoding="utf-8") as file:
        facts = {row["file"]: row for row in csv.DictReader(file)}
    with open(features, newline="", encoding="utf-8") as file:
        lines = csv.reader(file)
        names = next(lines)[4:]
        sessions = {}
        for line in lines:
            sessions.setdefault(line[0], []).append(line)
    kept = []
    for name in sorted(sessions):
        if name not in facts:
            continue
        lines = sessions[name]
        known = [(line, label_of(facts[name], int(line[1]), len(lines))) for line in lines]
        known = [(line, label) for line, label in known if label is not None]
        for line, label in known:
            kept.append((name, facts[name]["source"], int(line[1]), int(line[2]), float(line[3]), [float(v) for v in line[4:]],
                         label, 1 / len(known)))
    columns = [np.array(column) for column in zip(*kept)]
    return names, Rows(*columns)


def logistic(values):
    return 1 / (1 + np.exp(-np.clip(values, -35, 35)))


def fit_level(columns, offset, label, weight):
    """Logistic regression beside a fixed part, with a ridge of 1; the intercept last and free."""
    matrix = np.column_stack([columns, np.ones(len(label))])
    ridge = np.append(np.ones(columns.shape[1]), 1e-9)
    found = np.zeros(matrix.shape[1])
    for _ in range(50):
        now = logistic(matrix @ found + offset)
        slope = matrix.T @ (weight * (now - label)) + ridge * found
        curve = (matrix * (weight * now * (1 - now))[:, None]).T @ matrix + np.diag(ridge)
        found = found - np.linalg.solve(curve, slope)
    return found


def fit(names, rows: Rows, use):
    """Weights in the order of `names`, and the intercept.

    First how calls of one source differ: each source has its own intercept, so that no feature stands for a source. Then the
    level: one source weighs one, since sources are what is to be generalised over."""
    level = np.array([name in LEVEL for name in names])
    sources = sorted(set(rows.source[use]))
    own = np.column_stack([rows.source[use] == source for source in sources]) * FAR
    moves = rows.features[use][:, ~level]
    within = LogisticRegression(C=1.0, fit_intercept=False, solver="newton-cholesky", tol=1e-10, max_iter=200)
    within.fit(np.column_stack([moves, own]), rows.label[use], sample_weight=rows.weight[use])
    weights = np.zeros(len(names))
    weights[~level] = within.coef_[0][:moves.shape[1]]
    totals = {source: rows.weight[use][rows.source[use] == source].sum() for source in sources}
    even = rows.weight[use] / np.array([totals[source] for source in rows.source[use]])
    found = fit_level(rows.features[use][:, level], moves @ weights[~level], rows.label[use], even)
    weights[level] = found[:-1]
    return np.round(weights, 6), round(float(found[-1]), 6)


def fit_one(column, rows: Rows, use):
    """A baseline as a probability: logistic regression on it alone."""
    model = LogisticRegression(C=1e6, solver="newton-cholesky", tol=1e-10).fit(column[use][:, None], rows.label[use],
                                                                               sample_weight=rows.weight[use])
    return model.predict_proba(column[:, None])[:, 1]


def ranks_within(rows: Rows):
    """The number of calls as its rank within the source, 0 to 1: knows the source, as no model here does."""
    ranks = np.zeros(len(rows.call))
    for source in sorted(set(rows.source)):
        mine = rows.source == source
        ordered = np.sort(rows.call[mine])
        ranks[mine] = (np.searchsorted(ordered, rows.call[mine]) + np.searchsorted(ordered, rows.call[mine], "right")) / 2 / mine.sum()
    return ranks


def leave_one_out(names, rows: Rows):
    """For each way to judge: (scores for ranking, probabilities), each session judged without its own source."""
    baselines = {"calls": ranks_within(rows), "failures": rows.failures, "suspect": rows.suspect.astype(float)}
    made = {name: (column, np.zeros(len(column))) for name, column in baselines.items()}
    risk = np.zeros(len(rows.label))
    for source in sorted(set(rows.source)):
        others, mine = rows.source != source, rows.source == source
        weights, intercept = fit(names, rows, others)
        risk[mine] = logistic(rows.features[mine] @ weights + intercept)
        for name, column in baselines.items():
            made[name][1][mine] = fit_one(column, rows, others)[mine]
    return {"risk": (risk, risk), **made}


def auc(label, score, weight):
    return roc_auc_score(label, score, sample_weight=weight) if 0 < label.sum() < len(label) else float("nan")


def brier(label, probability, weight):
    return float(np.average((probability - label) ** 2, weights=weight))


def means(rows: Rows, judged, weight):
    """AUC within a source: the mean of sources, and of sessions; Brier score; for each way to judge."""
    found = {}
    groups = [rows.source == source for source in sorted(set(rows.source))]
    sizes = np.array([weight[mine].sum() for mine in groups])
    for name, (score, probability) in judged.items():
        each = np.array([auc(rows.label[mine & (weight > 0)], score[mine & (weight > 0)], weight[mine & (weight > 0)])
                         for mine in groups])
        known = ~np.isnan(each)
        found[name] = (float(each[known].mean()), float(np.average(each[known], weights=sizes[known])),
                       brier(rows.label, probability, weight))
    return found


def intervals(rows: Rows, judged):
    """95 % of what `risk` is better by than each baseline, when the sessions of each source are drawn again."""
    dice = np.random.RandomState(SEED)
    names, place = np.unique(rows.session, return_inverse=True)
    source_of = dict(zip(rows.session, rows.source))
    groups = {}
    for i, name in enumerate(names):
        groups.setdefault(source_of[name], []).append(i)
    better = {name: [] for name in judged if name != "risk"}
    for _ in range(DRAWS):
        times = np.zeros(len(names))
        for source in sorted(groups):
            np.add.at(times, dice.choice(groups[source], len(groups[source])), 1)
        found = means(rows, judged, rows.weight * times[place])
        for name in better:
            ours, theirs = found["risk"], found[name]
            better[name].append((ours[0] - theirs[0], ours[1] - theirs[1], theirs[2] - ours[2]))
    return {name: np.percentile(np.array(draws), [2.5, 97.5], axis=0) for name, draws in better.items()}


TITLES = {"risk": "risk", "calls": "number of calls", "failures": "share of failures", "suspect": "is suspect"}


def figure(value, digits=2):
    return "–" if np.isnan(value) else f"{value:.{digits}f}"


def table(head, lines):
    text = "| " + " | ".join(head) + " |\n|" + "---|" * len(head) + "\n"
    return text + "".join("| " + " | ".join(line) + " |\n" for line in lines)


def summary(rows: Rows, judged):
    found = means(rows, judged, rows.weight)
    lines = [[TITLES[name], *(figure(value, 3) for value in found[name])] for name in judged]
    ranges = intervals(rows, judged)
    gains = []
    for name, bounds in ranges.items():
        ours, theirs = found["risk"], found[name]
        middle = (ours[0] - theirs[0], ours[1] - theirs[1], theirs[2] - ours[2])
        gains.append([TITLES[name], *(f"{value:+.3f} ({low:+.3f} to {high:+.3f})"
                                      for value, low, high in zip(middle, bounds[0], bounds[1]))])
    columns = ["AUC, mean of sources", "AUC, mean of sessions", "Brier score"]
    return (table(["", *columns], lines) + f"\nWhat the risk is better by, with 95 % of {DRAWS} draws of the sessions:\n\n" +
            table(["than", *columns], gains))


def by_source(rows: Rows, judged):
    lines = []
    for source in sorted(set(rows.source)):
        mine = rows.source == source
        label, weight = rows.label[mine], rows.weight[mine]
        sessions = len(set(rows.session[mine]))
        aucs = [figure(auc(label, judged[name][0][mine], weight)) for name in judged]
        briers = [figure(brier(label, judged[name][1][mine], weight)) for name in judged]
        lines.append([source, str(sessions), str(int(mine.sum())), " / ".join(aucs), " / ".join(briers)])
    order = " / ".join(TITLES[name] for name in judged)
    return f"In each cell: {order}.\n\n" + table(["left out", "sessions", "calls", "AUC", "Brier score"], lines)


def calibration(rows: Rows, judged):
    risk = judged["risk"][1]
    lines = []
    for source in [*sorted(set(rows.source)), "all"]:
        mine = rows.source == source if source != "all" else np.ones(len(risk), bool)
        label, weight, said = rows.label[mine], rows.weight[mine], risk[mine]
        cells = []
        for low in (0.0, 0.2, 0.4, 0.6, 0.8):
            here = (said >= low) & (said < low + 0.2)
            cells.append(figure(np.average(label[here], weights=weight[here])) if here.any() else "–")
        lines.append([source, figure(np.average(said, weights=weight)), figure(np.average(label, weights=weight)), *cells])
    return table(["left out", "mean risk", "true share", "0–0.2", "0.2–0.4", "0.4–0.6", "0.6–0.8", "0.8–1"], lines)


def write_model(names, weights, intercept):
    numbers = [f"{value!r}," for value in weights.tolist()]
    width = max(map(len, numbers))
    values = "\n".join(f"        {number:{width}}  // {name}" for name, number in zip(names, numbers))
    (PROJECT / "core/judgement/risk_model.hpp").write_text(f"""// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/judgement/risk.hpp"

// Made by bench/risk/train.py (`./dev risk`) from recorded sessions; do not edit. docs/risk.md says
// what it is worth.

namespace headway::core {{

inline constexpr RiskModel kRiskModel{{
    {intercept!r},
    {{
{values}
    }},
}};

}}  // namespace headway::core
""", encoding="utf-8")


def write_examples(names, weights, intercept):
    points = [np.zeros(len(names)), np.ones(len(names)), np.full(len(names), 0.5), np.arange(len(names)) / len(names)]
    lines = "\n".join(f"    {{{{{', '.join(f'{value:.4f}' for value in point)}}}, {logistic(np.round(point, 4) @ weights + intercept):.9f}}},"
                      for point in points)
    (PROJECT / "tests/support/risk_examples.hpp").write_text(f"""// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/judgement/risk.hpp"

// Made by bench/risk/train.py (`./dev risk`): what the trained model says, computed in Python.

namespace headway::tests {{

struct RiskExample {{
    core::RiskFeatures features;
    double risk;
}};

// clang-format off
inline constexpr RiskExample kRiskExamples[] = {{
{lines}
}};
// clang-format on

}}  // namespace headway::tests
""", encoding="utf-8")


def write_tables(names, weights, intercept, rows, judged, figures):
    page = PROJECT / "docs/risk.md"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    sessions = len(set(rows.session))
    model = table(["feature", "weight"], [[f"`{name}`", f"{value:+.3f}"] for name, value in zip(names, weights)] +
                  [["intercept", f"{intercept:+.3f}"]])
    made = (f"\n\n{sessions:,} sessions, {len(rows.label):,} calls whose label is known.\n\n{figures}\n"
            f"### Each source, left out\n\n{by_source(rows, judged)}\n"
            f"### Calibration\n\nThe true share of rows whose risk is in the range; each source judged by a model without it.\n\n"
            f"{calibration(rows, judged)}\n### Weights\n\nOf the model in use, trained with all sources:\n\n{model}\n")
    page.write_text(before + BEGIN + made + END + after, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("features", type=Path, help="CSV of `headway eval DIR --features CSV`")
    parser.add_argument("labels", type=Path, help="labels.csv of the recordings")
    options = parser.parse_args()
    names, rows = read(options.features, options.labels)
    judged = leave_one_out(names, rows)
    figures = summary(rows, judged)
    weights, intercept = fit(names, rows, np.ones(len(rows.label), bool))
    write_model(names, weights, intercept)
    write_examples(names, weights, intercept)
    write_tables(names, weights, intercept, rows, judged, figures)
    print(figures)


if __name__ == "__main__":
    main()
