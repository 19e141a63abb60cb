"""From the settings to a router: which model a lesson talks to is one setting, and the cells stay the same.

| `COURSE_MODEL` | who answers |
|---|---|
| `practice` | the practice model, also where keys are set: nobody pays by surprise |
| `auto` | every provider with a key, in the order of `providers.toml` |
| `groq` | that provider, with the model that the file or `COURSE_GROQ_MODEL` names |
| `groq:some-model` | that provider, with that model |
| `replay:FILE` | replies that `course eval --save` has kept |
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from course_lib.models.calls import Attempt
from course_lib.models.catalogue import Price, ProviderInfo, configured, find_provider, is_ready
from course_lib.models.chat_provider import ChatProvider
from course_lib.models.errors import ModelChoiceError
from course_lib.models.providers import Provider, make_provider, ready_providers
from course_lib.models.replay import REPLAY, ReplayProvider
from course_lib.models.router import ModelRouter
from course_lib.settings import Settings, load_settings

PRACTICE = "practice"
AUTO = "auto"
PRACTICE_MODEL = "practice-1"

PRACTICE_INFO = ProviderInfo(
    name=PRACTICE,
    title="The practice model: a simulator made for teaching",
    # Through the groq SDK: it is imported in 1 s, where openai takes 1.7 s and anthropic 4 s.
    kind="groq",
    base_url="",
    model=PRACTICE_MODEL,
    listed_model=PRACTICE_MODEL,
    price=Price(0.0, 0.0),
    key_variable="COURSE_LOCAL_KEY",
    key_needed=False,
    model_setting="COURSE_MODEL",
    checked=date(2026, 11, 30),
)


def connect(settings: Settings | None = None, **options: Any) -> ModelRouter:
    """The router that the settings ask for.

    Args:
        settings: the settings; read anew when None.
        options: passed on to `ModelRouter`, `deadline_s` for one.

    Raises:
        ModelChoiceError: `COURSE_MODEL` names something unknown or not set up; the message says what to set.
    """
    settings = settings or load_settings()
    choice = settings.model.strip()
    if choice.lower() == AUTO:
        return _connect_auto(settings, options)
    return ModelRouter([provider_for(choice, settings)], **options)


def provider_for(choice: str, settings: Settings) -> Provider:
    """The one provider that a choice names: `practice`, `groq`, `groq:some-model` or `replay:FILE`.

    Raises:
        ModelChoiceError: it names something unknown or not set up.
    """
    name, _, rest = choice.strip().partition(":")
    name, rest = name.strip().lower(), rest.strip()
    if name == PRACTICE:
        return practice_provider(rest or PRACTICE_MODEL)
    if name == REPLAY:
        path = Path(rest).expanduser()
        return ReplayProvider(path if path.is_absolute() else settings.root / path)
    info = find_provider(name, settings)
    return make_provider(replace(info, model=rest) if rest else info, settings)


def practice_provider(model: str = PRACTICE_MODEL) -> ChatProvider:
    """The practice model as a provider. Its server starts with the first question and ends with us."""
    return ChatProvider(replace(PRACTICE_INFO, model=model, listed_model=model), address=_practice_address)


def _practice_address() -> str:
    from course_lib.models.practice.server import practice_server

    return f"{practice_server().url}/practice"


def _connect_auto(settings: Settings, options: dict[str, Any]) -> ModelRouter:
    providers = ready_providers(settings)
    if not providers:
        variables = dict.fromkeys(info.key_variable for info in configured(settings) if info.key_needed)
        raise ModelChoiceError(
            "COURSE_MODEL is auto, and no provider has a key.",
            f"Set one of {', '.join(variables)}, or go on without a key: COURSE_MODEL=practice.",
        )
    skipped = [
        Attempt(info.name, info.model or "-", "no key" if info.key_needed else "no address")
        for info in configured(settings)
        if not is_ready(info, settings)
    ]
    return ModelRouter(providers, skipped=skipped, **options)
