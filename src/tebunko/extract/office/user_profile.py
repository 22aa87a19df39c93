"""The settings of the private LibreOffice profile: no macros, nothing fetched, nothing asked, nothing kept.

They are items of ``registrymodifications.xcu``, which is the user layer of LibreOffice's configuration.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import quoteattr

_COMMON = "/org.openoffice.Office.Common"
_UPDATE_CHECK = "/org.openoffice.Office.Jobs/Jobs/org.openoffice.Office.Jobs:Job['UpdateCheck']/Arguments"
_DEAD_PROXY = "127.0.0.1"
_DEAD_PORT = 9

SETTINGS: tuple[tuple[str, str, bool | int | str], ...] = (
    (f"{_COMMON}/Security/Scripting", "DisableMacrosExecution", True),
    (f"{_COMMON}/Security/Scripting", "MacroSecurityLevel", 3),
    (f"{_COMMON}/Security/Scripting", "BlockUntrustedRefererLinks", True),
    (f"{_COMMON}/Security/Scripting", "DisablePythonRuntime", True),
    (f"{_COMMON}/Security/Scripting", "DisableOLEAutomation", True),
    (f"{_COMMON}/Misc", "CrashReport", False),
    (f"{_COMMON}/Misc", "FirstRun", False),
    (f"{_COMMON}/History", "PickListSize", 0),
    (f"{_COMMON}/Save/Document", "CreateBackup", False),
    ("/org.openoffice.Office.Recovery/AutoSave", "Enabled", False),
    ("/org.openoffice.Office.Recovery/RecoveryInfo", "Enabled", False),
    # "Never" is another number in each.
    ("/org.openoffice.Office.Writer/Content/Update", "Link", 0),
    ("/org.openoffice.Office.Calc/Content/Update", "Link", 1),
    ("/org.openoffice.Office.Calc/Formula/Load", "OOXMLRecalcMode", 1),
    ("/org.openoffice.Office.Calc/Formula/Load", "ODFRecalcMode", 1),
    ("/org.openoffice.Office.Java/VirtualMachine", "Enable", False),
    (_UPDATE_CHECK, "AutoCheckEnabled", False),
    ("/org.openoffice.Setup/Office", "ooSetupInstCompleted", True),
    # What the settings above should let through all the same would go to a proxy that does not exist.
    ("/org.openoffice.Inet/Settings", "ooInetProxyType", 2),
    ("/org.openoffice.Inet/Settings", "ooInetNoProxy", ""),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPProxyName", _DEAD_PROXY),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPProxyPort", _DEAD_PORT),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPSProxyName", _DEAD_PROXY),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPSProxyPort", _DEAD_PORT),
    ("/org.openoffice.Inet/Settings", "ooInetFTPProxyName", _DEAD_PROXY),
    ("/org.openoffice.Inet/Settings", "ooInetFTPProxyPort", _DEAD_PORT),
)
"""Path in the configuration, property and value. A property that a version does not know, it ignores.

Not `DisableActiveContent`: with it newer versions refuse documents that embed a chart.
"""


def write_profile(folder: Path, settings: Iterable[tuple[str, str, bool | int | str]] = SETTINGS) -> None:
    """Makes a profile of these settings in ``folder``, for ``-env:UserInstallation``."""
    user = folder / "user"
    user.mkdir(parents=True, exist_ok=True)
    (user / "registrymodifications.xcu").write_text(configuration(settings), "utf-8")


def configuration(settings: Iterable[tuple[str, str, bool | int | str]]) -> str:
    """The text of ``registrymodifications.xcu``.

    >>> print(configuration([("/a.b/C", "D", True)]).split("\\n")[2])
    <item oor:path="/a.b/C"><prop oor:name="D" oor:op="fuse"><value>true</value></prop></item>
    """
    items = "".join(
        f'<item oor:path={quoteattr(path)}><prop oor:name="{name}" oor:op="fuse"><value>{_text(value)}</value></prop></item>\n'
        for path, name, value in settings
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n'
        f"{items}</oor:items>\n"
    )


def _text(value: bool | int | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
