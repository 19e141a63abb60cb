"""Everything that can be set, in one typed place.

A value is looked up in this order: the process environment, the `.env` file in the course folder, the choice
that `course model` saved in `.course/choices.json`, the default. Nothing else in the course reads
`os.environ` for a setting.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from course_lib.errors import SettingError

KEY_NAMES: Mapping[str, str] = {
    "gemini": "GEMINI_API_KEY",
    "groq": "GROQ_API_KEY",
    "mistral": "MISTRAL_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "local": "COURSE_LOCAL_KEY",
}
"""Provider name -> the environment variable that holds its key."""

MODEL_PROVIDERS: tuple[str, ...] = ("gemini", "groq", "groq-small", "mistral", "openrouter", "anthropic")
"""Providers with a `COURSE_<PROVIDER>_MODEL` and `COURSE_<PROVIDER>_URL`; `groq-small` shares Groq's key."""


GRAPH_STORES: tuple[str, ...] = ("kuzu", "ladybug")
"""The engines that can hold the bakery's graph memory; the first is the default."""


def provider_variable(provider: str, what: str) -> str:
    """The environment variable for one thing of one provider, such as `COURSE_GROQ_SMALL_MODEL`."""
    return f"COURSE_{provider.upper().replace('-', '_')}_{what}"


class Secret:
    """A value that must never be shown: `repr`, `str` and formatting give stars, and it is not pickled.

    No dataclass: `dataclasses.asdict` takes those apart and shows what is in them.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value itself. Call it only where it goes onto the wire."""
        return self._value

    def __repr__(self) -> str:
        return "Secret('***')"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: object) -> Secret:
        return self

    def __reduce__(self) -> NoReturn:
        # A pickle is a file with the value in plain sight; other processes read it from the environment.
        raise TypeError("A secret is not pickled: the other process reads it from its own environment.")


@dataclass(frozen=True)
class Settings:
    """The course's settings, read once by `load_settings`."""

    root: Path
    """The course folder: the one that holds `course.py`, `data/` and `solutions/`."""
    home: Path
    """Where the course keeps its own files (`COURSE_DIR`, default `.course/` in the course folder)."""
    work: Path
    """The learner's copies of the notebooks (`COURSE_WORK`, default `work/`)."""
    falkordb_url: Secret | None = None
    """`FALKORDB_URL`: a FalkorDB server to use in place of the embedded one. May hold a password."""
    reads_as_owner: bool = False
    """`COURSE_READS_AS_OWNER=1`: with a `FALKORDB_URL` whose user may not make other users, read as that
    user. The engine still refuses writes sent as reads, but the second wall, a user who cannot write, is
    missing."""
    query_timeout_ms: int = 5_000
    """`COURSE_QUERY_TIMEOUT_MS`: how long one graph query may run, in milliseconds."""
    model: str = "practice"
    """`COURSE_MODEL`: `practice` (default), `auto` (every provider with a key, in order), or a provider's
    name, or `provider:model`, or `replay:FILE` (replies that `course eval --save` kept)."""
    local_url: Secret | None = None
    """`COURSE_LOCAL_URL`: an OpenAI-compatible server such as Ollama's `http://127.0.0.1:11434/v1`. May hold
    a user and a password."""
    local_model: str | None = None
    """`COURSE_LOCAL_MODEL`: the model name to ask that server for."""
    base_urls: Mapping[str, Secret] = field(default_factory=dict)
    """`COURSE_<PROVIDER>_URL`: another endpoint for a provider (tests, proxies). May hold a user and a
    password, like `local_url`."""
    model_names: Mapping[str, str] = field(default_factory=dict)
    """`COURSE_<PROVIDER>_MODEL`: another model name for a provider."""
    keys: Mapping[str, Secret] = field(default_factory=dict)
    """Provider name -> key, for those that are set and not empty."""
    practice_faults: str | None = None
    """`COURSE_PRACTICE_FAULTS`: what the practice model gets wrong, for processes that have no handle on it:
    `everyday`, `stumbling`, or `fences=0.2, rate_minute=0.05, seed=7`. Nothing by default."""
    graph_store: str = "kuzu"
    """`COURSE_GRAPH_STORE`: the engine of the bakery's graph memory, `kuzu` (default) or `ladybug`."""
    building: bool = False
    """`COURSE_BUILD=1`: notebooks are being built or tested, so outputs are small and the same everywhere."""


def project_root() -> Path:
    """The course folder, from where this file lies (the package is always installed in place)."""
    return Path(__file__).resolve().parent.parent


def _read_dotenv(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    from dotenv import dotenv_values

    return {k: v for k, v in dotenv_values(path, interpolate=False).items() if v is not None}


def _read_choices(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise SettingError(
            f"The saved choices in {path.name} cannot be read.",
            "Delete that file and run `course model` again.",
        ) from error
    if not isinstance(found, dict):
        raise SettingError(
            f"The saved choices in {path.name} are not a JSON object.",
            "Delete that file and run `course model` again.",
        )
    return {str(k): str(v) for k, v in found.items()}


def _positive_int(name: str, text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value <= 0:
        raise SettingError(
            f"{name} is {text!r}, which is not a whole number above 0.", f"Set {name} to one, or unset it."
        )
    return value


def _one_of(name: str, text: str | None, choices: tuple[str, ...]) -> str:
    """The choice that a setting names, the first one when it is not set."""
    if text is None:
        return choices[0]
    if text.lower() not in choices:
        raise SettingError(
            f"{name} is {text!r}, which is none of: {', '.join(choices)}.", f"Set {name} to one, or unset it."
        )
    return text.lower()


def load_settings(environ: Mapping[str, str] | None = None, root: Path | None = None) -> Settings:
    """Reads the settings from the environment, `.env` and the saved choices.

    Args:
        environ: the environment to read; `os.environ` when None.
        root: the course folder; the one this package lies in when None.

    Raises:
        SettingError: a value cannot be used; the message names the variable and what to set.
    """
    root = (root or project_root()).resolve()
    env = dict(os.environ if environ is None else environ)
    dotenv = _read_dotenv(root / ".env")
    home = Path(env.get("COURSE_DIR") or dotenv.get("COURSE_DIR") or root / ".course").expanduser().resolve()
    choices = _read_choices(home / "choices.json")

    def get(name: str) -> str | None:
        for source in (env, dotenv, choices):
            value = source.get(name, "").strip()
            if value:
                return value
        return None

    url = get("FALKORDB_URL")
    local_url = get("COURSE_LOCAL_URL")
    work = get("COURSE_WORK")
    timeout = get("COURSE_QUERY_TIMEOUT_MS")
    return Settings(
        root=root,
        home=home,
        work=Path(work).expanduser().resolve() if work else root / "work",
        falkordb_url=Secret(url) if url else None,
        reads_as_owner=get("COURSE_READS_AS_OWNER") == "1",
        query_timeout_ms=_positive_int("COURSE_QUERY_TIMEOUT_MS", timeout)
        if timeout
        else Settings.query_timeout_ms,
        model=get("COURSE_MODEL") or Settings.model,
        local_url=Secret(local_url) if local_url else None,
        local_model=get("COURSE_LOCAL_MODEL"),
        base_urls={p: Secret(u) for p in MODEL_PROVIDERS if (u := get(provider_variable(p, "URL")))},
        model_names={p: m for p in MODEL_PROVIDERS if (m := get(provider_variable(p, "MODEL")))},
        keys={p: Secret(k) for p, n in KEY_NAMES.items() if (k := get(n))},
        practice_faults=get("COURSE_PRACTICE_FAULTS"),
        graph_store=_one_of("COURSE_GRAPH_STORE", get("COURSE_GRAPH_STORE"), GRAPH_STORES),
        building=get("COURSE_BUILD") == "1",
    )
