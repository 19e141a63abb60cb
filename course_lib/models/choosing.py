"""Choosing a model: what there is, saving a choice, trying it out with one call.

`course model` and the chooser of lesson 00 stand on these functions, and so may a cell of one's own.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace

from course_lib.errors import SettingError
from course_lib.models.calls import Reply
from course_lib.models.catalogue import ProviderInfo, configured, is_ready
from course_lib.models.connect import AUTO, PRACTICE, PRACTICE_INFO, connect
from course_lib.models.errors import ModelChoiceError
from course_lib.models.prices import dollars
from course_lib.models.replay import REPLAY
from course_lib.models.tables import Table, duration
from course_lib.settings import Settings, load_settings

CHOICES_FILE = "choices.json"
TEST_QUESTION = "Reply with one word: ready"
TEST_TOKENS = 512
"""Enough for a reasoning model to think before that one word."""


@dataclass(frozen=True)
class Option:
    """One line of the list of models."""

    name: str
    title: str
    model: str
    ready: bool
    state: str
    """`key set`, `no key needed`, or `no` and the setting that is missing. Never a value."""
    price: str
    """US dollars for a million tokens in and out."""
    checked: str
    """The day on which name and price were last looked up."""
    free_tier: str
    chosen: bool


def options(settings: Settings | None = None) -> tuple[Option, ...]:
    """Every model that can be chosen, the practice model first."""
    settings = settings or load_settings()
    chosen = settings.model.strip().lower()
    infos = (PRACTICE_INFO, *configured(settings))
    found = [_option(info, settings, chosen.partition(":")[0] == info.name) for info in infos]
    ready = [option.name for option in found if option.ready and option.name != PRACTICE]
    found.append(
        Option(
            name=AUTO,
            title="Every provider that is ready, in this order",
            model=", ".join(ready) or "-",
            ready=bool(ready),
            state=f"{len(ready)} of {len(infos) - 1} ready",
            price="",
            checked="",
            free_tier="",
            chosen=chosen == AUTO,
        )
    )
    return tuple(found)


def options_table(settings: Settings | None = None) -> Table:
    """The list of models as a table for a notebook."""
    rows = [
        (
            f"{'→ ' if option.chosen else ''}{option.name}",
            option.model,
            option.state,
            option.price,
            option.checked,
        )
        for option in options(settings)
    ]
    return Table(("model", "asks for", "key", "$ in / out", "checked"), rows)


def use_model(choice: str) -> str:
    """Saves a choice, so that every lesson uses it from now on.

    Args:
        choice: `practice`, `auto`, a provider's name, `provider:model` or `replay:FILE`.

    Returns:
        A sentence that says what holds now.

    Raises:
        ModelChoiceError: it names something unknown or not set up; nothing is saved then.
        SettingError: the choice cannot be written.
    """
    before = load_settings()
    choice = normalised(choice)
    router = connect(replace(before, model=choice))
    _save(before, "COURSE_MODEL", choice)
    now = load_settings()
    if now.model != choice:
        return (
            f"Saved, but COURSE_MODEL={now.model} in the environment or in .env goes before it. "
            "Take it out there, or change it there."
        )
    asked = ", then ".join(f"{provider.name} ({provider.model})" for provider in router.providers)
    return f"From now on the lessons ask {asked}."


def try_model(choice: str | None = None, tell: Callable[[str], None] | None = None) -> Reply:
    """Asks a model one short question.

    Args:
        choice: who; None for the one that is chosen.
        tell: passed on to the router.

    Raises:
        ModelError: there was no answer; the message says why and what to do.
    """
    settings = load_settings()
    if choice:
        settings = replace(settings, model=normalised(choice))
    return connect(settings, tell=tell, patience_s=0).generate(TEST_QUESTION, max_tokens=TEST_TOKENS)


def described(reply: Reply) -> str:
    """One sentence about who answered and what it took."""
    about = "about " if reply.usage.estimated else ""
    return (
        f"{reply.provider} ({reply.model}) answered in {duration(reply.seconds)}: "
        f"{' '.join(reply.text.split())[:80]!r}; {about}{reply.usage.tokens_in} tokens in, "
        f"{reply.usage.tokens_out} out, cost {dollars(reply.usage.cost_usd)}."
    )


def normalised(choice: str) -> str:
    """A choice as it is saved: the name in lower case, the model's own name as it is.

    Raises:
        ModelChoiceError: it is empty.
    """
    name, colon, rest = choice.strip().partition(":")
    if not name.strip():
        raise ModelChoiceError("No model was named.", "Choose one: `course model` lists them.")
    if name.strip().lower() == REPLAY and not rest.strip():
        raise ModelChoiceError(
            "replay needs a file of kept replies.", "Write it after a colon: replay:path/to/file.jsonl"
        )
    return f"{name.strip().lower()}{colon}{rest.strip()}"


def _option(info: ProviderInfo, settings: Settings, chosen: bool) -> Option:
    is_practice = info.name == PRACTICE
    ready = is_practice or is_ready(info, settings)
    price = info.price_of_model
    if is_practice:
        shown_price = "nothing"
    elif price is None:
        shown_price = "not listed"
    else:
        shown_price = f"{price.tokens_in:.2f} / {price.tokens_out:.2f}"
    return Option(
        name=info.name,
        title=info.title,
        model=info.model or "-",
        ready=ready,
        state=_state(info, settings, ready),
        price=shown_price,
        checked="" if is_practice else info.checked.isoformat(),
        free_tier=info.free_tier,
        chosen=chosen,
    )


def _state(info: ProviderInfo, settings: Settings, ready: bool) -> str:
    if ready:
        return "key set" if info.key_needed else "no key needed"
    if info.key_needed and info.key_name not in settings.keys:
        return f"no {info.key_variable}"
    return f"no {info.model_variable if info.base_url else info.url_variable}"


def _save(settings: Settings, name: str, value: str) -> None:
    """Puts one choice into the file of choices; a stop in the middle leaves the old file whole."""
    path = settings.home / CHOICES_FILE
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
        saved = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        saved[name] = value
        handle, part = tempfile.mkstemp(dir=settings.home, prefix=CHOICES_FILE, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(saved, file, indent=1, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)  # noqa: PTH105  # mkstemp gives a str
        except BaseException:
            os.unlink(part)  # noqa: PTH108
            raise
    except OSError as error:
        raise SettingError(
            f"The choice cannot be saved in {CHOICES_FILE}: {error.strerror}.",
            f"Set {name}={value} in the file .env instead.",
        ) from error
