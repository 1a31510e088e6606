"""The tests, and the differential harness in tests/harness."""
