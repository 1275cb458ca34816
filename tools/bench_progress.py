"""One line for each round of a measurement, as it ends, so that a bench that takes minutes shows where it is."""
import sys


def done(what, number, rounds, value):
    """`number` counts from 0; round 0 of `rounds` + 1 only fills caches where a bench has such a round."""
    print(f"  {what}: round {number} of {rounds}: {value}", file=sys.stderr, flush=True)
