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
from slantwood.ensemble.settings import BoostingSettings
from slantwood.ensemble.training_data import TrainingData
from slantwood.features.matrix import effective_rows, known_rows, normalized_rows, training_matrix
from slantwood.model.trees import Trees, join
from slantwood.threads import StopFlag, run_in_threads, thread_count


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
    # Rounds run in a thread of their own, where settings of joblib for this one do not hold.
    spec = replace(spec, n_jobs=thread_count(spec.n_jobs))
    settings = resolve_boosting(data, spec)
    problem = _problem(data, spec, settings, earlier)
    course = _course(problem, spec, data, earlier)
    watch = Watch(course.losses, spec.n_iter_no_change) if course.holds_out else None
    additive = Additive(
        problem.loss,
        course.start,
        fold_starts=course.fold_starts,
        validation_fraction=course.validation_fraction,
    )
    model = _Model(data, spec, settings, additive, watch, earlier)
    for done in _rounds(course, spec.n_rounds - model.n_rounds):
        model.add(done.round)
        is_over = watch is not None and watch.add(done.losses) and spec.early_stopping
        if (on_round is not None and on_round(model.so_far)) or is_over:
            break
    if watch is not None and spec.early_stopping:
        model.cut(watch.n_best)
        if watch.has_forest and course.forest is not None:
            model.put_beside(course.forest)
    return model.so_far()


def _course(
    problem: BoostingProblem, spec: BoostingSpec, data: TrainingData, earlier: FittedForest | None
) -> Course:
    """Return the way through the rounds that suits the number of rows, or that of an earlier fit."""
    if earlier is not None:
        assert earlier.additive is not None
        _check_continued(problem, spec, earlier.additive)
        if len(earlier.additive.fold_starts):
            return CrossedCourse(problem, earlier=earlier)
        return SingleCourse(problem, earlier.additive.validation_fraction, earlier)
    # Of one row none can be held out.
    if not spec.early_stopping or len(problem.rows) < 2:
        return SingleCourse(problem, 0.0)
    if effective_rows(problem.row_weights) < FEW_ROWS:
        return CrossedCourse(problem, ForestMaker.suited(problem, data, spec))
    return SingleCourse(problem, float(spec.validation_fraction))


def _check_continued(problem: BoostingProblem, spec: BoostingSpec, known: Additive) -> None:
    """Refuse to go on where rows that earlier trees did not see are wanted, and there are none."""
    n_models, share = len(known.fold_starts), known.validation_fraction
    if len(problem.rows) < max(n_models, 1 + (share > 0)):
        raise ValueError(
            f"warm_start=True: the earlier fit held out rows, and of {len(problem.rows)} with a label and "
            f"weight none can be; give {max(n_models, 2)} or more, or warm_start=False"
        )
    if not spec.early_stopping:
        return
    if not n_models and not share and len(problem.rows) > 1:
        raise ValueError(
            "early_stopping=True needs rows that no tree saw, and the rounds that warm_start=True keeps were "
            "grown on all rows; give early_stopping=False, or warm_start=False"
        )
    if share not in (0.0, spec.validation_fraction):
        raise ValueError(
            f"validation_fraction={spec.validation_fraction}, but the rounds that warm_start=True keeps were "
            f"grown without {share} of the rows; give the same, or warm_start=False"
        )


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

    @property
    def n_rounds(self) -> int:
        """Rounds by now."""
        return self._additive.n_rounds + len(self._rounds)

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
        scores = self._additive.validation_scores[: self._additive.n_rounds + 1]
        if self._watch is not None:
            scores = np.append(scores, -self._watch.losses[len(scores) > 0 :])
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
