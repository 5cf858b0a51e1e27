"""The true grade of documents from the grades of judges who err, each in their own way."""

from __future__ import annotations

import numpy as np

from rankwise.arrays import Floats, Ints

STEPS, TOLERANCE = 2000, 1e-12
SMALLEST = 1e-10  # probability of a grade that a judge never gave


def dawid_skene(document: Ints, judge: Ints, grade: Ints) -> Floats:
    """Return the probability of each grade for each document, by expectation–maximisation.

    Each judge has a matrix of errors: the probability of giving grade j where the true grade is
    k. Matrices, shares of grades and true grades are estimated together, from the shares of each
    document's votes on, until the log-likelihood rises by less than 1e-12 per document. One row
    per judgment; documents, judges and grades are numbers from 0.

    Dawid and Skene, Applied Statistics 28(1), 1979.

    >>> document, judge = np.repeat([0, 1, 2, 3], 3), np.tile([0, 1, 2], 4)
    >>> grade = np.array([1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1])  # the third errs always
    >>> dawid_skene(document, judge, grade).argmax(axis=1).tolist()
    [1, 0, 1, 0]
    """
    documents, judges, grades = (int(one.max(initial=-1)) + 1 for one in (document, judge, grade))
    votes = np.zeros((documents, grades))
    np.add.at(votes, (document, grade), 1)
    truth = votes / votes.sum(axis=1, keepdims=True)
    before = -np.inf
    for _ in range(STEPS):
        shares = truth.mean(axis=0)
        errors = np.zeros((judges, grades, grades))  # judge, grade given, true grade
        np.add.at(errors, (judge, grade), truth[document])
        errors /= np.maximum(errors.sum(axis=1, keepdims=True), SMALLEST)
        logs = np.log(np.maximum(shares, SMALLEST)) + np.zeros((documents, grades))
        np.add.at(logs, document, np.log(np.maximum(errors[judge, grade], SMALLEST)))
        highest = logs.max(axis=1, keepdims=True)
        truth = np.exp(logs - highest)
        likelihood = float((highest[:, 0] + np.log(truth.sum(axis=1))).mean())
        truth /= truth.sum(axis=1, keepdims=True)
        if likelihood - before < TOLERANCE:
            break
        before = likelihood
    return truth
