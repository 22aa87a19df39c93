"""Generated tests here run without hypothesis's deadline: no test may depend on timing."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
