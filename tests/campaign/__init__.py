"""Random kernels: what the machine sees go wrong the prover must not have proved."""
