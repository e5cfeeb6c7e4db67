"""The survey page: what people answer a plan on, in one file that any host may serve.

Its program is written in JavaScript (clients/js/survey) and built into ``static/``, which ships with the package: its
users need neither Node.js nor a network.
"""

from __future__ import annotations

from sottovoce.views.survey_page.catalogues import SHIPPED, choose_catalogues, read_catalogue
from sottovoce.views.survey_page.page import Survey, survey_page

__all__ = ["SHIPPED", "Survey", "choose_catalogues", "read_catalogue", "survey_page"]
