"""The file of providers, what the settings do to it, and what a choice of model leads to."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from course_lib.errors import SettingError
from course_lib.models import connect
from course_lib.models.catalogue import configured, find_provider, is_ready, load_catalogue, split_login
from course_lib.models.connect import provider_for
from course_lib.models.errors import ModelChoiceError
from course_lib.models.prices import cost_usd, dollars
from course_lib.models.providers import make_provider
from course_lib.settings import MODEL_PROVIDERS, Secret, Settings, load_settings

KEY = "a-key-that-nobody-made-0123456789"


def settings(tmp_path: Path, **env: str) -> Settings:
    return load_settings({"COURSE_DIR": str(tmp_path), **env}, root=tmp_path)


def test_the_order_is_the_one_that_the_course_names() -> None:
    names = [info.name for info in load_catalogue()]
    assert names == ["gemini", "groq", "groq-small", "mistral", "openrouter", "anthropic", "local"]
    assert set(MODEL_PROVIDERS) == set(names) - {"local"}


def test_every_entry_says_when_it_was_checked_where_a_key_comes_from_and_what_it_costs() -> None:
    for info in load_catalogue():
        assert info.checked >= datetime.date(2026, 11, 1), info.name
        assert info.price.tokens_in >= 0
        assert info.price.tokens_out >= info.price.tokens_in
        if info.key_needed:
            assert info.key_page.startswith("https://")
            assert info.base_url.startswith("https://")
            assert info.source.startswith("https://")


def test_both_groq_models_share_one_key_and_differ_in_size() -> None:
    big, small = (info for info in load_catalogue() if info.kind == "groq")
    assert big.key_variable == small.key_variable == "GROQ_API_KEY"
    assert "120b" in big.model
    assert "27b" in small.model


def test_the_settings_replace_model_and_address(tmp_path: Path) -> None:
    chosen = settings(
        tmp_path,
        COURSE_GROQ_MODEL="other/model",
        COURSE_GROQ_SMALL_MODEL="tiny",
        COURSE_GROQ_SMALL_URL="http://127.0.0.1:9/x",
        COURSE_LOCAL_URL="http://127.0.0.1:11434/v1",
        COURSE_LOCAL_MODEL="gemma",
    )
    by_name = {info.name: info for info in configured(chosen)}
    assert by_name["groq"].model == "other/model"
    assert by_name["groq"].price_of_model is None
    assert by_name["groq-small"].model == "tiny"
    assert by_name["groq-small"].base_url == "http://127.0.0.1:9/x"
    assert (by_name["local"].model, by_name["local"].base_url) == ("gemma", "http://127.0.0.1:11434/v1")
    assert by_name["gemini"].price_of_model == by_name["gemini"].price


def test_ready_are_those_with_a_key_or_an_address(tmp_path: Path) -> None:
    chosen = settings(
        tmp_path, GROQ_API_KEY=KEY, COURSE_LOCAL_URL="http://127.0.0.1:1/v1", COURSE_LOCAL_MODEL="m"
    )
    assert [info.name for info in configured(chosen) if is_ready(info, chosen)] == [
        "groq",
        "groq-small",
        "local",
    ]


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ModelChoiceError, match="practice, auto, or one of: gemini, groq"):
        find_provider("gorq", settings(tmp_path))


def test_a_missing_key_names_its_variable_and_where_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ModelChoiceError, match=r"MISTRAL_API_KEY is not set.*console\.mistral\.ai"):
        connect(settings(tmp_path, COURSE_MODEL="mistral"))


def test_a_local_server_without_address_or_model_says_which_setting(tmp_path: Path) -> None:
    with pytest.raises(ModelChoiceError, match="COURSE_LOCAL_URL"):
        connect(settings(tmp_path, COURSE_MODEL="local"))
    with pytest.raises(ModelChoiceError, match="COURSE_LOCAL_MODEL"):
        connect(settings(tmp_path, COURSE_MODEL="local", COURSE_LOCAL_URL="http://127.0.0.1:1/v1"))


def test_user_and_password_are_taken_out_of_an_address() -> None:
    address, login = split_login(Secret("http://amy:s%40fe@host.example:8443/v1"), "COURSE_LOCAL_URL")
    assert address == "http://host.example:8443/v1"
    assert login is not None
    assert login.reveal() == "amy:s@fe"
    assert "s@fe" not in repr(login)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host/v1",
        "host:8000",
        "http://",
        "http://[bad/v1",
        "http://h/v1?key=topsecret",
        "http://h/v1#topsecret",
    ],
)
def test_an_address_that_is_none_is_refused_without_being_repeated(url: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError) as caught:
        configured(settings(tmp_path, COURSE_LOCAL_URL=url))
    assert "COURSE_LOCAL_URL" in str(caught.value)
    assert "topsecret" not in str(caught.value)


def test_an_entry_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "providers.toml"
    path.write_text('[[provider]]\nname = "odd"\nkind = "telepathy"\n', encoding="utf-8")
    with pytest.raises(SettingError, match="'odd'"):
        load_catalogue(path)
    good = (
        'title = "T"\nmodel = "m"\nprice = [1, 2]\nkey_variable = "GROQ_API_KEY"\n'
        'checked = 2026-11-30\nname = "odd"\n'
    )
    for bad, said in [
        ('kind = "telepathy"\n', "telepathy"),
        ('kind = "groq"\n[[provider]]\nkind = "groq"\n' + good, "twice"),
    ]:
        other = tmp_path / f"{said}.toml"
        other.write_text("[[provider]]\n" + good + bad, encoding="utf-8")
        with pytest.raises(SettingError, match=said):
            load_catalogue(other)


def test_practice_is_the_default_even_where_keys_lie_around(tmp_path: Path) -> None:
    router = connect(settings(tmp_path, GROQ_API_KEY=KEY, ANTHROPIC_API_KEY=KEY))
    assert [provider.name for provider in router.providers] == ["practice"]


def test_auto_takes_every_provider_with_a_key_in_order(tmp_path: Path) -> None:
    router = connect(settings(tmp_path, COURSE_MODEL="auto", GROQ_API_KEY=KEY, GEMINI_API_KEY=KEY))
    assert [provider.name for provider in router.providers] == ["gemini", "groq", "groq-small"]
    assert ("mistral", "mistral-small-2603", "not asked: no key") in list(router.status())


def test_auto_without_any_key_names_the_variables(tmp_path: Path) -> None:
    with pytest.raises(ModelChoiceError, match=r"GEMINI_API_KEY, GROQ_API_KEY.*COURSE_MODEL=practice"):
        connect(settings(tmp_path, COURSE_MODEL="auto"))


def test_a_provider_may_be_given_with_a_model(tmp_path: Path) -> None:
    chosen = settings(tmp_path, GROQ_API_KEY=KEY, OPENROUTER_API_KEY=KEY)
    assert provider_for("groq:some/model", chosen).model == "some/model"
    # A model's own name may have a colon in it.
    assert provider_for("openrouter: meta/llama:free", chosen).model == "meta/llama:free"
    assert provider_for(" Groq ", chosen).name == "groq"
    assert provider_for("practice:practice-1-mini", chosen).model == "practice-1-mini"


def test_reprs_say_who_and_never_the_key(tmp_path: Path) -> None:
    chosen = settings(tmp_path, GROQ_API_KEY=KEY)
    provider = make_provider(find_provider("groq", chosen), chosen)
    assert repr(provider) == "ChatProvider(groq: openai/gpt-oss-120b, key set)"
    assert KEY not in repr(chosen)


def test_costs() -> None:
    price = load_catalogue()[1].price
    assert cost_usd(1_000_000, 1_000_000, price) == pytest.approx(0.75)
    assert cost_usd(10, 10, None) is None
    assert [dollars(amount) for amount in (None, 0, 0.00001, 0.01234)] == [
        "unknown",
        "$0",
        "under $0.0001",
        "$0.0123",
    ]
