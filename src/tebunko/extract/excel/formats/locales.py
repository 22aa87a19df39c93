"""What number formats take from a locale: names of months and days, halves of the day, and the built-in formats.

A display locale (``ja-JP``) says how Excel itself runs; a format code may name another one (``[$-409]``). The tables of
built-in formats are those of ECMA-376 part 1, 18.8.30, corrected by what Excel of that language shows.
"""

from __future__ import annotations

from dataclasses import dataclass

from tebunko.extract.excel.formats.kanji import CHINESE, JAPANESE, KOREAN, TAIWANESE


@dataclass(frozen=True, slots=True)
class Names:
    """Months from January and days from Sunday, short and long, and the halves of the day."""

    months: tuple[str, ...]
    short_months: tuple[str, ...]
    days: tuple[str, ...]
    short_days: tuple[str, ...]
    halves: tuple[str, str] = ("AM", "PM")


def _names(months: str, short_months: str, days: str, short_days: str, halves: str = "AM PM") -> Names:
    before, after = halves.split()
    return Names(
        tuple(months.split()),
        tuple(short_months.split()),
        tuple(days.split()),
        tuple(short_days.split()),
        (before, after),
    )


def _numbered(unit: str, days: str, short_days: str, halves: str) -> Names:
    months = " ".join(f"{n}{unit}" for n in range(1, 13))
    return _names(months, months, days, short_days, halves)


ENGLISH = _names(
    "January February March April May June July August September October November December",
    "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "Sunday Monday Tuesday Wednesday Thursday Friday Saturday",
    "Sun Mon Tue Wed Thu Fri Sat",
)

_BY_LANGUAGE = {
    "en": ENGLISH,
    "ja": _numbered("月", "日曜日 月曜日 火曜日 水曜日 木曜日 金曜日 土曜日", "日 月 火 水 木 金 土", "午前 午後"),
    "zh": _numbered(
        "月", "星期日 星期一 星期二 星期三 星期四 星期五 星期六", "周日 周一 周二 周三 周四 周五 周六", "上午 下午"
    ),
    "zh-TW": _numbered(
        "月", "星期日 星期一 星期二 星期三 星期四 星期五 星期六", "週日 週一 週二 週三 週四 週五 週六", "上午 下午"
    ),
    "ko": _numbered("월", "일요일 월요일 화요일 수요일 목요일 금요일 토요일", "일 월 화 수 목 금 토", "오전 오후"),
    "de": _names(
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez",
        "Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag",
        "So Mo Di Mi Do Fr Sa",
    ),
    "fr": _names(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
        "dimanche lundi mardi mercredi jeudi vendredi samedi",
        "dim. lun. mar. mer. jeu. ven. sam.",
    ),
    "es": _names(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "ene feb mar abr may jun jul ago sep oct nov dic",
        "domingo lunes martes miércoles jueves viernes sábado",
        "dom lun mar mié jue vie sáb",
    ),
    "it": _names(
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "gen feb mar apr mag giu lug ago set ott nov dic",
        "domenica lunedì martedì mercoledì giovedì venerdì sabato",
        "dom lun mar mer gio ven sab",
    ),
    "pt": _names(
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "jan fev mar abr mai jun jul ago set out nov dez",
        "domingo segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado",
        "dom seg ter qua qui sex sáb",
    ),
    "nl": _names(
        "januari februari maart april mei juni juli augustus september oktober november december",
        "jan feb mrt apr mei jun jul aug sep okt nov dec",
        "zondag maandag dinsdag woensdag donderdag vrijdag zaterdag",
        "zo ma di wo do vr za",
    ),
    "ru": _names(
        "Январь Февраль Март Апрель Май Июнь Июль Август Сентябрь Октябрь Ноябрь Декабрь",
        "янв фев мар апр май июн июл авг сен окт ноя дек",
        "воскресенье понедельник вторник среда четверг пятница суббота",
        "Вс Пн Вт Ср Чт Пт Сб",
    ),
}

# The primary language of a Windows locale id, its low ten bits ([MS-LCID]).
_PRIMARY = {
    0x04: "zh",
    0x07: "de",
    0x09: "en",
    0x0A: "es",
    0x0C: "fr",
    0x10: "it",
    0x11: "ja",
    0x12: "ko",
    0x13: "nl",
    0x16: "pt",
    0x19: "ru",
}

_TAGS = {"ja": JAPANESE, "zh": CHINESE, "zh-tw": TAIWANESE, "zh-hk": TAIWANESE, "zh-hant": TAIWANESE, "ko": KOREAN}
_TAGS |= {language: code | 0x400 for code, language in _PRIMARY.items() if language not in ("ja", "zh", "ko")}


def locale_id(tag: str) -> int:
    """The Windows locale id of a language tag; 0 for an unknown language.

    >>> hex(locale_id("ja-JP")), hex(locale_id("zh-TW")), hex(locale_id("de-AT")), locale_id("tlh")
    ('0x411', '0x404', '0x407', 0)
    """
    parts = tag.lower().replace("_", "-").split("-")
    return _TAGS.get("-".join(parts[:2])) or _TAGS.get(parts[0], 0)


def names_of(code: int) -> Names:
    """The names that a Windows locale id stands for; English for a language without a table."""
    if code & 0xFFFF in (TAIWANESE, 0xC04, 0x1404):
        return _BY_LANGUAGE["zh-TW"]
    return _BY_LANGUAGE[_PRIMARY.get(code & 0x3FF, "en")]


def unnamed_names(code: int) -> Names:
    """The names of a code without a locale of its own: East Asian Excel keeps to English for months and ``ddd``."""
    return ENGLISH if code in (JAPANESE, CHINESE, TAIWANESE, KOREAN) else names_of(code)


def _with_red(code: str) -> str:
    first, _, second = code.partition(";")
    return f"{first};[Red]{second}"


def _table(symbol: str, negative: str, pad: str) -> dict[int, str]:
    """Ids 5-8 and 37-44 of a locale: its currency, how a negative number stands, what pads a positive one."""
    found: dict[int, str] = {}
    for money, number, accounting_money, accounting, form in (
        (5, 37, 42, 41, "#,##0"),
        (7, 39, 44, 43, "#,##0.00"),
    ):
        found[money] = f"{symbol}{form}{pad};" + negative.format(symbol + form)
        found[number] = f"{form}{pad};" + negative.format(form)
        found[money + 1] = _with_red(found[money])
        found[number + 1] = _with_red(found[number])
        dash = '"-"' + ("??" if "." in form else "")
        found[accounting] = f"_(* {form}_);_(* \\({form}\\);_(* {dash}_);_(@_)"
        found[accounting_money] = f"_({symbol}* {form}_);_({symbol}* \\({form}\\);_({symbol}* {dash}_);_(@_)"
    return found


# What Excel shows for ids that only East Asian or Thai Excel defines, by the id whose code is taken for each.
_STAND_INS = (
    dict.fromkeys((*range(27, 32), 36, *range(50, 59), 71, 72), 14)
    | dict.fromkeys(range(32, 36), 21)
    | {59: 1, 60: 2, 61: 3, 62: 4, 63: 5, 64: 6, 65: 7, 66: 8, 67: 9, 68: 10, 69: 12, 70: 13}
    | {73: 15, 74: 16, 75: 17, 76: 20, 77: 21, 78: 22, 79: 45, 80: 46, 81: 47}
)

_COMMON = {
    0: "General",
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    14: "m/d/yyyy",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "m/d/yyyy h:mm",
    23: r"\$#,##0_);\(\$#,##0\)",
    24: r"\$#,##0_);[Red]\(\$#,##0\)",
    25: r"\$#,##0.00_);\(\$#,##0.00\)",
    26: r"\$#,##0.00_);[Red]\(\$#,##0.00\)",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    48: "##0.0E+0",
    49: "@",
}

# ECMA-376 gives 39 and 40 no blank after a positive number, and 47 no colon.
_ENGLISH = (
    _COMMON
    | _table('"$"', r"\({}\)", "_)")
    | {39: r"#,##0.00;\(#,##0.00\)", 40: r"#,##0.00;[Red]\(#,##0.00\)", 47: "mmss.0"}
)

_JAPANESE = (
    _COMMON
    | _table('"¥"', r"\-{}", "")
    | {
        5: r'"¥"#,##0;"¥"\-#,##0',
        6: r'"¥"#,##0;[Red]"¥"\-#,##0',
        7: r'"¥"#,##0.00;"¥"\-#,##0.00',
        8: r'"¥"#,##0.00;[Red]"¥"\-#,##0.00',
        14: "yyyy/m/d",
        22: "yyyy/m/d h:mm",
        30: "m/d/yy",
        31: 'yyyy"年"m"月"d"日"',
        32: 'h"時"mm"分"',
        33: 'h"時"mm"分"ss"秒"',
        41: r'_ * #,##0_ ;_ * \-#,##0_ ;_ * "-"_ ;_ @_ ',
        42: r'_ "¥"* #,##0_ ;_ "¥"* \-#,##0_ ;_ "¥"* "-"_ ;_ @_ ',
        43: r'_ * #,##0.00_ ;_ * \-#,##0.00_ ;_ * "-"??_ ;_ @_ ',
        44: r'_ "¥"* #,##0.00_ ;_ "¥"* \-#,##0.00_ ;_ "¥"* "-"??_ ;_ @_ ',
    }
    | dict.fromkeys((27, 36, 50, 57), "[$-411]ge.m.d")
    | dict.fromkeys((28, 29, 51, 54, 58), '[$-411]ggge"年"m"月"d"日"')
    | dict.fromkeys((34, 52, 55), 'yyyy"年"m"月"')
    | dict.fromkeys((35, 53, 56), 'm"月"d"日"')
)

_CHINESE = (
    _COMMON
    | _table('"¥"', r"\-{}", "")
    | {14: "yyyy/m/d", 22: "yyyy/m/d h:mm", 30: "m-d-yy", 31: 'yyyy"年"m"月"d"日"'}
    | {32: 'h"时"mm"分"', 33: 'h"时"mm"分"ss"秒"', 34: '上午/下午h"时"mm"分"', 35: '上午/下午h"时"mm"分"ss"秒"'}
    | dict.fromkeys((27, 36, 50, 52, 57), 'yyyy"年"m"月"')
    | dict.fromkeys((28, 29, 51, 53, 54, 58), 'm"月"d"日"')
    | {55: '上午/下午h"时"mm"分"', 56: '上午/下午h"时"mm"分"ss"秒"'}
)

_TAIWANESE = (
    _COMMON
    | _table('"$"', r"\-{}", "")
    | {14: "yyyy/m/d", 22: "yyyy/m/d h:mm", 30: "m/d/yy", 31: 'yyyy"年"m"月"d"日"'}
    | {32: 'hh"時"mm"分"', 33: 'hh"時"mm"分"ss"秒"'}
    | dict.fromkeys((27, 36, 50, 57), "[$-404]e/m/d")
    | dict.fromkeys((28, 29, 51, 54, 58), '[$-404]e"年"m"月"d"日"')
    | dict.fromkeys((34, 52, 55), '上午/下午hh"時"mm"分"')
    | dict.fromkeys((35, 53, 56), '上午/下午hh"時"mm"分"ss"秒"')
)

_KOREAN = (
    _COMMON
    | _table('"₩"', r"\-{}", "")
    | {14: "yyyy-mm-dd", 22: "yyyy-mm-dd h:mm", 30: "mm-dd-yy", 31: 'yyyy"년" mm"월" dd"일"'}
    | {32: 'h"시" mm"분"', 33: 'h"시" mm"분" ss"초"'}
    | dict.fromkeys((27, 36, 50, 57), 'yyyy"年" mm"月" dd"日"')
    | dict.fromkeys((28, 29, 51, 54, 58), "mm-dd")
    | dict.fromkeys((34, 35, 52, 53, 55, 56), "yyyy-mm-dd")
)

_BUILT_IN = {
    JAPANESE: _JAPANESE,
    CHINESE: _CHINESE,
    TAIWANESE: _TAIWANESE,
    KOREAN: _KOREAN,
    0x407: _ENGLISH | {14: "dd.mm.yyyy", 22: "dd.mm.yyyy hh:mm"},
    0x40C: _ENGLISH | {14: "dd/mm/yyyy", 22: "dd/mm/yyyy hh:mm"},
}
_BY_TAG = {"en-gb": _ENGLISH | {14: "dd/mm/yyyy", 22: "dd/mm/yyyy hh:mm"}}

_LONG_DATES = {JAPANESE: 'yyyy"年"m"月"d"日"', CHINESE: 'yyyy"年"m"月"d"日"', TAIWANESE: 'yyyy"年"m"月"d"日"'}
_LONG_TIMES = {0x409: "h:mm:ss AM/PM"}


def built_in_code(number: int, tag: str) -> str:
    """The format code of a built-in id in a display locale; General for an id that has none.

    >>> built_in_code(14, "ja-JP"), built_in_code(14, "en-US"), built_in_code(57, "ja-JP"), built_in_code(57, "en-US")
    ('yyyy/m/d', 'm/d/yyyy', '[$-411]ge.m.d', 'm/d/yyyy')
    """
    table = _BY_TAG.get(tag.lower()) or _BUILT_IN.get(locale_id(tag), _ENGLISH)
    code = table.get(number) or table.get(_STAND_INS.get(number, 0))
    return code or "General"


def system_code(code: int, tag: str) -> str | None:
    """What ``[$-F800]`` (the system's long date) or ``[$-F400]`` (its time) stands for; None for any other id."""
    display = locale_id(tag)
    if code == 0xF800:
        return _LONG_DATES.get(display, r"dddd\,\ mmmm\ d\,\ yyyy")
    if code == 0xF400:
        return _LONG_TIMES.get(display, "h:mm:ss")
    return None
