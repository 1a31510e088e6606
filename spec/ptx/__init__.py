"""PTX as text, as syntax tree, and as meaning: parser, printer, instruction table, machine."""
