"""The page as HTML: one file, without scripts, that loads nothing."""

from __future__ import annotations

from fltc.page.model import Page
from fltc.page.picture import picture

TEMPLATE = "page.html.j2"


def html(page: Page) -> str:
    """The text of the page. Everything that is put in is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("fltc", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["picture"] = picture
    return environment.get_template(TEMPLATE).render(page=page) + "\n"
