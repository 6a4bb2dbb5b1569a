"""A whole boosted fit, from top to bottom: settings, the number of rounds, rounds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from slantwood.ensemble.additive import Additive
from slantwood.ensemble.assembling import OnTree
from slantwood.ensemble.boosting.beside import ForestMaker, in_part
from slantwood.ensemble.boosting.courses import Course, CrossedCourse, Done, SingleCourse
from slantwood.ensemble.boosting.rounds import BoostingProblem, Round
from slantwood.ensemble.boosting.settings import FEW_ROWS, resolve_boosting
from slantwood.ensemble.boosting.spec import BoostingSpec
from slantwood.ensemble.boosting.stopping import Watch
from slantwood.ensemble.column_spread import column_spread
from slantwood.ensemble.forest import FittedForest
from slantwood.ensemble.prediction import Predictor
from slantwood.ensemble.settings import BoostingSettings
from slantwood.ensemble.training_data import TrainingData
from slantwood.features.matrix import effective_rows, known_rows, normalized_rows, training_matrix
from slantwood.model.trees import Trees, join
from slantwood.threads import StopFlag, run_in_threads


def fit_boosting(
    data: TrainingData,
    spec: BoostingSpec,
    earlier: FittedForest | None = None,
    on_round: OnTree | None = None,
) -> FittedForest:
    """Boost trees, or add rounds to a boosted model.

    The result depends on the arguments alone, and nothing of them is changed.

    Parameters
    ----------
    data : TrainingData
        Checked and encoded rows; those without any label have no part.
    spec : BoostingSpec
        Checked parameters.
    earlier : FittedForest, optional
        A boosted model to which rounds are added, up to `spec.n_rounds`.
    on_round : callable, optional
        Called after each round with a function that makes the model so far; returns whether to stop.

    Returns
    -------
    FittedForest
        The model: trees, and how they add up.
    """
    if not (known_rows(data.Y) & (data.row_weights > 0)).any():
        raise ValueError("y has no label in any row of positive weight; at least one row must have one")
    data = data.without_unlabeled()
    settings = resolve_boosting(data, spec)
    problem = _problem(data, spec, settings, earlier)
    n_earlier = 0
    if earlier is not None:
        assert earlier.additive is not None
        n_earlier = earlier.additive.n_rounds
    course = _course(problem, spec, earlier, data, n_earlier)
    watch = Watch(course.losses, spec.n_iter_no_change) if spec.early_stopping else None
    model = _Model(data, spec, settings, Additive(problem.loss, course.start), watch, earlier)
    for done in _rounds(course, spec.n_rounds - n_earlier):
        model.add(done.round)
        is_over = watch is not None and watch.add(done.losses)
        if (on_round is not None and on_round(model.so_far)) or is_over:
            break
    if watch is not None:
        model.cut(watch.n_best)
        if watch.has_forest and course.forest is not None:
            model.put_beside(course.forest)
    return model.so_far()


def _course(
    problem: BoostingProblem,
    spec: BoostingSpec,
    earlier: FittedForest | None,
    data: TrainingData,
    n_earlier: int,
) -> Course:
    """Return the way through the rounds that suits the number of rows."""
    if spec.early_stopping and earlier is None and effective_rows(problem.row_weights) < FEW_ROWS:
        return CrossedCourse(problem, ForestMaker.suited(problem, data, spec))
    scores = None if earlier is None else Predictor(earlier, spec.n_jobs).scores(data.X)
    return SingleCourse(problem, spec.validation_fraction * spec.early_stopping, scores, n_earlier)


def _rounds(course: Course, n_rounds: int) -> Iterator[Done]:
    """Run rounds in a thread, which may be ahead of whoever takes the results by one or two of them."""
    stop = StopFlag()
    with closing(run_in_threads(lambda _: course.advance(stop), range(n_rounds), 1, stop)) as results:
        yield from results


class _Model:
    """Collects the trees of rounds."""

    def __init__(
        self,
        data: TrainingData,
        spec: BoostingSpec,
        settings: BoostingSettings,
        additive: Additive,
        watch: Watch | None,
        earlier: FittedForest | None,
    ) -> None:
        self._data, self._spec, self._settings = data, spec, settings
        self._watch, self._earlier = watch, earlier
        self._additive = additive if earlier is None or earlier.additive is None else earlier.additive
        self._rounds: list[Round] = []
        self._spread = column_spread(data.X, normalize_rows=settings.normalize_rows)

    def add(self, done: Round) -> None:
        """Take the trees of another round."""
        self._rounds.append(done)

    def cut(self, n_rounds: int) -> None:
        """Keep only the first rounds; of a model without earlier ones at least one."""
        del self._rounds[max(n_rounds, int(self._earlier is None)) :]

    def put_beside(self, forest: Round) -> None:
        """Let a forest have its part: it comes with the first round."""
        first, *others = map(in_part, self._rounds)
        trees, importance = join([forest.trees, first.trees]), forest.importance + first.importance
        self._rounds = [Round(trees, importance), *others]

    def so_far(self) -> FittedForest:
        """Return the model of the rounds by now."""
        trees: list[Trees] = [each.trees for each in self._rounds]
        importance = np.zeros(self._data.X.shape[1])
        for each in self._rounds:
            importance += each.importance
        sizes = [*self._additive.round_sizes, *(each.n_trees for each in trees)]
        if self._earlier is not None:
            trees, importance = [self._earlier.trees, *trees], importance + self._earlier.importance_sum
        scores = np.empty(0) if self._watch is None else -self._watch.losses
        return FittedForest(
            trees=join(trees),
            settings=self._settings,
            encoding=self._data.encoding,
            targets=self._data.targets,
            importance_sum=importance,
            column_spread=self._spread,
            unlabeled_weight=0.0,
            seed=self._spec.seed,
            tuned={},
            has_tree_of_all_rows=True,
            additive=replace(
                self._additive,
                round_sizes=np.array(sizes, np.int64),
                validation_scores=scores,
            ),
        )


def _problem(
    data: TrainingData, spec: BoostingSpec, settings: BoostingSettings, earlier: FittedForest | None
) -> BoostingProblem:
    X = training_matrix(data.X)
    Y = np.ascontiguousarray(data.Y.toarray() if sp.issparse(data.Y) else data.Y, np.float32)
    known = earlier.additive if earlier is not None else None
    return BoostingProblem(
        X=normalized_rows(X) if settings.normalize_rows else X,
        Y=Y,
        row_weights=data.row_weights,
        attribute_weights=spec.target_weights.astype(np.float32),
        loss=spec.loss.fitted(Y, data.row_weights) if known is None else known.loss,
        settings=settings,
        seed=spec.seed,
        n_jobs=spec.n_jobs,
    )
