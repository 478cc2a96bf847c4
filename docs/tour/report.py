import os
import sys


def total(items):
    result = 0
    for item in items:
        result += itm
    return result


print(json.dumps(total([1, 2])), file=sys.stderr)
