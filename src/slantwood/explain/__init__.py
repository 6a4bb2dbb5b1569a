"""What a fitted model learned: functions on trees and forests."""

from slantwood.explain.contributions import Contributions, contributions
from slantwood.explain.feature_ranking import FeatureRanking
from slantwood.explain.ranking_methods import RANKING_METHODS, feature_ranking

__all__ = ["RANKING_METHODS", "Contributions", "FeatureRanking", "contributions", "feature_ranking"]
