"""What several layers need and none owns: file writing. Imports nothing of ours."""
