"""The providers behind one face: what a router needs of one, and how the settings make one."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Protocol

from course_lib.models.anthropic_provider import AnthropicProvider
from course_lib.models.calls import CallRequest, Reply
from course_lib.models.catalogue import ProviderInfo, configured, find_provider, is_ready
from course_lib.models.chat_provider import ChatProvider
from course_lib.models.errors import ModelChoiceError
from course_lib.models.sdk_provider import SdkProvider
from course_lib.models.wire import TimeLimit
from course_lib.settings import Settings

_CAN_BE_A_KEY = re.compile(r"[!-~]+")
"""Printable ASCII without blanks: what an HTTP header takes."""


class Provider(Protocol):
    """Someone who can be asked. The router needs no more than this of a provider."""

    @property
    def name(self) -> str:
        """The provider's name, as it stands in every report."""
        ...

    @property
    def model(self) -> str:
        """The model that it will ask."""
        ...

    def complete(self, request: CallRequest, limit: TimeLimit) -> Reply:
        """Asks once and waits for the whole reply. Raises a `ModelError` where there is none."""
        ...

    def stream(self, request: CallRequest, limit: TimeLimit) -> Generator[str, None, Reply]:
        """Asks once and yields the reply's text as it comes; returns the whole `Reply` at the end."""
        ...


def make_provider(info: ProviderInfo, settings: Settings) -> SdkProvider:
    """Makes one provider from its entry and the settings.

    Raises:
        ModelChoiceError: it has no key, no endpoint or no model; the message names the setting, no value.
    """
    if not info.base_url:
        raise ModelChoiceError(
            f"The provider {info.name!r} has no address.",
            f"Set {info.url_variable}, to http://127.0.0.1:11434/v1 for Ollama.",
            provider=info.name,
        )
    if not info.model:
        raise ModelChoiceError(
            f"No model is named for the provider {info.name!r}.",
            f"Set {info.model_variable} to a model that this server has.",
            provider=info.name,
        )
    key = settings.keys.get(info.key_name)
    if key is None and info.key_needed:
        raise ModelChoiceError(
            f"There is no key for {info.name}: {info.key_variable} is not set.",
            f"Set it, in the environment or in the file .env (a key comes from {info.key_page}), "
            "or go on without one: COURSE_MODEL=practice.",
            provider=info.name,
        )
    if key is not None and not _CAN_BE_A_KEY.fullmatch(key.reveal()):
        # It would fail on the wire, in an error message that repeats the key.
        raise ModelChoiceError(
            f"{info.key_variable} holds a character that no key has: a blank, a line break, a curly quote.",
            "Copy the key again, without anything around it.",
            provider=info.name,
        )
    return AnthropicProvider(info, key) if info.kind == "anthropic" else ChatProvider(info, key)


def ready_providers(settings: Settings) -> tuple[SdkProvider, ...]:
    """Every provider that the settings allow to ask, in the order of the catalogue."""
    return tuple(make_provider(info, settings) for info in configured(settings) if is_ready(info, settings))


def provider_named(name: str, settings: Settings) -> SdkProvider:
    """One provider by name, ready to be asked."""
    return make_provider(find_provider(name, settings), settings)
