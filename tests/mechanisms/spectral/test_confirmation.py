"""What held-out reports confirm: slopes against a dense solution, and what becomes of noise and of dependence."""

import numpy as np
import pytest

from sottovoce.mechanisms.spectral.belief import BELIEF
from sottovoce.mechanisms.spectral.confirmation import _slopes, confirm
from sottovoce.mechanisms.spectral.dependence import asked_moments
from sottovoce.mechanisms.spectral.moments import Asked, Moments

ASKED = Asked.full([2, 2, 1])
FOLDS, EACH = 5, 2000.0


def case(dependence: np.ndarray, noise: np.ndarray | None = None) -> tuple[Moments, np.ndarray, list]:
    """Return reports on a crowd, a model whose products are off independence by a matrix plus noise, and parts.

    The crowd's own products are off by that matrix; reports on it have no noise, so that slopes can be told exactly.
    """
    size = ASKED.size
    attribute = np.repeat([-1, 0, 1, 2], [1, 3, 3, 1])
    together = (attribute[:, None] != attribute[None, :]) & (attribute >= 0)[:, None] & (attribute >= 0)[None, :]
    means = np.concatenate([[1.0], np.linspace(-0.3, 0.4, size - 1)])
    truth = np.outer(means, means) + np.where(together, dependence, 0.0)
    information = np.where(together, FOLDS * EACH, 0.0)
    information[0, 1:] = information[1:, 0] = FOLDS * EACH
    model = truth if noise is None else truth + np.where(together, noise, 0.0)
    moments = Moments(truth, information)
    where = asked_moments(moments)
    rest = Moments(truth[where], information[where] * (1 - 1 / FOLDS))
    return moments, model, [(rest, model[where]) for _ in range(FOLDS)]


def symmetric(generator: np.random.Generator, scale: float) -> np.ndarray:
    values = scale * generator.standard_normal((ASKED.size, ASKED.size))
    return (values + values.T) / 2


def test_dependence_that_held_out_reports_show_as_well_is_kept():
    moments, model, parts = case(symmetric(np.random.default_rng(1), 0.2))
    kept, fits = confirm(ASKED, moments, model, parts)
    np.testing.assert_allclose(kept, model, atol=1e-12)
    np.testing.assert_allclose([fit for _, fit in fits], [fit for _, fit in parts], atol=1e-12)


def test_dependence_of_which_they_show_nothing_is_taken_back_and_single_means_stay():
    moments, model, parts = case(np.zeros((ASKED.size, ASKED.size)), symmetric(np.random.default_rng(2), 0.2))
    cut, fits = confirm(ASKED, moments, model, parts)
    rows, columns = asked_moments(moments)
    pairs = rows > 0
    before = (model - moments.estimate)[rows, columns]
    after = (cut - moments.estimate)[rows, columns]
    assert (after[pairs] ** 2).sum() < 0.05 * (before[pairs] ** 2).sum()
    np.testing.assert_array_equal(cut[0], model[0])
    np.testing.assert_array_equal(cut, cut.T)
    for (rest, fit), (given, _) in zip(fits, parts, strict=True):
        assert rest is given
        np.testing.assert_allclose(fit, cut[rows, columns], atol=1e-12)


def test_a_fit_that_shows_too_little_is_not_made_to_show_more():
    dependence = symmetric(np.random.default_rng(3), 0.2)
    moments, model, parts = case(dependence, -0.5 * dependence)
    np.testing.assert_allclose(confirm(ASKED, moments, model, parts)[0], model, atol=1e-12)


def test_where_nobody_was_held_out_the_fit_stays():
    moments, model, parts = case(np.zeros((ASKED.size, ASKED.size)), symmetric(np.random.default_rng(4), 0.2))
    where = asked_moments(moments)
    everybody = Moments(moments.estimate[where], moments.information[where])
    kept, _ = confirm(ASKED, moments, model, [(everybody, fit) for _, fit in parts])
    np.testing.assert_allclose(kept, model, atol=1e-12)


def test_one_attribute_has_nothing_to_confirm():
    asked = Asked.full([2])
    estimate, information = np.eye(asked.size), np.zeros((asked.size, asked.size))
    information[0, 1:] = information[1:, 0] = 50.0
    moments = Moments(estimate, information)
    assert confirm(asked, moments, estimate, []) == (estimate, [])


def drawn(people: int) -> tuple[Moments, list[Moments], np.ndarray, list[tuple[Moments, np.ndarray]]]:
    """Return reports on three attributes, the held-out parts of them, a model, and fits to the rest; all by chance.

    Single means of the last attribute are not asked for: fits say nothing of them, and the model's are taken.
    """
    generator = np.random.default_rng(6)
    size = ASKED.size
    held, asked_for = [], case(np.zeros((size, size)))[0].information > 0
    asked_for[0, -1] = asked_for[-1, 0] = False
    for _ in range(FOLDS):
        information = np.where(asked_for, generator.uniform(0.1, 1.0, (size, size)) * people / FOLDS, 0.0)
        information = (information + information.T) / 2
        held.append(Moments(np.where(asked_for, symmetric(generator, 0.3), 0.0), information))
    information = np.sum([part.information for part in held], axis=0)
    total = np.sum([part.information * part.estimate for part in held], axis=0)
    moments = Moments(np.divide(total, information, out=np.zeros_like(total), where=asked_for), information)
    where = asked_moments(moments)
    rests = [moments.minus(part) for part in held]
    fits = [(Moments(r.estimate[where], r.information[where]), symmetric(generator, 0.3)[where]) for r in rests]
    return moments, held, symmetric(generator, 0.3), fits


def test_what_is_kept_follows_from_the_held_out_parts_alone_and_each_fit_is_cut_about_its_own_means():
    moments, held, model, parts = drawn(400)
    rows, columns = asked_moments(moments)
    owner = {(1, 2): 0, (1, 3): 1, (2, 3): 2}
    attribute, band = [0, 1, 1, 1, 2, 2, 2, 3], [0, 0, 1, 1, 0, 1, 1, 0]
    pairs = [(number, u, v) for number, (u, v) in enumerate(zip(rows, columns, strict=True)) if u > 0]
    agrees, says = np.zeros((2, len(pairs)))
    alone = np.zeros((FOLDS, len(pairs)))
    for fold, ((_, fit), part) in enumerate(zip(parts, held, strict=True)):
        single = {v: fit[number] for number, (u, v) in enumerate(zip(rows, columns, strict=True)) if u == 0}
        for index, (number, u, v) in enumerate(pairs):
            alone[fold, index] = single.get(u, model[0, u]) * single.get(v, model[0, v])
            dependence = fit[number] - alone[fold, index]
            agrees[index] += part.information[u, v] * (part.estimate[u, v] - alone[fold, index]) * dependence
            says[index] += part.information[u, v] * dependence**2
    owners = np.array([owner[attribute[u], attribute[v]] for _, u, v in pairs])
    fineness = np.array([band[u] + band[v] for _, u, v in pairs])
    kept = np.clip(2 * _slopes(owners, fineness, agrees, says, BELIEF), 0, 1)
    assert ((kept > 0) & (kept < 1)).any()
    cut, fits = confirm(ASKED, moments, model, parts)
    for index, (number, u, v) in enumerate(pairs):
        product = model[0, u] * model[0, v]
        np.testing.assert_allclose([cut[u, v], cut[v, u]], product + kept[index] * (model[u, v] - product))
        for fold, ((_, fit), (_, own)) in enumerate(zip(parts, fits, strict=True)):
            expected = alone[fold, index] + kept[index] * (fit[number] - alone[fold, index])
            np.testing.assert_allclose(own[number], expected)
    asked_for = np.zeros_like(model, dtype=bool)
    for _, u, v in pairs:
        asked_for[u, v] = asked_for[v, u] = True
    np.testing.assert_array_equal(cut[~asked_for], model[~asked_for])
    for (_, fit), (_, own) in zip(parts, fits, strict=True):
        np.testing.assert_array_equal(own[rows == 0], fit[rows == 0])


@pytest.mark.parametrize(("shown", "kept"), [(0.0, 0.0), (0.3, 0.6), (0.5, 1.0), (0.8, 1.0), (-0.2, 0.0)])
def test_twice_what_is_shown_is_kept_from_nothing_to_all(shown, kept):
    said = symmetric(np.random.default_rng(7), 0.2)
    moments, model, parts = case(shown * said, (1 - shown) * said)
    many = [
        Moments(each.estimate, 1e6 * each.information) for each in (moments, *(rest for rest, _ in parts))
    ]  # so many reports that the prior counts for nothing
    cut, _ = confirm(ASKED, many[0], model, [(rest, fit) for rest, (_, fit) in zip(many[1:], parts, strict=True)])
    together = np.triu(moments.information, 1)[1:, 1:] > 0
    np.testing.assert_allclose(
        (cut - moments.estimate)[1:, 1:][together], ((kept - shown) * said)[1:, 1:][together], atol=1e-3
    )


def test_slopes_solve_the_normal_equations_of_finenesses_and_pairs_together():
    generator = np.random.default_rng(5)
    owner, fineness = generator.integers(0, 4, 60), generator.integers(0, 3, 60)
    agrees, says = generator.normal(5, 4, 60), generator.uniform(1, 20, 60)
    columns = np.concatenate([np.eye(3)[fineness], np.eye(4)[owner]], axis=1)
    precision = np.zeros((7, 7))
    precision[0, 0] = BELIEF.slope_spread**-2
    for step in range(2):
        precision[np.ix_([step, step + 1], [step, step + 1])] += BELIEF.slope_step**-2 * np.array([[1, -1], [-1, 1]])
    precision[3:, 3:] = np.eye(4) * BELIEF.slope_pair**-2
    centre = np.array([1.0, 1, 1, 0, 0, 0, 0])
    system = precision + (columns.T * says) @ columns
    expected = columns @ np.linalg.solve(system, precision @ centre + columns.T @ agrees)
    np.testing.assert_allclose(_slopes(owner, fineness, agrees, says, BELIEF), expected, rtol=1e-9)
