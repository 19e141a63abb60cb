"""JupyterLab as the course wants it: its files in `.course/`, no questions, ended by one Ctrl-C.

JupyterLab runs in this process, so that what the process holds (the graph server) lives as long as the lab,
and a signal reaches the one process that there is.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from course_lib.errors import CourseError
from course_lib.lab.files import write_whole
from course_lib.lab.kernel_start import STARTUP
from course_lib.settings import Settings

FIRST_PORT = 8888
PORTS_TO_TRY = 50
LAB_PORT = "COURSE_LAB_PORT"
"""The environment variable by which kernels and terminals of a lab know that they are in one, and where."""
NOT_TRUSTED = "is not trusted"
"""Jupyter logs this of every notebook that nobody has run and saved yet, each time it is opened."""


CONFIGURATION: Mapping[str, Mapping[str, object]] = {
    "labconfig/page_config.json": {
        "buildAvailable": False,
        "buildCheck": False,
        "disabledExtensions": {"@jupyterlab/lsp-extension": True},
    },
    # Else it asks at the first start whether to fetch news, whatever LabApp.news_url says.
    "labconfig/default_setting_overrides.json": {
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
        # Two minutes, the usual interval, lose a solved exercise when the lab or the browser is closed.
        "@jupyterlab/docmanager-extension:plugin": {"autosave": True, "autosaveInterval": 10},
    },
    # It looks for language servers at every start: half a second, and npm leaves a log in the home folder.
    "jupyter_server_config.d/course.json": {"ServerApp": {"jpserver_extensions": {"jupyter_lsp": False}}},
}
"""Settings that JupyterLab takes from files only: file in its configuration folder -> content."""


class NoPortError(CourseError):
    """No port near the wanted one is free."""


def jupyter_variables(home: Path) -> Mapping[str, str]:
    """Environment variables that keep Jupyter's and IPython's files in the course folder.

    The kernel named python3 is not among them: Jupyter finds it in `sys.prefix`, wherever these point.
    """
    folder = home / "jupyter"
    return {
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
        # The course's settings go before those that packages brought into the environment.
        "JUPYTER_PREFER_ENV_PATH": "0",
    }


def move_in(settings: Settings) -> None:
    """Points this process, JupyterLab and its kernels at the course's own folders and environment."""
    os.environ.update(jupyter_variables(settings.home))
    for name in ("JUPYTER_CONFIG_PATH", "JUPYTER_PATH"):
        # Other people's kernels may be called python3 too, and their extensions ask for servers of their own.
        os.environ.pop(name, None)
    if sys.prefix != sys.base_prefix:
        # As in an activated environment: `!pip`, `%pip` and `!course` in a notebook mean the ones in here.
        scripts = str(Path(sys.executable).parent)
        paths = os.environ.get("PATH", os.defpath).split(os.pathsep)
        os.environ["PATH"] = os.pathsep.join([scripts, *(path for path in paths if path != scripts)])
        os.environ["VIRTUAL_ENV"] = sys.prefix
    for name, content in CONFIGURATION.items():
        text = json.dumps(content, indent=1) + "\n"
        write_whole(settings.home / "jupyter" / "config" / name, text.encode("utf-8"))
    startup = settings.home / "ipython" / "profile_default" / "startup" / "00-course.py"
    write_whole(startup, STARTUP.encode("utf-8"))


def free_port(wanted: int, ip: str = "127.0.0.1") -> int:
    """The wanted port if nobody has it, else the next one that is free.

    Raises:
        NoPortError: the next fifty are taken too.
    """
    for port in range(wanted, min(wanted + PORTS_TO_TRY, 65536)):
        if is_free(port, ip):
            return port
    raise NoPortError(
        f"Ports {wanted} to {min(wanted + PORTS_TO_TRY, 65536) - 1} are all in use.",
        "Close programs that you do not need, or name another port with --port.",
    )


def is_free(port: int, ip: str = "127.0.0.1") -> bool:
    """Whether a server could listen on a port of this machine."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as probe:
        if os.name == "posix":  # elsewhere the option lets two servers share a port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ip, port))
        except OSError:
            return False
    return True


def lab_arguments(
    settings: Settings, *, port: int, ip: str, browser: bool, token: str, opening: str
) -> list[str]:
    """JupyterLab's command line.

    Args:
        settings: where the course is.
        port: the port to listen on.
        ip: the address to listen on.
        browser: whether to open a browser.
        token: what a browser has to show to be let in.
        opening: the path in JupyterLab that opens first, such as '/lab/tree/00_start_here.ipynb'.
    """
    arguments = [
        f"--ServerApp.root_dir={settings.work}",
        f"--ServerApp.ip={ip}",
        f"--ServerApp.port={port}",
        f"--ServerApp.open_browser={browser}",
        f"--LabApp.default_url={opening}",
        f"--IdentityProvider.token={token}",
        "--ServerApp.log_level=WARN",
        "--LabApp.log_level=WARN",
        "--ServerApp.terminals_enabled=True",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--ServerApp.allow_root=True")
    return arguments


def run_lab(
    settings: Settings,
    *,
    port: int,
    ip: str,
    browser: bool,
    lesson: str | None,
    announce: Callable[[str], None],
) -> None:
    """Runs JupyterLab until somebody ends it.

    Args:
        settings: where the course is.
        port: the port to listen on.
        ip: the address to listen on.
        browser: whether to open a browser.
        lesson: the notebook in the learner's folder to open first.
        announce: called with the address, token included, once the server listens.
    """
    move_in(settings)
    opening = f"/lab/tree/{quote(lesson)}" if lesson else "/lab"
    token = secrets.token_hex(24)
    arguments = lab_arguments(settings, port=port, ip=ip, browser=browser, token=token, opening=opening)

    import zmq
    from jupyterlab.labapp import LabApp

    if zmq.has("curve"):
        # Else each kernel warns that others on this machine could listen in, and on a shared one they could.
        arguments.append("--KernelManager.transport_encryption=auto")

    os.environ[LAB_PORT] = str(port)
    server = LabApp.initialize_server(argv=arguments)
    # True of all our copies when they are new, and nothing that anybody has to do something about.
    for handler in server.log.handlers:
        handler.addFilter(lambda record: NOT_TRUSTED not in record.getMessage())
    shown = "127.0.0.1" if ip in ("0.0.0.0", "") else ip  # noqa: S104  # compared, not listened on
    # The server begins to listen by a call that waits in its loop already; this one comes after it.
    server.io_loop.add_callback(announce, f"http://{shown}:{server.port}{opening}?token={token}")
    _end_on_signals(server)
    server.start()


def _end_on_signals(server: Any) -> None:
    """Lets one Ctrl-C, a closed terminal window or a `kill` end the server in good order, kernels first.

    Jupyter's own handler asks a question, and where there is no terminal it sets none at all: Ctrl-C then
    breaks into whatever runs, and now and then gets lost in it.
    """

    def end(number: int, frame: object) -> None:
        server.stop(from_signal=True)

    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)
