"""Page numbers of a Word document as a guide (extraction.md section 4): a file holds breaks, not pages."""

from __future__ import annotations

from lxml import etree

from tebunko.extract.word.markup import SECTION, TYPE, VALUE, W, is_on

_PROPERTIES = W + "pPr"
_STYLE = W + "pStyle"
_BREAK_BEFORE = W + "pageBreakBefore"


class PageCounter:
    """Counts pages from 1 while a document is read in order."""

    def __init__(self) -> None:
        self.page = 1
        self._after_manual = False
        self._begun = False

    def manual(self) -> None:
        """A break that the author set: a page break or a section break."""
        self.page += 1
        self._after_manual = True
        self._begun = True

    def before_paragraph(self) -> None:
        """The next paragraph begins a page (``w:pageBreakBefore``): the first paragraph of all does so anyway."""
        if self._begun:
            self.page += 1
        self._after_manual = True

    def rendered(self) -> None:
        """A ``w:lastRenderedPageBreak``: right after a manual break, before any text, it is that same break."""
        if self._after_manual:
            self._after_manual = False
        else:
            self.page += 1

    def text(self) -> None:
        """Visible text stands on the current page."""
        self._after_manual = False

    def paragraph_ended(self) -> None:
        """A paragraph, perhaps an empty one, stands on the current page."""
        self._begun = True

    def rewind(self, page: int) -> None:
        """Goes back to a page: the cells of a row stand side by side, and each may tell of the same break."""
        self.page = page


class BreakingStyles:
    """Which paragraphs begin a page by ``w:pageBreakBefore``, their own or their style's (ECMA-376 part 1, 17.3.1.23)."""

    def __init__(self, styles: etree._Element | None) -> None:
        """``styles`` is the root of the styles part, None if there is none."""
        self._breaking: dict[str | None, bool] = {}
        if styles is not None:
            self._read(styles)
        self.any = any(self._breaking.values())

    def _read(self, styles: etree._Element) -> None:
        own: dict[str, bool | None] = {}
        base: dict[str, str] = {}
        default = styles.find(f"{W}docDefaults/{W}pPrDefault/{_PROPERTIES}/{_BREAK_BEFORE}")
        default_style = None
        for style in styles.iterchildren(W + "style"):
            if style.get(TYPE, "paragraph") != "paragraph":
                continue
            name = style.get(W + "styleId", "")
            setting = style.find(f"{_PROPERTIES}/{_BREAK_BEFORE}")
            own[name] = None if setting is None else is_on(setting)
            parent = style.find(W + "basedOn")
            if parent is not None:
                base[name] = parent.get(VALUE, "")
            if style.get(W + "default", "0").lower() in ("1", "true", "on"):
                default_style = name
        for name in own:
            self._breaking[name] = _inherited(name, own, base, is_on(default))
        self._breaking[None] = is_on(default) if default_style is None else self._breaking[default_style]

    def begins_page(self, paragraph: etree._Element) -> bool:
        """True if the paragraph begins a page, whatever stands before it."""
        properties = paragraph.find(_PROPERTIES)
        if properties is None:
            return self._breaking.get(None, False)
        own = properties.find(_BREAK_BEFORE)
        if own is not None:
            return is_on(own)
        style = properties.find(_STYLE)
        name = None if style is None else style.get(VALUE)
        return self._breaking.get(name, self._breaking.get(None, False))


def _inherited(name: str, own: dict[str, bool | None], base: dict[str, str], default: bool) -> bool:
    """The setting of a style or of the nearest one it is based on; a circle ends where it closes."""
    seen: set[str] = set()
    while name in own and name not in seen:
        setting = own[name]
        if setting is not None:
            return setting
        seen.add(name)
        name = base.get(name, "")
    return default


def has_break_before(body: etree._Element) -> bool:
    """True if any paragraph below has a ``w:pageBreakBefore`` of its own."""
    return next(body.iter(_BREAK_BEFORE), None) is not None


def section_breaks(body: etree._Element) -> list[bool]:
    """For each ``w:sectPr`` in order, whether what follows it begins a page.

    The type of a break is that of the section it begins, so it stands in the next ``w:sectPr`` (ECMA-376 part 1,
    17.6.22); the default is a next page.
    """
    kinds = [section.find(TYPE) for section in body.iter(SECTION)]
    starts = [kind is None or kind.get(VALUE, "nextPage") != "continuous" for kind in kinds]
    return [*starts[1:], True]
