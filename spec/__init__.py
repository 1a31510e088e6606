"""What the kernels mean: PTX, operators and contracts. Python and NumPy only; no solver, no device, no I/O."""
