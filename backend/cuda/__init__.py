"""The CUDA driver as a device. Nothing here is imported before it is asked for."""
