"""The contract of the command line (cli.md): outputs with --json, exit codes, what goes where."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.cli.conftest import Shell

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


def test_the_main_job(shell: Shell) -> None:
    shell.write("memo.txt", "会議は 10:30 から\n場所は本社\n")
    shell.write("2024/一覧.csv", "品名,単価\nりんご,100\n")

    assert shell.run("index", "add", str(shell.documents)) == "資料\n"
    *progress, summary = shell.lines("update", "--yes", "--json")

    assert {p["type"] for p in progress} == {"progress", "plan"}
    assert summary["type"] == "summary"
    counts = {
        k: summary[k] for k in ("done", "failed", "postponed", "removed", "kept_missing", "cloud_only", "skipped")
    }
    assert counts == {
        "done": 2,
        "failed": 0,
        "postponed": 0,
        "removed": 0,
        "kept_missing": 0,
        "cloud_only": 0,
        "skipped": 0,
    }
    hit, total = shell.lines("search", "10:30", "--json")
    assert hit == {
        "type": "hit",
        "index": "資料",
        "file": "memo.txt",
        "path": str(shell.documents / "memo.txt"),
        "place": "本文",
        "kind": "body",
        "line": 1,
        "cell": None,
        "locator": "資料/memo.txt#本文:1",
        "by_value": False,
        "as_of": None,
        "text": "会議は 10:30 から",
        "spans": [[4, 9]],
    }
    assert (total["type"], total["hits"], total["files"], total["truncated"]) == ("summary", 1, 1, False)
    assert set(total) == {
        "type", "hits", "files", "searched_bytes", "candidate_files", "skipped", "coverage", "seconds", "truncated",
    }  # fmt: skip
    expected = {"files", "failed", "postponed", "cloud_only", "without_values", "left_out"}
    assert expected <= set(total["coverage"]) and total["coverage"]["files"] == 2


def test_search_speaks_grep(shell: Shell) -> None:
    shell.write("a.txt", "りんご\nみかん\nりんごの木\n")
    shell.write("b.txt", "ぶどう\n")
    shell.run("index", "add", str(shell.documents))
    shell.run("update", "--yes")

    assert shell.run("search", "りんご") == "資料/a.txt:本文:1:りんご\n資料/a.txt:本文:3:りんごの木\n"
    assert shell.run("search", "りんご", "--files") == "資料/a.txt\n"
    assert shell.run("search", "りんご", "--files-without-match") == "資料/b.txt\n"
    assert shell.run("search", "りんご", "--count") == "資料/a.txt:2\n"
    assert shell.lines("search", "りんご", "--count", "--json")[0] == {
        "type": "count", "index": "資料", "file": "a.txt", "hits": 2,
    }  # fmt: skip
    assert shell.lines("search", "name:b.txt", "--json")[0] == {
        "type": "file", "index": "資料", "file": "b.txt", "path": str(shell.documents / "b.txt"),
    }  # fmt: skip
    context = shell.lines("search", "みかん", "--context", "1", "--json")[0]
    assert (context["before"], context["after"]) == (["りんご"], ["りんごの木"])
    limited = shell.lines("search", "りんご", "--limit", "1", "--json")
    assert len(limited) == 2 and limited[-1]["truncated"] is True


def test_search_beyond_grep(shell: Shell) -> None:
    shell.write("a.txt", "渡邊様 ㈱ﾀﾞｲﾔ\n請求\n書の件\n")
    shell.run("index", "add", str(shell.documents))
    shell.run("update", "--yes")

    hit, summary = shell.lines("search", "渡辺", "--forgiving", "--json")
    assert (hit["line"], hit["spans"], hit["by_value"]) == (1, [[0, 2]], False)
    assert summary["coverage"]["updated"][0]["index"] == "資料" and summary["coverage"]["updated"][0]["last_update"]
    assert (summary["coverage"]["without_values"], summary["coverage"]["stale"]) == (0, 0)
    hit, _ = shell.lines("search", "請求書", "--across", "--json")
    assert (hit["locator"], hit["spans"]) == ("資料/a.txt#本文:2", [[0, 2]])
    shell.run("search", "渡辺", code=1)
    shell.run("search", "a", "--regex", "--forgiving", code=2)
    terms = shell.write("語.txt", "ダイヤ\n無い語\n")
    rows = shell.lines("search", "--terms", str(terms), "--forgiving", "--json")
    assert rows[0] == {"type": "terms", "index": "資料", "file": "a.txt", "hits": {"ダイヤ": 1}}


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.txt", b"\xef\xbb\xbf\xe3\x80\x90"), ("a.csv", b"\xef\xbb\xbf"), ("a.xlsx", b"PK"), ("a.html", b"<!DOCTYPE")],
)
def test_search_writes_files(shell: Shell, name: str, start: bytes) -> None:
    shell.write("a.txt", "りんご\n")
    shell.run("index", "add", str(shell.documents))
    shell.run("update", "--yes")
    out = shell.root / name
    assert shell.run("search", "りんご", "--out", str(out)) == f"1 hits were written to “{out}”.\n"
    assert out.read_bytes().startswith(start)
    shell.run("search", "無い語", "--out", str(out), code=1)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("search", "りんご"), 0),
        (("search", "無い語"), 1),
        (("search", "(", "--regex"), 2),
        (("search", "りんご", "--in", "無い"), 2),
        (("search", "りんご", "--nonsense"), 64),
        (("search", "りんご", "--limit", "0"), 64),
        (("nonsense",), 64),
        ((), 64),
        (("index", "remove", "無い"), 1),
        (("index", "add", "/no/such/folder"), 1),
        (("update", "無い"), 1),
        (("failures", "無い"), 1),
        (("status",), 0),
        (("--version",), 0),
        (("--help",), 0),
        (("cat", "/no/such/file.txt"), 1),
    ],
)
def test_exit_codes(shell: Shell, arguments: tuple[str, ...], code: int) -> None:
    shell.write("a.txt", "りんご\n")
    shell.run("index", "add", str(shell.documents))
    shell.run("update", "--yes")
    done = shell.result(*arguments)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr == "" if code == 0 else done.stderr != "" or code == 1


def test_a_failed_file_is_no_failed_update(shell: Shell) -> None:
    shell.write("bad.docx", b"PK\x03\x04 broken")
    shell.run("index", "add", str(shell.documents))
    shell.run("update", "--yes", code=0)
    (failure,) = shell.lines("failures", "--json")[0]
    assert failure.items() >= {"index": "資料", "file": "bad.docx", "state": "failed", "reason": "damaged"}.items()
    assert shell.run("failures").startswith("資料/bad.docx: It is damaged")
    assert "壊れている" in shell.run("failures", "--lang", "ja")


def test_index_commands(shell: Shell) -> None:
    shell.write("a.txt", "りんご\n")
    shell.run("index", "add", str(shell.documents), "--name", "営業")
    shell.run("update", "--yes")
    (entry,) = shell.lines("index", "list", "--json")[0]
    assert entry["name"] == "営業" and entry["folder"] == str(shell.documents) and entry["state"] == "current"
    (status,) = shell.lines("status", "--json")[0]
    assert status["done"] == 1 and status["size"] > 0 and status["last_update"]

    shell.run("index", "rename", "営業", "営業部")
    assert shell.run("search", "りんご", "--files") == "営業部/a.txt\n"
    shell.run("index", "disable", "営業部")
    shell.run("update", "--yes", code=1)
    assert shell.run("search", "りんご", "--files") == "営業部/a.txt\n"
    shell.run("index", "enable", "営業部")
    assert shell.lines("update", "--yes", "--json")[-1]["done"] == 0

    moved = shell.root / "moved"
    shell.documents.rename(moved)
    shell.run("index", "move", "営業部", str(moved))
    assert shell.lines("update", "--yes", "--json")[-1]["done"] == 0
    assert shell.lines("search", "りんご", "--json")[0]["path"] == str(moved / "a.txt")
    shell.run("index", "add", str(moved), code=1)

    shell.run("index", "remove", "営業部")
    assert shell.lines("index", "list", "--json") == [[]]
    shell.run("search", "りんご", code=1)
    assert (moved / "a.txt").read_text("utf-8") == "りんご\n"


def test_cat(shell: Shell) -> None:
    good = shell.write("a.txt", "一\n\n二\n")
    bad = shell.write("bad.xlsx", b"PK\x03\x04 broken")
    found = shell.lines("cat", "--json", str(good), str(bad), str(good), code=1)
    place = {"file": str(good), "place": "本文", "kind": "body", "lines": ["一", "", "二"]}
    assert found[0] == place and found[2] == place
    assert found[1]["file"] == str(bad) and found[1]["reason"] == "damaged" and found[1]["error"]
    assert "\n一\n\n二\n" in shell.run("cat", str(good))
    assert not (shell.root / "workspace").exists()


def test_json_is_utf8_whatever_the_locale(shell: Shell) -> None:
    shell.write("日本.txt", "漢字 \u2028 \x85 絵文字😀\n")
    shell.run("index", "add", str(shell.documents))
    shell.run("update", "--yes")
    shell.environment |= {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    assert shell.lines("search", "絵文字", "--json")[0]["text"] == "漢字 \u2028 \x85 絵文字😀"


def test_messages_speak_the_language(shell: Shell) -> None:
    shell.run("index", "add", str(shell.documents))
    english = shell.run("update", "--yes")
    shell.environment["LC_ALL"] = "ja_JP.UTF-8"
    assert "Nothing to read" in english
    assert "取り込みが必要なファイルはありません" in shell.run("update", "--yes")
    assert "使い方" in shell.run("--help")


def test_a_closed_pipe_is_no_error(shell: Shell) -> None:
    shell.write("a.txt", "りんご りんご\n" * 200_000)
    shell.run("index", "add", str(shell.documents))
    shell.run("update", "--yes")
    search = subprocess.Popen(
        shell.command("search", "りんご"), env=shell.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert search.stdout is not None and search.stderr is not None
    search.stdout.readline()
    search.stdout.close()
    errors = search.stderr.read()
    search.stderr.close()
    assert (search.wait(), errors) == (0, b"")


@posix
def test_ctrl_c_ends_an_update_cleanly(shell: Shell) -> None:
    for number in range(400):
        shell.write(f"d{number}/f.txt", f"本文 {number}\n" * 2000)
    shell.run("index", "add", str(shell.documents))
    update = subprocess.Popen(
        shell.command("update", "--yes", "--json"),
        env=shell.environment,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert update.stdout is not None
    while b'"ingest"' not in update.stdout.readline():
        pass
    os.killpg(update.pid, signal.SIGINT)
    last = update.stdout.read().strip().split(b"\n")[-1]
    update.stdout.close()
    assert update.wait() == 2
    assert b'"cancelled":true' in last
    rest = shell.lines("update", "--yes", "--json")[-1]
    assert rest["failed"] == 0 and rest["done"] > 0
    assert len(shell.lines("search", "本文", "--files", "--json")) == 401
