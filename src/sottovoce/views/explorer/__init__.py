"""The explorer: a page that holds a fitted model and answers every brush itself.

Its program is written in TypeScript (clients/explorer) and built into ``static/``, which ships with the package: its
users need neither Node.js nor a network.
"""

from __future__ import annotations

from sottovoce.views.explorer.document import exploration
from sottovoce.views.explorer.page import explorer_page
from sottovoce.views.explorer.waves import join_waves, wave_exploration

__all__ = ["exploration", "explorer_page", "join_waves", "wave_exploration"]
