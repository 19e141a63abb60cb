"""The SDK's own client that the settings ask for, for code that talks to the SDK itself.

`connect()` gives a router, one face for all. Half 2 shows the SDKs' structured output and tools as they are,
so it needs their clients; which model it talks to is the same one setting.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from course_lib.models.errors import ModelChoiceError
from course_lib.settings import Settings, load_settings


@dataclass(frozen=True)
class SdkClient:
    """A client of one of the SDKs, and the model to name in its calls."""

    client: Any
    model: str


def sdk_client(settings: Settings | None = None) -> SdkClient:
    """The client that `COURSE_MODEL` means: by default an `anthropic` client at the practice model.

    Args:
        settings: the settings; read anew when None.

    Raises:
        ModelChoiceError: the setting names something that has no SDK client, is unknown or not set up.
    """
    from course_lib.models.connect import AUTO, PRACTICE, PRACTICE_MODEL, provider_for
    from course_lib.models.providers import ready_providers
    from course_lib.models.sdk_provider import SdkProvider

    settings = settings or load_settings()
    name, _, rest = settings.model.strip().partition(":")
    if name.lower() == PRACTICE:
        from course_lib.models.practice.server import practice_server

        return SdkClient(_practice_client(practice_server().anthropic_url), rest.strip() or PRACTICE_MODEL)
    if name.lower() == AUTO:
        ready = ready_providers(settings)
        if not ready:
            raise ModelChoiceError(
                "COURSE_MODEL is auto, and no provider has a key.",
                "Set a provider's key, or go on without one: COURSE_MODEL=practice.",
            )
        return SdkClient(ready[0].client, ready[0].model)
    provider = provider_for(settings.model, settings)
    if not isinstance(provider, SdkProvider):
        raise ModelChoiceError(
            f"COURSE_MODEL={settings.model} keeps replies, and is no SDK that could be called.",
            "Set COURSE_MODEL=practice, or a provider's name.",
        )
    return SdkClient(provider.client, provider.model)


@lru_cache(maxsize=4)
def _practice_client(url: str) -> Any:
    import anthropic

    return anthropic.Anthropic(base_url=url, api_key="practice", max_retries=0)
