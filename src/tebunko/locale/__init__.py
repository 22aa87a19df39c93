"""Messages in the user's language: gettext catalogues whose ids are the English texts.

``<language>/LC_MESSAGES/tebunko.po`` is edited, ``tebunko.mo`` is compiled from it (``make catalogs``) and shipped.
"""

from __future__ import annotations

import gettext
import os
import sys
from pathlib import Path
from typing import Protocol

LANGUAGES = ("en", "ja")
_FOLDER = Path(__file__).parent
_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_JAPANESE = 0x11


class Translate(Protocol):
    """Turns a message id and its parameters into text."""

    def __call__(self, message: str, /, **params: object) -> str:
        """The text of a message id with its gaps filled."""


def translator(language: str) -> Translate:
    """The translation into a language of `LANGUAGES`; ids that a catalogue lacks come out in English."""
    catalogue = gettext.translation("tebunko", _FOLDER, [language], fallback=True)

    def translate(message: str, /, **params: object) -> str:
        text = catalogue.gettext(message) if message else ""
        return text.format(**{name: shown(value) for name, value in params.items()}) if params else text

    def shown(value: object) -> object:
        """A parameter that is itself a message (an id with parameters) speaks the language too."""
        inner, params = getattr(value, "message", None), getattr(value, "params", None)
        return translate(inner, **params) if isinstance(inner, str) and isinstance(params, dict) else value

    return translate


def speak(language: str) -> Translate:
    """Makes the standard library's own messages (those of argparse) speak a language too, and gives the translation."""
    os.environ["LANGUAGE"] = language
    gettext.bindtextdomain("tebunko", _FOLDER)
    gettext.textdomain("tebunko")
    return translator(language)


def system_language() -> str:
    """The language that the system is set to: ``ja`` or, for any other, ``en``."""
    for variable in _VARIABLES:
        value = os.environ.get(variable)
        if value:
            return "ja" if value.lower().startswith("ja") else "en"
    if sys.platform == "win32":
        import ctypes

        primary = ctypes.windll.kernel32.GetUserDefaultUILanguage() & 0x3FF
        return "ja" if primary == _JAPANESE else "en"
    return "en"
