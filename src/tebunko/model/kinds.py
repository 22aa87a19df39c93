"""Which files are taken and what kind each is, by extension alone (ja-target-decision, extraction.md section 5)."""

from __future__ import annotations

from enum import StrEnum


class FileKind(StrEnum):
    """The kind of a source file; the value is what the content file's 「種類」 line holds."""

    EXCEL = "Excel"
    WORD = "Word"
    POWERPOINT = "PowerPoint"
    TEXT = "テキスト"
    PDF = "PDF"


EXCEL_EXTENSIONS = frozenset({".xlsx", ".xlsm", ".xls", ".xlsb"})
WORD_EXTENSIONS = frozenset({".docx", ".docm", ".doc"})
POWERPOINT_EXTENSIONS = frozenset({".pptx", ".pptm", ".ppt"})
PDF_EXTENSIONS = frozenset({".pdf"})

SCRIPT_EXTENSIONS = frozenset({".bat", ".cmd", ".ps1", ".vbs", ".js", ".reg", ".sh"})
"""Text that a double click would run: opened in a plain editor only."""

MACRO_EXTENSIONS = frozenset({".xlsm", ".xlsb", ".xls", ".docm", ".doc", ".pptm", ".ppt"})
"""Office formats that may hold macros."""

TEXT_EXTENSIONS = (
    frozenset(
        "." + e
        for e in [
            "txt",
            "csv",
            "tsv",
            "md",
            "log",
            "json",
            "xml",
            "c",
            "h",
            "cpp",
            "cc",
            "cxx",
            "hpp",
            "cs",
            "java",
            "kt",
            "kts",
            "go",
            "rs",
            "swift",
            "scala",
            "dart",
            "vb",
            "bas",
            "pas",
            "asm",
            "m",
            "r",
            "jl",
            "hs",
            "ex",
            "exs",
            "erl",
            "clj",
            "groovy",
            "lua",
            "py",
            "rb",
            "pl",
            "php",
            "psm1",
            "psd1",
            "jsx",
            "tsx",
            "mjs",
            "vue",
            "sql",
            "yaml",
            "yml",
            "toml",
            "ini",
            "cfg",
            "conf",
            "properties",
            "gradle",
            "cmake",
            "proto",
            "graphql",
            "tf",
            "html",
            "htm",
            "css",
            "scss",
            "less",
            "rst",
            "tex",
            "diff",
            "patch",
        ]
    )
    | SCRIPT_EXTENSIONS
)

_KIND_OF = (
    dict.fromkeys(EXCEL_EXTENSIONS, FileKind.EXCEL)
    | dict.fromkeys(WORD_EXTENSIONS, FileKind.WORD)
    | dict.fromkeys(POWERPOINT_EXTENSIONS, FileKind.POWERPOINT)
    | dict.fromkeys(PDF_EXTENSIONS, FileKind.PDF)
    | dict.fromkeys(TEXT_EXTENSIONS, FileKind.TEXT)
)

ALL_EXTENSIONS = frozenset(_KIND_OF)

EXTRACT_VERSIONS = dict.fromkeys((".xlsx", ".xlsm", ".docx", ".docm", ".doc", ".pptx", ".pptm"), 4) | {".ppt": 2}
"""抽出版 per extension (1 where not named). Raise one whenever its reader gains text: the files are then read again."""


def extension_of(file_name: str) -> str:
    """The lower-case extension with its dot, "" if there is none.

    >>> extension_of("報告書.DOCX"), extension_of(".txt"), extension_of("a.b/c")
    ('.docx', '.txt', '.b/c')
    """
    dot = file_name.rfind(".")
    return file_name[dot:].lower() if dot >= 0 else ""


def kind_of(file_name: str) -> FileKind | None:
    """The kind by extension, None for a file that is never taken.

    >>> kind_of("a.XLSX"), kind_of("a.xltx"), kind_of("a")
    (<FileKind.EXCEL: 'Excel'>, None, None)
    """
    return _KIND_OF.get(extension_of(file_name))


def extract_version(extension: str) -> int:
    """The current 抽出版 of an extension (lower case, with its dot)."""
    return EXTRACT_VERSIONS.get(extension, 1)
