"""Number formats against what Excel is documented to show.

Sources: ECMA-376 part 1, 18.8.30 and 18.8.31; Microsoft's page on number format codes; the Japanese codes and their
results as the documentation of excel-cellformatter gives them; the General rule of extraction.md section 3.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tebunko.extract.excel.number_format import compile_format, format_code, raw_number, show_number


def shown(code: str, value: float, locale: str = "ja-JP", date1904: bool = False) -> str:
    return show_number(compile_format(code, locale, date1904), value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (4901234567894, "4.90123E+12"),
        (123456789.123, "123456789.1"),
        (12345678901, "12345678901"),
        (123456789012, "1.23457E+11"),
        (99999999999.5, "1E+11"),
        (1234567890.5, "1234567891"),
        (0.1 + 0.2, "0.3"),
        (11.666666666666666, "11.66666667"),
        (0.000123456789, "0.000123457"),
        (1e-9, "0.000000001"),
        (1e-10, "1E-10"),
        (1.123456e11, "1.12346E+11"),
        (-6.211546860868111e-06, "-6.21155E-06"),
        (1.23456789e100, "1.2346E+100"),
        (-1e300, "-1E+300"),
        (9.999999e-200, "1E-199"),
    ],
)
def test_general(value: float, text: str) -> None:
    assert shown("General", value) == text
    assert shown("", value) == text
    assert shown("@", value) == text


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("0", 1.5, "2"),
        ("0", -2.5, "-3"),
        ("0.00", 1.005, "1.01"),
        ("0.00", 12.345, "12.35"),
        ("#.##", 5, "5."),
        ("#,##0", 1234567, "1,234,567"),
        ("#,###", 0, ""),
        ("#,##0.00", -1234.5, "-1,234.50"),
        ("0000000", 1234, "0001234"),
        ("000,000", 12, "000,012"),
        ("0,", 12345678, "12346"),
        ("0.0,,", 12200000, "12.2"),
        ('0.0,,"M"', 12345678, "12.3M"),
        ("0%", 0.285, "29%"),
        ("0.00%", -0.1234, "-12.34%"),
        ("???.???", 12.3, " 12.3  "),
        ("0.0?", 1.2, "1.2 "),
        ("#0.##", 0.5, "0.5"),
        ("0.00E+00", 12345.6789, "1.23E+04"),
        ("0.E+00", 0.1234, "1.E-01"),
        ("0.0E-0", 12345, "1.2E4"),
        ("0.0E-0", 0.00012, "1.2E-4"),
        ("##0.0E+0", 12345, "12.3E+3"),
        ("##0.0E+0", 999960, "1.0E+6"),
        ("0.00E+00", 0, "0.00E+00"),
        ("# ?/?", 1.25, "1 1/4"),
        ("# ?/?", 3, "3    "),
        ("# ?/?", 0.1234, " 1/8"),
        ("# ??/??", 5.3, "5  3/10"),
        ("?/?", 1.25, "5/4"),
        ("# ?/2", 0.25, " 1/2"),
        ("# ??/16", 2.25, "2  4/16"),
        ("# ?/10", 0.25, " 3/10"),
        ("# ?/?", -12345.6789, "-12345 2/3"),
        ("0.0_);(0.0)", -2, "(2.0)"),
        ("0.0_);(0.0)", 2, "2.0 "),
        ('0;"▲ "0;"-"', -3, "▲ 3"),
        ('0;"▲ "0;"-"', 0, "-"),
        ("0;;", -3, ""),
        (";;;", 3, ""),
        ('_ "¥"* #,##0_ ;_ "¥"* \\-#,##0_ ', -12345, " ¥-12,345 "),
        ("[Red]0", 5, "5"),
        ("[Color12]0;[色10]0", -5, "5"),
        ("[<=999]000;[<=9999]000\\-00;000\\-0000", 1001701, "100-1701"),
        ("[<=99999999]####\\-####;\\(00\\)\\ ####\\-####", 123456789, "(01) 2345-6789"),
        ('[>=1000]0.0,"k";0', 12345, "12.3k"),
        ('[>=1000]0.0,"k";0', -5, "-5"),
        ("[=1]0;[=2]0", 3, "########"),
        ("[>5]0.0", 1.25, "1.25"),
        ("[$¥-411]#,##0", 1234, "¥1,234"),
        ("#,##0.00\\ [$€-40C]", 1, "1.00 €"),
        ("[$kr-41D] 0", 5, "kr 5"),
        ('"第"0"回"', 3, "第3回"),
        ("0円", 5, "5円"),
        ('General" 個"', 2.5, "2.5 個"),
        ("000\\-0000", 1234567, "123-4567"),
        ('"unterminated', 1, "unterminated"),
    ],
)
def test_numbers(code: str, value: float, text: str) -> None:
    assert shown(code, value) == text


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("yyyy/m/d", 45413, "2024/5/1"),
        ("yyyy-mm-dd hh:mm:ss", 45413.75, "2024-05-01 18:00:00"),
        ("yyyy/m/d", 60, "1900/2/29"),
        ("yyyy/m/d", 61, "1900/3/1"),
        ("yyyy/m/d", 59, "1900/2/28"),
        ("m/d/yy", 0, "1/0/00"),
        ("dddd", 1, "Sunday"),
        ("yyyy/m/d", -1, "########"),
        ("h:mm", -0.5, "########"),
        ("yyyy/m/d", 2958465, "9999/12/31"),
        ("yyyy/m/d", 2958466, "########"),
        ("yyyy/m/d", 1e300, "########"),
        ("h:mm", 40968.54282407407, "13:01"),
        ("h:mm:ss", 40968.54282407407, "13:01:40"),
        ("h:mm AM/PM", 0.54282407407, "1:01 PM"),
        ("h:mm am/pm", 0, "12:00 AM"),
        ("h a/p", 0.5, "12 p"),
        ("[$-411]AM/PM h:mm", 0.25, "午前 6:00"),
        ("[$-804]AM/PM h:mm", 0.75, "下午 6:00"),
        ("上午/下午h:mm", 0.75, "下午6:00"),
        ("mm:ss", 0.0007060185185186, "01:01"),
        ("mm:ss.0", 0.0007060185185186, "01:01.0"),
        ("h:mm:ss.000", 0.5 + 0.1234 / 86400, "12:00:00.123"),
        ("m/d h:m", 45413.75, "5/1 18:0"),
        ("[h]:mm:ss", 1.0007060185185186, "24:01:01"),
        ("[mm]:ss", 0.0663, "95:28"),
        ("[ss]", 0.05, "4320"),
        ("[h]:mm", 1.999999, "48:00"),
        ("mmm mmmm mmmmm", 45413, "May May M"),
        ("mmmmmm", 45566, "October"),
        ('[$-411]ggge"年"m"月"d"日"', 43585, "平成31年4月30日"),
        ('[$-411]ggge"年"m"月"d"日"', 43586, "令和1年5月1日"),
        ('[$-ja-JP-x-gannen]ggge"年"m"月"d"日"', 43586, "令和元年5月1日"),
        ("[$-411]ge.m.d", 9855, "T15.12.24"),
        ("[$-411]ge.m.d", 9856, "S1.12.25"),
        ("[$-411]ge.m.d", 4594, "M45.7.29"),
        ("gg ee r rr", 32516, "平 01 01 平成01"),
        ("aaa aaaa", 45413, "水 水曜日"),
        ("[$-411]ddd dddd", 45413, "水 水曜日"),
        ("ddd dddd", 45413, "Wed Wednesday"),
        ("[$-404]e/m/d", 45413, "113/5/1"),
        ("[$-404]e/m/d", 1, "1900/1/1"),
        ("[$-407]d. mmmm yyyy", 45413, "1. Mai 2024"),
        ("[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", 45413, "2024年5月1日"),
        ("[$-F400]h:mm:ss\\ AM/PM", 0.5, "12:00:00"),
        ("yyyy/m/d;@", 45413, "2024/5/1"),
        ("bbbb", 45413, "2567"),
    ],
)
def test_dates(code: str, value: float, text: str) -> None:
    assert shown(code, value) == text


def test_dates_outside_japan() -> None:
    assert shown("e", 45413, "en-US") == "2024"
    assert shown("[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", 45413, "en-US") == "Wednesday, May 1, 2024"
    assert shown("[$-F400]h:mm:ss\\ AM/PM", 0.75, "en-US") == "6:00:00 PM"
    assert shown("aaa", 45413, "zh-CN") == "周三"


def test_date_system_1904() -> None:
    assert shown("yyyy/m/d", 0, date1904=True) == "1904/1/1"
    assert shown("yyyy/m/d", 43951, date1904=True) == "2024/5/1"
    assert shown("[h]:mm", 1.5, date1904=True) == "36:00"
    # With this date system Excel does show a negative time.
    assert shown("h:mm", -0.5, date1904=True) == "-12:00"


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("[DBNum1][$-411]General", 12345, "一万二千三百四十五"),
        ("[DBNum1][$-411]General", -1234.5, "-千二百三十四.五"),
        ("[DBNum2][$-411]General", 12345, "壱萬弐阡参百四拾伍"),
        ("[DBNum2][$-411]General", 123456789, "壱億弐阡参百四拾伍萬六阡七百八拾九"),
        ("[DBNum3][$-411]#,##0", -12345, "-１２,３４５"),
        ("[DBNum1][$-411]0", 2040, "二〇四〇"),
        ("[DBNum1][$-411]General", 0, "〇"),
        ('[DBNum1][$-411]ggge"年"m"月"d"日"', 21894, "昭和三十四年十二月十日"),
        ('[DBNum2][$-411]ggge"年"m"月"d"日"', 21894, "昭和参拾四年壱拾弐月壱拾日"),
        ('[DBNum3][$-411]ggge"年"m"月"d"日"', 21894, "昭和３４年１２月１０日"),
        ("[DBNum1][$-411]yyyy", 45413, "二〇二四"),
        ("[$-D07041E]d/m/yyyy", 45413, "๑/๕/๒๕๖๗"),
        ("[$-D000000]0.0", 12.5, "๑๒.๕"),
        ("[$-2000000]General", 12.5, "١٢.٥"),
        ("[DBNum2][$-804]General", 1203, "壹仟贰佰零叁"),
    ],
)
def test_east_asian_digits(code: str, value: float, text: str) -> None:
    assert shown(code, value) == text


@pytest.mark.parametrize(
    ("number", "value", "japan", "america"),
    [
        (9, 0.5, "50%", "50%"),
        (14, 45413, "2024/5/1", "5/1/2024"),
        (22, 45413.5, "2024/5/1 12:00", "5/1/2024 12:00"),
        (37, -1234, "-1,234", "(1,234)"),
        (5, -1234, "¥-1,234", "($1,234)"),
        (42, 1234, " ¥1,234 ", " $1,234 "),
        (30, 45413, "5/1/24", "5/1/2024"),
        (57, 45413, "R6.5.1", "5/1/2024"),
        (58, 45413, "令和6年5月1日", "5/1/2024"),
        (32, 0.5, "12時00分", "12:00:00"),
        (61, 1234, "1,234", "1,234"),
        (99, 0.5, "0.5", "0.5"),
        (49, 5, "5", "5"),
    ],
)
def test_built_in_formats_follow_the_locale(number: int, value: float, japan: str, america: str) -> None:
    assert shown(format_code(number, {}, "ja-JP"), value, "ja-JP") == japan
    assert shown(format_code(number, {}, "en-US"), value, "en-US") == america


@pytest.mark.parametrize(
    ("code", "text", "result"),
    [
        ("0.00", "abc", "abc"),
        ("0;0;0;", "abc", ""),
        ('0;0;0;"<"@">"', "abc", "<abc>"),
        ('"様: "@', "abc", "様: abc"),
        ("@", "abc", "abc"),
        ("yyyy/m/d;@", "abc", "abc"),
        ("@_ ", "abc", "abc "),
    ],
)
def test_text_section(code: str, text: str, result: str) -> None:
    compiled = compile_format(code)
    assert (compiled.text(text) if compiled.text else text) == result


@pytest.mark.parametrize(
    ("code", "value", "kept"),
    [
        ("General", 4901234567894, True),
        ("#,##0", 1234567, True),
        ("#,##0", 567, False),
        ("0.00", 12.3, False),
        ("0.00", 12.345, True),
        ("0.00", 1 / 3, False),
        ("General", 1 / 3, False),
        ("0%", 0.25, True),
        ("0_);(0)", -12, True),
        ("[$-411]ggge", 45413, True),
        ("h:mm", 0.5, False),
        ("0", 0, False),
    ],
)
def test_raw_values_that_someone_would_search_for(code: str, value: float, kept: bool) -> None:
    compiled = compile_format(code)
    assert (raw_number(compiled, value, show_number(compiled, value)) is not None) is kept


def test_numbers_that_are_none() -> None:
    for code in ("General", "0.00", "yyyy/m/d", "# ?/?"):
        for value in (math.nan, math.inf, -math.inf):
            assert shown(code, value) == "#NUM!"


_PIECES = r"""
    0 # ? . , % E+ e- / @ ; General AM/PM A/P " "x" \ _ * [ ] [h] [mm] [s] [>=1] [<0] [= [$¥-411] [$-F800] [$-
    [DBNum1] [DBNum2] [DBNum3] [Red] y yyyy m mmm mmmmm d ddd h ss .000 g ggg e ee r rr aaa b bb 16 1 年 ! G/標準 - 😀
"""


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(st.lists(st.sampled_from(_PIECES.split()), max_size=14).map("".join), st.text(max_size=40)),
    st.floats(),
    st.sampled_from(["ja-JP", "en-US", "zh-TW", "ko", "xx", ""]),
    st.booleans(),
)
def test_no_code_and_no_number_makes_it_raise(code: str, value: float, locale: str, date1904: bool) -> None:
    compiled = compile_format(code, locale, date1904)
    text = show_number(compiled, value)
    assert isinstance(text, str)
    raw_number(compiled, value, text, date1904)
    if compiled.text:
        assert isinstance(compiled.text("x"), str)


def test_a_huge_code_is_cut() -> None:
    assert len(shown("0" * 100_000, 1)) == 1000
    assert shown("[" * 5000, 1)[:1] in "-["
