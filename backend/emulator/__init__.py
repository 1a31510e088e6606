"""The machine of spec.ptx as a device."""
