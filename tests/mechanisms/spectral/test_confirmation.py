"""What held-out reports confirm: slopes against a dense solution, and what becomes of noise and of dependence."""

import numpy as np

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
