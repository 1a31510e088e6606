"""What the harness knows of each kernel: one module per stem.

    sizes(contract, limits): a Hypothesis strategy of parameter values, without the power parameter
    EXTRAS: the second runs that make sense for it (strategies.Case.extra)
    adverse(widest): launches made by hand that come near the bound, rows of at most `widest` elements
    LARGE: launches at the limits of the contract, on a GPU
"""
