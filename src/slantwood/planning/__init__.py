"""What a forest will cost before it is fitted: seconds, memory and traffic, and which way to fit it.

Costs are counts of what trees do times coefficients that were fitted on measurements; see `docs/planning.md`.
"""

from slantwood.planning.from_data import plan_from_data
from slantwood.planning.plan import Plan, plan
from slantwood.planning.probe import probe
from slantwood.planning.ways import Machines, Way
from slantwood.planning.workload import Probe, Workload

__all__ = ["Machines", "Plan", "Probe", "Way", "Workload", "plan", "plan_from_data", "probe"]
