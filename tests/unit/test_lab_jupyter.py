"""How `course lab` sets JupyterLab up. What comes of it is tested on a running one."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from course_lib.lab import jupyter
from course_lib.settings import load_settings


@pytest.fixture
def two_taken_ports() -> Iterator[int]:
    """The first of two neighbouring ports that are in use."""
    for _ in range(50):
        with ExitStack() as held:
            first = held.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
            try:
                held.enter_context(socket.create_server(("127.0.0.1", first + 1)))
            except OSError:
                continue
            yield first
            return
    pytest.skip("no two neighbouring ports are free")


def test_ports_in_use_are_passed_over(two_taken_ports: int) -> None:
    assert not jupyter.is_free(two_taken_ports)
    assert jupyter.free_port(two_taken_ports) >= two_taken_ports + 2


def test_when_all_are_in_use_it_says_what_to_do(
    two_taken_ports: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jupyter, "PORTS_TO_TRY", 2)

    with pytest.raises(jupyter.NoPortError, match="--port"):
        jupyter.free_port(two_taken_ports)


def test_the_last_port_of_all_does_not_break_it() -> None:
    assert jupyter.free_port(65535) == 65535


def test_jupyter_s_files_go_to_the_course_s_folder() -> None:
    variables = jupyter.jupyter_variables(Path("/course/.course"))

    folders = {name: value for name, value in variables.items() if name != "JUPYTER_PREFER_ENV_PATH"}
    assert set(folders) == {
        "JUPYTER_CONFIG_DIR",
        "JUPYTER_DATA_DIR",
        "JUPYTER_RUNTIME_DIR",
        "IPYTHONDIR",
        "JUPYTERLAB_SETTINGS_DIR",
        "JUPYTERLAB_WORKSPACES_DIR",
    }
    assert all(Path(value).is_relative_to("/course/.course") for value in folders.values())


def arguments(**changed: object) -> list[str]:
    chosen: dict[str, object] = {
        "port": 1,
        "ip": "127.0.0.1",
        "browser": False,
        "token": "t",
        "opening": "/lab",
    }
    return jupyter.lab_arguments(load_settings(environ={}), **{**chosen, **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize(("user", "allowed"), [(0, True), (1000, False)])
def test_root_is_allowed_only_when_it_is_root(
    monkeypatch: pytest.MonkeyPatch, user: int, allowed: bool
) -> None:
    monkeypatch.setattr(jupyter.os, "geteuid", lambda: user, raising=False)

    assert ("--ServerApp.allow_root=True" in arguments()) == allowed


def test_only_this_machine_may_come_in_and_with_a_token() -> None:
    given = arguments(token="secret")

    assert "--ServerApp.ip=127.0.0.1" in given
    assert "--IdentityProvider.token=secret" in given
    assert not any("allow_origin" in word or "disable_check_xsrf" in word for word in given)
