"""Files that people read and other programs load: they have to say what is true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from course_lib import __version__, cli
from course_lib.settings import load_settings, project_root

ROOT = project_root()


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


class TestReadme:
    TEXT = read("README.md")

    def test_it_opens_with_the_two_commands(self) -> None:
        opening = self.TEXT.splitlines()[:6]

        assert [line.split("#")[0].strip() for line in opening if line.startswith("python3")] == [
            "python3 course.py lab",
            "python3 course.py test",
        ]

    def test_every_command_in_it_exists(self) -> None:
        named = set(re.findall(r"(?:course\.py|`course)(?: --wheels \S+)? ([a-z]+)", self.TEXT))

        assert named, "commands are found"
        assert named <= set(cli.COMMANDS)

    @pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
    def test_every_file_that_it_links_to_exists(self, name: str) -> None:
        links = [link for link in re.findall(r"\]\(([^)#]+)\)", read(name)) if "://" not in link]

        missing = [link for link in links if not (ROOT / link).exists()]
        assert not missing

    def test_every_picture_has_a_text(self) -> None:
        assert all(alt.strip() for alt in re.findall(r"!\[(.*?)\]", self.TEXT, re.DOTALL))

    def test_it_is_short(self) -> None:
        assert len(self.TEXT.split()) < 1200


class TestCompose:
    @pytest.fixture
    def compose(self) -> dict[str, Any]:
        loaded: dict[str, Any] = yaml.safe_load(read("docker-compose.yml"))
        return loaded

    def test_images_are_pinned(self, compose: dict[str, Any]) -> None:
        for service in compose["services"].values():
            assert re.search(r":v?\d+\.\d+", service["image"]), service["image"]

    def test_ports_are_this_machine_s_only(self, compose: dict[str, Any]) -> None:
        for service in compose["services"].values():
            assert all(port.startswith("127.0.0.1:") for port in service["ports"])

    def test_the_server_has_a_password_a_volume_and_a_health_check(self, compose: dict[str, Any]) -> None:
        server = compose["services"]["falkordb"]
        arguments = server["environment"]["REDIS_ARGS"]

        assert "--requirepass ${COURSE_FALKORDB_PASSWORD:?" in arguments, "starting without one is refused"
        assert "--appendonly yes" in arguments
        assert f"falkordb-data:{server['environment']['FALKORDB_DATA_PATH']}" in server["volumes"]
        assert "ping" in server["healthcheck"]["test"][-1]
        assert "PASSWORD" not in str(server["healthcheck"]["test"]), "nobody sees it in a process list"

    def test_it_says_that_nobody_has_run_it(self) -> None:
        assert "Not run yet" in read("docker-compose.yml")


@pytest.mark.parametrize(
    ("schema", "name"),
    [("vendor.compose-spec", "docker-compose.yml"), ("vendor.citation-file-format", "CITATION.cff")],
)
def test_it_fits_its_schema(schema: str, name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, name],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_versions_agree() -> None:
    import tomllib

    assert tomllib.loads(read("pyproject.toml"))["project"]["version"] == __version__
    assert yaml.safe_load(read("CITATION.cff"))["version"] == __version__


class TestEnvExample:
    def test_as_it_comes_it_sets_nothing(self, tmp_path: Path) -> None:
        (tmp_path / ".env").write_text(read(".env.example"))
        plain = load_settings(environ={}, root=tmp_path)
        (tmp_path / ".env").unlink()

        assert plain == load_settings(environ={}, root=tmp_path)

    def test_every_setting_in_it_is_read(self) -> None:
        sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "course_lib").glob("*.py"))
        sources += read("docker-compose.yml")
        names = re.findall(r"^#([A-Z_]+)=", read(".env.example"), re.MULTILINE)

        assert len(names) > 8
        for name in names:
            assert name in sources, f"nothing reads {name}"


def test_no_package_index_is_named_in_what_git_tracks() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this copy of the course is no git clone")
    host = ".".join(("pypi", "org"))
    files = ".".join(("files", "pythonhosted", "org"))
    naming = [
        name
        for name in filter(None, listed.stdout.split("\0"))
        if (ROOT / name).is_file() and any(h.encode() in (ROOT / name).read_bytes() for h in (host, files))
    ]
    assert not naming
