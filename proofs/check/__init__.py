"""`fltc check`: from flags and a PTX text to a report, whatever the text and the flags are."""
