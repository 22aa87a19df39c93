"""The encoding rules of extraction.md section 5; expected texts are those the bytes were made from by Python's codecs."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tebunko.extract.text.encoding import SAMPLE_BYTES, decode_text
from tebunko.model.errors import ExtractError, Reason

PROSE = (
    "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。",
    "お世話になっております。先日ご依頼いただきました見積書を添付いたしますので、ご確認ください。",
    "サーバー障害の原因を調査した結果、メモリー不足によりプロセスが停止していたことが判明しました。",
    "売上高は前年同期比12.5％増の1,234百万円となりました。",
)
NAMES = ("佐藤 太郎", "鈴木　花子", "渡辺ひろし", "佐々木マリ", "小林 さくら", "山口直樹")
CODE = (
    "// 初期化処理を行う",
    "int main(int argc, char **argv) {",
    'printf("エラーが発生しました: %d\\n", code);',
    "SELECT 氏名, 住所 FROM 顧客マスタ WHERE 削除フラグ = 0;",
    "# 設定値の読み込み C:\\temp\\資料~1.txt",
)
CSV = (
    "00123,佐藤太郎,ｻﾄｳ ﾀﾛｳ,東京都港区",
    "00124,渡辺花子,ﾜﾀﾅﾍﾞ ﾊﾅｺ,あきる野市",
    "00125,小林健太,ｺﾊﾞﾔｼ ｹﾝﾀ,ｶ)ｻﾝﾌﾟﾙ",
)
ENCODINGS = {
    "utf-8": "utf-8",
    "utf-8-sig": "utf-8-sig",
    "utf-16": "utf-16",
    "utf-16-be with mark": "utf-16-be",
    "utf-16-le": "utf-16-le",
    "utf-16-be": "utf-16-be",
    "cp932": "cp932",
    "euc_jp": "euc_jp",
    "iso2022_jp": "iso2022_jp_ext",
}


def encode(text: str, encoding: str) -> bytes:
    return ("\ufeff" if encoding.endswith("with mark") else "").encode("utf-16-be") + text.encode(ENCODINGS[encoding])


def refusal(data: bytes) -> ExtractError:
    with pytest.raises(ExtractError) as caught:
        decode_text(data)
    return caught.value


ends = st.sampled_from(["\n", "\r\n"])


@pytest.mark.parametrize("encoding", [name for name in ENCODINGS if name not in ("utf-16-le", "utf-16-be")])
@given(st.sampled_from(PROSE), st.lists(st.sampled_from(PROSE + CODE + CSV + NAMES), min_size=3, max_size=40), ends)
def test_japanese_text_is_read_in_every_encoding(encoding: str, first: str, chosen: list[str], end: str) -> None:
    text = end.join([first, *chosen])
    assert decode_text(encode(text, encoding)) == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@given(st.lists(st.sampled_from(PROSE), min_size=1, max_size=40), ends)
def test_utf_16_without_mark_by_its_kana(encoding: str, chosen: list[str], end: str) -> None:
    text = end.join(chosen)
    assert decode_text(encode(text, encoding)) == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@given(st.lists(st.sampled_from(CODE), max_size=20), ends)
def test_utf_16_without_mark_by_its_nuls(encoding: str, chosen: list[str], end: str) -> None:
    text = end.join(["x" * 400, *chosen])
    assert decode_text(encode(text, encoding)) == text


@pytest.mark.parametrize("encoding", ["utf-8", "cp932", "euc_jp", "iso2022_jp"])
@pytest.mark.parametrize("kind", [PROSE, CODE, CSV, NAMES], ids=["prose", "code", "csv", "names"])
def test_each_kind_of_text_alone(kind: tuple[str, ...], encoding: str) -> None:
    text = "\r\n".join(kind * 3)
    assert decode_text(encode(text, encoding)) == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp932", "euc_jp", "iso2022_jp"])
@given(st.integers(0, 40))
def test_a_cut_text_is_read_up_to_its_last_whole_character(encoding: str, cut: int) -> None:
    text = "".join(PROSE)
    data = encode(text, encoding)
    got = decode_text(data[: len(data) - cut])
    assert text.startswith(got)
    assert len(encode(text[: len(got) + 1], encoding)) > len(data) - cut - 6


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "cp932", "euc_jp", "iso2022_jp"])
@pytest.mark.parametrize("shift", range(4))
def test_a_character_across_the_end_of_the_sample(encoding: str, shift: int) -> None:
    text = "a" * shift + "これは長い文章です。ﾃｽﾄ\n" * (SAMPLE_BYTES // 20)
    assert decode_text(encode(text, encoding)) == text


def test_a_surrogate_pair_across_the_end_of_the_sample() -> None:
    text = "あ" * (SAMPLE_BYTES // 2 - 1) + "𠮷野家のカナ"
    assert decode_text(text.encode("utf-16-le")) == text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"\xef\xbb\xbf", ""),
        (b"\xff\xfe", ""),
        (b"plain ASCII ~ \\ only", "plain ASCII ~ \\ only"),
        (b"\x1b[31mred\x1b(B\x1b[m", "\x1b[31mred\x1b(B\x1b[m"),
        ("①②㈱№髙﨑纊犾".encode("cp932") + b"\x82\xa0", "①②㈱№髙﨑纊犾あ"),
        (b"\x82\xa0~\\", "あ~\\"),
        (b"\x8f\xb0\xa1\xa4\xa2\xa4\xa4", "丂あい"),
        (b"\xa4\xa2\xad\xa1\xad\xea\xfc\xe2", "あ①㈱髙"),
        (b'\x1b$B$"-!\x1b(B~\\', "あ①~\\"),
        (b'\x1b$@$"\x1b(J\\~', "あ¥‾"),
        (b'\x1b$(D0!\x1b$B$"\x1b(B', "丂あ"),
        (b"\x1b(ICF\x1b(B", "ﾃﾆ"),
        (b'\x1b$B$"\nabc', "あ\nabc"),
        (b'\x1b$B$"\x1b$', "あ"),
    ],
)
def test_known_bytes(data: bytes, text: str) -> None:
    assert decode_text(data) == text


@pytest.mark.parametrize(
    "data",
    [
        "テキスト".encode("utf-32"),
        "text".encode("utf-32-be").join([b"\0\0\xfe\xff", b""]),
        b"abc\0def" * 20,
        bytes(range(256)) * 4,
        "中国的文本，没有假名。数据库连接设置。".encode("gbk"),
        "한국어 문장입니다. 데이터베이스 연결 설정을 변경.".encode("euc_kr"),
        "L'élève déjà passé préféra l'école".encode("cp1252"),
        "Über die Straße gehen schöne Mädchen".encode("cp1252"),
        "Договор заключён между сторонами".encode("koi8-r"),
        "Договор заключён между сторонами".encode("cp1251"),
        b"\x82\xa0\x01\x82\xa2",
        b'\x1b$B$"$\x1b(B broken',
        "これはUTF-8です。".encode() + "そしてシフトJISです。".encode("cp932"),
        "漢字だけ".encode("cp932") + "ﾃｽﾄﾃﾞｰﾀ".encode("euc_jp"),
        b"\xf0\x40\x82\xa0",
        b"\xff\xfe" + b"\x00\xd8" * 50,
        b"\xef\xbb\xbf" + "これは違う文字コードの文章です。".encode("cp932") * 5,
        "東京 京都 大阪 会社 取引 銀行".encode("euc_jp"),
    ],
)
def test_what_is_undecided_is_refused(data: bytes) -> None:
    error = refusal(data)
    assert error.reason is Reason.NOT_TEXT
    assert error.detail


@pytest.mark.parametrize("text", ["ﾃｽﾄ ﾃﾞｰﾀ", "ｶﾌﾞｼｷｶﾞｲｼｬ ｻﾝﾌﾟﾙ", "ﾔﾏﾀﾞ ﾀﾛｳ,ｽｽﾞｷ ﾊﾅｺ", "ｳﾞｧｲｵﾘﾝ"])
@pytest.mark.parametrize("encoding", ["cp932", "euc_jp"])
def test_half_width_kana_alone(text: str, encoding: str) -> None:
    assert decode_text(text.encode(encoding)) == text


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=200))
@example("a0b0c0d0e0f0A0B0C0")
@example("0a0b0c0d")
def test_ascii_is_itself(text: str) -> None:
    assert decode_text(text.encode()) == text


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=200))
def test_a_mark_is_believed(text: str) -> None:
    if "\ufffd" in text or "\ufffe" in text or "\uffff" in text or text.startswith("\ufeff"):
        return
    assert decode_text(b"\xef\xbb\xbf" + text.encode()) == text
    assert decode_text(b"\xfe\xff" + text.encode("utf-16-be")) == text


@given(st.binary(max_size=400))
def test_any_bytes_give_a_text_or_a_refusal(data: bytes) -> None:
    try:
        text = decode_text(data)
    except ExtractError as error:
        assert error.reason is Reason.NOT_TEXT
    else:
        text.encode()


@given(st.binary(min_size=1, max_size=60), st.sampled_from([b"\x1b$B", b"\x1b(I", b"\x1b$(D", b"\x1b$(Q", b"\x1b(J"]))
def test_broken_escapes_are_no_crash(data: bytes, escape: bytes) -> None:
    try:
        decode_text(escape + bytes(b & 0x7F for b in data))
    except ExtractError as error:
        assert error.reason is Reason.NOT_TEXT


def test_random_binary_is_refused() -> None:
    dice = random.Random(1)
    assert all(refusal(dice.randbytes(200)) for _ in range(200))


def test_few_flaws_after_a_mark_are_marked() -> None:
    text = "長い文章です。" * 40
    data = b"\xff\xfe" + text.encode("utf-16-le") + b"\x00\xd8" + "終".encode("utf-16-le")
    assert decode_text(data) == text + "\ufffd終"
