"""The report as one static HTML page: what it is made of (model), where that comes from (kernels, runs), how it looks.

A new part of the page is a class in `model`, a reader of what exists already, and a place in `page.html.j2`. Nothing is
computed in the template, and nothing on the page is said twice in the code: words and numbers come from the prover's
report, from artifacts, contracts and evidence.
"""
