"""Devices that execute the shipped PTX, the kernels that emit it, and the checked launch."""
