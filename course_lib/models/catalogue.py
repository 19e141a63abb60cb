"""The list of providers, read from `providers.toml` and bent by the settings.

Model names, endpoints and prices stand in that file alone. What a learner sets (`COURSE_GROQ_MODEL`,
`COURSE_GROQ_URL`) takes the place of what the file says.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit, urlunsplit

from course_lib.errors import SettingError
from course_lib.models.errors import ModelChoiceError
from course_lib.settings import KEY_NAMES, Secret, Settings, provider_variable

Kind = Literal["anthropic", "groq", "openai-compatible"]

CATALOGUE_FILE = Path(__file__).with_name("providers.toml")


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens."""

    tokens_in: float
    tokens_out: float


@dataclass(frozen=True)
class ProviderInfo:
    """What is known of one provider, without its key."""

    name: str
    title: str
    kind: Kind
    base_url: str
    model: str
    listed_model: str
    """The model that the file names: the price belongs to this one."""
    price: Price
    key_variable: str
    checked: date
    price_note: str = ""
    free_tier: str = ""
    key_page: str = ""
    key_needed: bool = True
    resets: str = "UTC"
    stream_usage: bool = True
    refuses: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    model_setting: str = ""
    """The setting that changes the model, where it is not `COURSE_<PROVIDER>_MODEL`."""
    login: Secret | None = None
    """User and password that stood in the endpoint's address; they go into a header, never into a URL."""

    @property
    def key_name(self) -> str:
        """Under which name `Settings.keys` holds this provider's key."""
        return next(name for name, variable in KEY_NAMES.items() if variable == self.key_variable)

    @property
    def model_variable(self) -> str:
        """The setting that changes the model's name."""
        return self.model_setting or provider_variable(self.name, "MODEL")

    @property
    def url_variable(self) -> str:
        """The setting that changes the endpoint."""
        return provider_variable(self.name, "URL")

    @property
    def price_of_model(self) -> Price | None:
        """The price of the model that is set, or None where the settings name one that the file does not."""
        return self.price if self.model == self.listed_model else None


@cache
def load_catalogue(path: Path = CATALOGUE_FILE) -> tuple[ProviderInfo, ...]:
    """Reads the file of providers, in the order in which they are tried.

    Raises:
        SettingError: an entry is incomplete, names an unknown kind or key variable, or a name comes twice.
    """
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("provider", [])
    infos = tuple(_read_entry(entry, path.name) for entry in entries)
    names = [info.name for info in infos]
    if len(set(names)) != len(names):
        raise SettingError(f"{path.name} names a provider twice.", "Give each entry a name of its own.")
    return infos


def configured(settings: Settings) -> tuple[ProviderInfo, ...]:
    """The providers with the settings' model names and endpoints put in."""
    return tuple(_bend(info, settings) for info in load_catalogue())


def find_provider(name: str, settings: Settings) -> ProviderInfo:
    """One provider by name.

    Raises:
        ModelChoiceError: there is none of that name.
    """
    infos = configured(settings)
    for info in infos:
        if info.name == name.strip().lower():
            return info
    known = ", ".join(info.name for info in infos)
    raise ModelChoiceError(
        f"There is no model provider called {name!r}.",
        f"Choose practice, auto, or one of: {known}. `course model` shows them.",
    )


def is_ready(info: ProviderInfo, settings: Settings) -> bool:
    """Whether a provider could be asked: it has an endpoint, a model and, where it needs one, a key."""
    has_key = info.key_name in settings.keys or not info.key_needed
    return bool(info.base_url and info.model and has_key)


def _read_entry(entry: Mapping[str, Any], file_name: str) -> ProviderInfo:
    name = str(entry.get("name", "?"))
    try:
        price_in, price_out = entry["price"]
        info = ProviderInfo(
            name=name,
            title=entry["title"],
            kind=entry["kind"],
            base_url=entry.get("base_url", ""),
            model=entry.get("model", ""),
            listed_model=entry.get("model", ""),
            price=Price(float(price_in), float(price_out)),
            price_note=entry.get("price_note", ""),
            free_tier=entry.get("free_tier", ""),
            key_variable=entry["key_variable"],
            key_page=entry.get("key_page", ""),
            key_needed=entry.get("key_needed", True),
            resets=entry.get("resets", "UTC"),
            stream_usage=entry.get("stream_usage", True),
            refuses=tuple(entry.get("refuses", ())),
            extra=dict(entry.get("extra", {})),
            checked=entry["checked"],
            source=entry.get("source", ""),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise SettingError(
            f"The entry {name!r} in {file_name} cannot be read ({error}).",
            "Compare it with the entry above it.",
        ) from error
    if info.kind not in ("anthropic", "groq", "openai-compatible"):
        raise SettingError(
            f"The entry {name!r} in {file_name} has the kind {info.kind!r}.",
            "A kind is anthropic, groq or openai-compatible.",
        )
    if info.key_variable not in KEY_NAMES.values():
        raise SettingError(
            f"The entry {name!r} in {file_name} has the key_variable {info.key_variable!r}.",
            f"Name one of {', '.join(KEY_NAMES.values())}.",
        )
    return info


def _bend(info: ProviderInfo, settings: Settings) -> ProviderInfo:
    if info.name == "local":
        url, model = settings.local_url, settings.local_model
    else:
        url, model = settings.base_urls.get(info.name), settings.model_names.get(info.name)
    if url is not None:
        address, login = split_login(url, info.url_variable)
        info = replace(info, base_url=address, login=login)
    return replace(info, model=model) if model else info


def split_login(url: Secret, variable: str) -> tuple[str, Secret | None]:
    """Takes user and password out of an address, since an address is logged and shown.

    Args:
        url: the address as it was set.
        variable: the setting that it came from, for the error message.

    Returns:
        The address without them, and `user:password` where they stood in it.

    Raises:
        SettingError: this is no http address, or one with a query. The message does not repeat it.
    """
    # The address in plain text stays in `_split`: an error's frames show their variables to whoever asks.
    problem, address, login = _split(url)
    if problem:
        raise SettingError(f"{variable} {problem}.", _ADDRESS_ADVICE.format(variable))
    return address, login


_ADDRESS_ADVICE = (
    "Set {} to something like http://127.0.0.1:11434/v1, without a `?` or `#` part; a key belongs into the "
    "key's own setting."
)


def _split(url: Secret) -> tuple[str, str, Secret | None]:
    """What is wrong with an address (or nothing), the address without user and password, and those."""
    try:
        parts = urlsplit(url.reveal())
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 80) > 0
    except ValueError:
        is_web = False
    if not is_web:
        return "is not an http address", "", None
    if parts.query or parts.fragment:
        return "has a `?` or `#` part", "", None
    user_part, _, host_part = parts.netloc.rpartition("@")
    address = urlunsplit((parts.scheme, host_part, parts.path, "", ""))
    return "", address, Secret(unquote(user_part)) if user_part else None
