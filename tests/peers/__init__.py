"""Other checkers on the test kernels, verdict beside verdict: `python -m tests.peers`."""
