"""HIO: a tree over every attribute, and every combination of their depths asked apart (section 3.3 of the paper).

Guarantee: each person reports one cell of one combination of depths through an epsilon-LDP channel. Cost: the product
of all trees' depths in questions, (h + 1)^d of them, so that few people are left for each; a query is answered from the
fewest nodes, without bias. Reference: Wang et al., SIGMOD 2019, "HIO". The combination of all roots is not asked: it
holds everybody. Where nobody reported on a combination, its nodes are taken as uniform.

Levels without order, and "no answer" after the values, take part in a tree in the order of their levels.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.estimation.hierarchy import decompose
from sottovoce.mechanisms.trees import TreeOptions, TreeQuestions, family_offsets, question_number, tree_starts
from sottovoce.model.fitted import Spread
from sottovoce.model.model import Model
from sottovoce.model.origin import Origin
from sottovoce.plan.plan import SHARES, Plan
from sottovoce.plan.registry import Design, Fitting, Mechanism
from sottovoce.query.batch import Batch
from sottovoce.schema.schema import Schema
from sottovoce.tally.tally import Tally

NODES_AT_ONCE = 2**21
"""Answers are worked out when the queries so far need this many nodes."""

Columns = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Questions, codes and counts."""

Nodes = tuple[NDArray[np.intp], Floats]
"""The nodes of one tree at one depth that a query needs, and their weights."""

Terms = dict[int, list[tuple[int, NDArray[np.int64], Floats]]]
"""For each question, the queries that need it, with the cells they need and their weights."""


class HIOOptions(TreeOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options of HIO: those of every mechanism that asks about the nodes of trees."""


class HIOModel(Model):
    """The reports themselves: the nodes that a query needs are estimated when it is asked."""

    kind = "hio"
    resampled = False

    def __init__(self, origin: Origin, *, plan: Plan, columns: Columns) -> None:
        """Keep the counts of all (question, code) pairs that were reported, sorted by question.

        Args:
            origin: What the model says of itself: schema, plan, reports.
            plan: The plan, whose questions are needed to estimate a node.
            columns: Questions, codes and counts of all pairs that were reported, sorted by question.
        """
        super().__init__(origin)
        self.plan, self.columns = plan, columns
        self.trees = [tree_starts(size, plan.options["branching"]) for size in origin.schema.sizes]
        self.depths = [len(tree) for tree in self.trees]
        self.offsets = family_offsets(self.depths)

    def state(self) -> dict[str, Any]:
        """Return the plan and the counts."""
        questions, codes, counts = self.columns
        return {"plan": self.plan.to_json().decode(), "questions": questions, "codes": codes, "counts": counts}

    @classmethod
    def from_state(cls, origin: Origin, state: dict[str, Any]) -> HIOModel:
        """Return the model that `state` describes."""
        columns = state["questions"], state["codes"], state["counts"]
        return cls(origin, plan=Plan.from_json(state["plan"]), columns=columns)

    def evaluate(self, batch: Batch) -> Floats:
        """Return the sum of the weighted estimates of the nodes that make up each query of a batch."""
        answers = np.zeros(batch.count)
        terms: Terms = {}
        nodes = 0
        for query, trees in enumerate(self._nodes_by_query(batch)):
            for chosen in itertools.product(*trees):
                cells, weights = self._cells(chosen, trees)
                if not any(chosen):
                    answers[query] += weights[0]
                    continue
                terms.setdefault(question_number(self.depths, chosen, self.offsets), []).append((query, cells, weights))
                nodes += len(cells)
            if nodes > NODES_AT_ONCE:
                self._settle(terms, answers)
                terms, nodes = {}, 0
        self._settle(terms, answers)
        return answers

    def deviations(self, batch: Batch, sums: Floats) -> Floats:
        """Return the standard error of each sum: the noise of the nodes it needs; what nobody reported, in full."""
        variances = np.zeros(len(sums))
        for number, cells, weights in self._needed(batch, sums)[1]:
            reports = self._reports(number)
            if reports:
                variances += self.plan.questions[number].oracle.variance(reports) * (weights**2).sum(axis=0)
            else:
                variances += (self._estimate(number, cells) @ weights) ** 2
        return np.sqrt(variances)

    def spread(self, batch: Batch, sums: Floats) -> Spread:
        """Return the error of each sum, and what the reports say: the answers themselves, where all nodes were asked.

        The direct answer's error counts how frequent nodes are and how their estimates go together.
        """
        direct, parts = self._needed(batch, sums)
        variances = np.zeros(len(sums))
        for number, cells, weights in parts:
            reports, estimates = self._reports(number), self._estimate(number, cells)
            support = self.plan.questions[number].oracle.support()
            direct += np.where(weights.any(axis=0), estimates @ weights if reports > 1 else np.nan, 0.0)
            for row in np.flatnonzero(weights.any(axis=0)).tolist():
                variances[row] += support.variance(weights[:, row], estimates, reports)
        error = np.where(np.isnan(direct), np.nan, np.sqrt(variances))
        return replace(super().spread(batch, sums), direct=direct, direct_error=error)

    def _needed(self, batch: Batch, sums: Floats) -> tuple[Floats, list[tuple[int, NDArray[np.int64], Floats]]]:
        """Return what everybody adds to each sum; and of every question needed, cells and their weights in each sum."""
        whole = np.zeros(len(sums))
        terms: Terms = {}
        for query, trees in enumerate(self._nodes_by_query(batch)):
            for chosen in itertools.product(*trees):
                cells, weights = self._cells(chosen, trees)
                if any(chosen):
                    number = question_number(self.depths, chosen, self.offsets)
                    terms.setdefault(number, []).append((query, cells, weights))
                else:
                    whole += sums[:, query] * weights[0]
        parts = []
        for number, needs in terms.items():
            unique, indices = np.unique(np.concatenate([cells for _, cells, _ in needs]), return_inverse=True)
            queries = np.repeat([query for query, _, _ in needs], [len(cells) for _, cells, _ in needs])
            totals = np.zeros((len(unique), len(sums)))
            np.add.at(totals, indices, sums.T[queries] * np.concatenate([own for _, _, own in needs])[:, None])
            parts.append((number, unique, totals))
        return whole, parts

    def _reports(self, number: int) -> int:
        """Return how many reports a question got."""
        start, stop = np.searchsorted(self.columns[0], [number, number + 1])
        return int(self.columns[2][start:stop].sum())

    def _nodes_by_query(self, batch: Batch) -> list[list[dict[int, Nodes]]]:
        """Return, for every query and attribute, the nodes needed at each depth; the root where it is not named."""
        root = np.zeros(1, dtype=np.intp), np.ones(1)
        trees: list[list[dict[int, Nodes]]] = [[{0: root} for _ in self.trees] for _ in range(batch.count)]
        for attribute, selection in batch.selections.items():
            parts = decompose(selection.weights, self.trees[attribute])
            for row, query in enumerate(selection.queries.tolist()):
                trees[query][attribute] = {
                    depth: (needed, part[row, needed])
                    for depth, part in enumerate(parts)
                    if (needed := np.flatnonzero(part[row])).size
                }
        return trees

    def _cells(self, chosen: tuple[int, ...], trees: list[dict[int, Nodes]]) -> tuple[NDArray[np.int64], Floats]:
        """Return the cells, and their weights, of all combinations of a query's nodes at the chosen depths."""
        cells, weights = np.zeros(1, dtype=np.int64), np.ones(1)
        for depth, starts, nodes in zip(chosen, self.trees, trees, strict=True):
            needed, own = nodes[depth]
            if depth:
                cells = (cells[:, None] * len(starts[depth]) + needed).ravel()
            weights = (weights[:, None] * own).ravel()
        return cells, weights

    def _settle(self, terms: Terms, answers: Floats) -> None:
        """Add what the queries need of each question to their answers."""
        for number, needs in terms.items():
            queries = np.repeat([query for query, _, _ in needs], [len(cells) for _, cells, _ in needs])
            unique, indices = np.unique(np.concatenate([cells for _, cells, _ in needs]), return_inverse=True)
            estimates = self._estimate(number, unique)[indices]
            np.add.at(answers, queries, estimates * np.concatenate([weights for _, _, weights in needs]))

    def _estimate(self, number: int, cells: NDArray[np.int64]) -> Floats:
        """Return the estimates of some cells of a question; without reports, the fraction of levels they hold."""
        question = self.plan.questions[number]
        questions, codes, counts = self.columns
        start, stop = np.searchsorted(questions, [number, number + 1])
        if stop > start:
            return question.oracle.estimate_some(codes[start:stop], counts[start:stop], cells)
        fractions = np.ones(len(cells))
        for table, nodes in zip(question.tables, np.unravel_index(cells, question.shape), strict=True):
            levels = table.array()
            fractions *= np.bincount(levels)[nodes] / len(levels)
        return fractions


def design(schema: Schema, epsilon: Decimal, users: int, options: HIOOptions) -> Design:
    """Return the questions of HIO: every combination of depths, the same share for each.

    Args:
        schema: What is asked.
        epsilon: The privacy of one answer.
        users: How many people are expected; changes nothing here.
        options: Which oracle, and how many children a node has.
    """
    questions = TreeQuestions(schema, options)
    questions.add(range(len(schema.attributes)), SHARES)
    heights = [len(tree) - 1 for tree in questions.trees]
    return Design({"heights": heights}, tuple(questions.tables), tuple(questions.families))


def fit(plan: Plan, tally: Tally, how: Fitting) -> HIOModel:
    """Return the model that keeps the counts; nothing here draws at random.

    Args:
        plan: The plan that was answered.
        tally: What was counted.
        how: The same for every mechanism; nothing of it is used here.
    """
    return HIOModel(Origin.of(plan, tally), plan=plan, columns=tally.columns())


HIO = Mechanism("hio", "a hierarchy over all attributes at once", HIOOptions, design, fit, HIOModel)
