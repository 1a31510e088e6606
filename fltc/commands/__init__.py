"""One module for each command; fltc/cli.py names them."""
