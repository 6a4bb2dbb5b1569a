"""FastXML (Prabhu & Varma 2014): trees whose splits rank labels."""

from slantwood.task_names import LABEL_TASKS
from slantwood_bench.methods.oblique import Slantwood


class FastXML(Slantwood):
    """The published system; of a hierarchy it sees the labels only, as in the paper."""

    title = "FastXML"
    learner = "ndcg"
    published = True
    tasks = LABEL_TASKS
    knows_hierarchies = False
