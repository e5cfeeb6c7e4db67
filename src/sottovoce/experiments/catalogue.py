"""Every figure and table of the paper, by name, and some of our own. Settings are the paper's."""

from __future__ import annotations

from msgspec.structs import replace

from sottovoce.errors import ExperimentError
from sottovoce.experiments.experiment import Experiment
from sottovoce.experiments.methods import (
    AHDG,
    AHDG_MAX_ENTROPY,
    HDG,
    HDG_OUE,
    IHDG,
    ITDG,
    MSW,
    MSW_CONTINUOUS,
    TDG,
    TDG_OUE,
    granularities,
)

EPSILONS = tuple(step / 5 for step in range(1, 11))
TENTHS = tuple(step / 10 for step in range(1, 10))
USERS = tuple(round(10 ** (step / 5)) for step in range(25, 36))
SYNTHETIC = ("normal", "laplace")

VARYING = (
    Experiment(
        name="varying-epsilon",
        latex="fig:comparison_different_approaches_varying_epsilon",
        paper="section 5.2",
        summary="Error of every method as privacy is relaxed.",
        axis="epsilon",
        epsilons=EPSILONS,
        repeats=10,
    ),
    Experiment(
        name="varying-volume",
        latex="fig:comparison_different_approaches_varying_dqv",
        paper="section 5.3, omega",
        summary="Error of every method as queries cover more of each attribute.",
        axis="volume",
        volumes=TENTHS,
    ),
    Experiment(
        name="varying-domain-size",
        latex="fig:comparison_different_approaches_varying_domain_size",
        paper="section 5.3, c",
        summary="Error of every method as attributes have more levels.",
        axis="levels",
        levels=tuple(2**power for power in range(4, 11)),
        datasets=SYNTHETIC,
    ),
    Experiment(
        name="varying-attributes",
        latex="fig:comparison_different_approaches_varying_attribute_num",
        paper="section 5.3, d",
        summary="Error of every method as more attributes are collected.",
        axis="attributes",
        attributes=tuple(range(3, 11)),
        queries=100,
    ),
    Experiment(
        name="varying-users",
        latex="fig:comparison_different_approaches_varying_user_num",
        paper="section 5.3, n",
        summary="Error of every method as more people take part.",
        axis="users",
        users=USERS,
        datasets=SYNTHETIC,
    ),
)

QUERY_DIMENSION = Experiment(
    name="varying-query-dimension",
    latex="fig:comparison_different_approaches_varying_query_dimension",
    paper="section 5.3, lambda (ten attributes, as the figure's files say)",
    summary="Error of every method as queries name more attributes.",
    axis="dimension",
    attributes=(10,),
    dimensions=tuple(range(2, 11)),
)

GUIDELINE = Experiment(
    name="guideline",
    latex="fig:HDG_varying_granularity",
    paper="section 5.4",
    summary="HDG by the guideline against HDG with every other pair of granularities.",
    axis="epsilon",
    epsilons=EPSILONS,
    dimensions=(2,),
    methods=granularities(64),
)

GRIDS = (
    Experiment(
        name="components",
        latex="fig:review_3_comparison_grid_approaches_varying_noncons",
        paper="appendix A.1",
        summary="TDG and HDG against themselves without post-processing, ITDG and IHDG.",
        axis="epsilon",
        epsilons=EPSILONS,
        methods=(TDG, ITDG, HDG, IHDG),
    ),
    *(
        Experiment(
            name=f"error-distribution-{method.mechanism}",
            latex=f"fig:{method.label}_std_error_distribution",
            paper="appendix A.2",
            summary=f"How the errors of single queries spread with {method.label}.",
            axis="value",
            form="histogram",
            measure="errors",
            methods=(method,),
        )
        for method in (TDG, HDG)
    ),
    Experiment(
        name="sigma",
        latex="fig:review_3_justifying_choice_of_n",
        paper="appendix A.5",
        summary="HDG as more of the crowd is asked about single attributes.",
        axis="sigma",
        series="epsilon",
        epsilons=(0.2, 0.6, 1.0, 1.4, 1.8),
        sigmas=TENTHS,
        dimensions=(2,),
        methods=(HDG,),
    ),
    replace(
        GUIDELINE,
        name="guideline-more-attributes",
        latex="fig:review_3_HDG_varying_granularity",
        paper="appendix A.5",
        summary="The guideline's check with four, eight and ten attributes.",
        attributes=(4, 8, 10),
    ),
    Experiment(
        name="convergence-of-matrices",
        latex="fig:review_3_converge_rate_of_algorithm_1",
        paper="appendix A.6, Algorithm 1",
        summary="How much HDG's response matrices change in each sweep.",
        axis="index",
        series="epsilon",
        measure="matrix-change",
        epsilons=(0.2, 0.6, 1.0, 1.4, 1.8),
        dimensions=(2,),
        methods=(HDG,),
    ),
    Experiment(
        name="convergence-of-answers",
        latex="fig:review_3_converge_rate_of_algorithm_2",
        paper="appendix A.6, Algorithm 2",
        summary="How much HDG's answers to four-dimensional queries change in each sweep.",
        axis="index",
        series="epsilon",
        measure="answer-change",
        epsilons=(0.2, 0.6, 1.0, 1.4, 1.8),
        dimensions=(4,),
        methods=(HDG,),
    ),
    Experiment(
        name="granularity-table",
        latex="table:choice_of_granularity",
        paper="appendix A.11, last table",
        summary="The granularities (g1, g2) that the guideline recommends.",
        axis="epsilon",
        form="grid",
        measure="granularity",
        epsilons=EPSILONS,
        attributes=tuple(range(3, 11)),
        users=USERS,
        datasets=("normal",),
        dimensions=(2,),
        methods=(HDG,),
        repeats=1,
        one_at_a_time=True,
    ),
)

FULL = (
    Experiment(
        name="full-marginals",
        latex="fig:review_3_full_2D_marginals_comparison",
        paper="appendix A.3",
        summary="Error over every cell of every pair's joint distribution.",
        axis="epsilon",
        epsilons=EPSILONS[:5],
        kind="marginals",
        dimensions=(2,),
    ),
    Experiment(
        name="full-ranges",
        latex="fig:review_3_full_2D_range_queries_comparison",
        paper="appendix A.3",
        summary="Error over every range of half the domain on every pair.",
        axis="epsilon",
        epsilons=EPSILONS[:5],
        kind="ranges",
        dimensions=(2,),
    ),
)

COUNTS = (
    Experiment(
        name="zero-count",
        latex="fig:review_3_0_count_comparison_different_approaches_varying_query_dimension",
        paper="appendix A.4",
        summary="Error on queries of many attributes that hold nobody.",
        axis="dimension",
        kind="zero-count",
        attributes=(10,),
        dimensions=tuple(range(6, 11)),
        volumes=(0.3,),
        queries=150,
    ),
    Experiment(
        name="non-zero-count",
        latex="fig:review_3_non_0_count_comparison_different_approaches_varying_query_dimension",
        paper="appendix A.4",
        summary="Error on queries of many attributes that hold somebody.",
        axis="dimension",
        kind="non-zero-count",
        attributes=(10,),
        dimensions=tuple(range(6, 11)),
        volumes=(0.7,),
        queries=150,
    ),
)


def _renamed(experiment: Experiment, prefix: str) -> str:
    """Return the LaTeX name of a figure that shows the same of something else."""
    return experiment.latex.replace("fig:", f"fig:{prefix}_")


NEW_REAL = tuple(
    replace(
        experiment,
        name=f"new-real-{experiment.name}",
        latex=_renamed(experiment, "review2" if experiment.axis == "attributes" else "review_2"),
        paper="appendix A.7",
        summary=f"{experiment.summary[:-1]}, on further real data.",
        datasets=("loan", "acs"),
        repeats=3,
    )
    for experiment in VARYING
    if experiment.axis in ("epsilon", "volume", "attributes")
)

SIX = tuple(
    replace(
        experiment,
        name=f"{experiment.name}-six-dimensions",
        latex=f"{_renamed(experiment, 'appendix')}_lambda_6",
        paper="appendix A.11",
        summary=f"{experiment.summary[:-1]}, for queries on six attributes.",
        dimensions=(6,),
        repeats=3,
        attributes=tuple(number for number in experiment.attributes if number >= 6),
        queries=120 if experiment.axis == "attributes" else experiment.queries,
    )
    for experiment in VARYING
)

OTHERS = (
    Experiment(
        name="varying-covariance",
        latex="fig:appendix_synthetic_covariance_varying_epsilon",
        paper="appendix A.11",
        summary="Error of every method on weakly and strongly related attributes.",
        axis="epsilon",
        epsilons=EPSILONS,
        covariances=(0.0, 0.2, 0.6, 1.0),
        datasets=SYNTHETIC,
        dimensions=(2, 4, 6),
    ),
    Experiment(
        name="claims",
        paper="sections 5.2 and A.11, who is ahead of whom",
        summary="In how many settings the paper's claims about the order of methods hold.",
        axis="epsilon",
        form="claims",
        epsilons=(0.2, 0.6, 1.0, 1.4, 2.0),
        datasets=SYNTHETIC,
        dimensions=(2, 4, 6),
        repeats=3,
    ),
    Experiment(
        name="varying-cut",
        paper="not in the paper, which does not state the range",
        summary="Error of every method as synthetic values are cut to a wider range, and so fill fewer levels.",
        axis="cut",
        cuts=(2.0, 3.0, 4.0, 5.0, 6.0, 8.0),
        datasets=SYNTHETIC,
    ),
    Experiment(
        name="estimators",
        paper="appendix A.8, without a figure",
        summary="HDG's answers to queries on more than two attributes: Algorithm 2 against maximum entropy.",
        axis="dimension",
        dimensions=(3, 4, 5, 6),
        methods=tuple(
            replace(HDG.with_option("estimator", estimator), label=label)
            for estimator, label in (("weighted_update", "Algorithm 2"), ("max_entropy", "Maximum entropy"))
        ),
    ),
    Experiment(
        name="two-rounds",
        paper="not in the paper; beside the programs of PriPL-Tree, AHEAD and PrivNUD",
        summary="A second round designed from the first, on queries that start and end anywhere.",
        axis="dimension",
        form="rivals",
        aligned=False,
        datasets=SYNTHETIC,
        methods=(AHDG, AHDG_MAX_ENTROPY, HDG),
    ),
    Experiment(
        name="oracles",
        paper="not in the paper; its authors' program also has the first",
        summary="Reports that no plan can name, simulated: unary encoding (OUE) and the square wave of real numbers.",
        axis="epsilon",
        epsilons=(0.2, 0.6, 1.0, 1.4, 2.0, 4.0),
        datasets=SYNTHETIC,
        methods=(HDG, HDG_OUE, TDG, TDG_OUE, MSW, MSW_CONTINUOUS),
    ),
)

CATALOGUE = {
    experiment.name: experiment
    for experiment in (*VARYING, QUERY_DIMENSION, GUIDELINE, *GRIDS, *FULL, *COUNTS, *NEW_REAL, *SIX, *OTHERS)
}
"""Every experiment by name, in the paper's order as far as it has one."""


def find_experiment(name: str) -> Experiment:
    """Return the experiment called ``name``."""
    if name not in CATALOGUE:
        raise ExperimentError(f"unknown experiment {name!r}; known are: {', '.join(CATALOGUE)}")
    return CATALOGUE[name]
