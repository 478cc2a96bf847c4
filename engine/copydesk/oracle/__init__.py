"""From a pair of texts to a shortest copy/gen program.

`oracle.py` is the entry point, `cost.py` defines what short means, `path.py` finds a cheapest path over pairs of lines, `subs.py`
the substitutions worth considering, and `windows.py` the parts of a large file that have to be searched.
"""

from copydesk.oracle.cost import CodeCost, Cost
from copydesk.oracle.oracle import oracle_program, program_tokens

__all__ = ["CodeCost", "Cost", "oracle_program", "program_tokens"]
