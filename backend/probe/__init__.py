"""What a device does where error bounds assume something of it: approximate instructions and the tensor core."""
