"""Who a mention means. The speaker is whoever the session says, and relatives belong to that customer alone.

A key like `C001:aarav` starts with the customer's own, so whatever a message says, it can only ever name the
speaker or somebody in the speaker's household.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from course_lib.crumb.outcome import Resolution
from course_lib.crumb.records import Customer, HouseholdMember
from course_lib.crumb.relatives import Mention, read_mention, relative_words, roles_agree
from course_lib.crumb.words import fold, tidy


def resolve_person(
    mention: str,
    customer: Customer,
    household: Sequence[HouseholdMember] = (),
    *,
    role: str = "",
    shared_names: Collection[str] = (),
) -> Resolution:
    """Decides who a mention means.

    Args:
        mention: the words of the message: 'me', 'my son Aarav', 'Aarav'.
        customer: who the session says is speaking.
        household: the relatives that are known.
        role: what a FAMILY_OF triple says this person is to the customer; makes the mention a relative.
        shared_names: names that this message or the tray gives to more than one person; not decided here.

    Returns:
        The key of the customer or of a relative, known or new (`how` says which); or a reason for review.
    """
    said = read_mention(mention)
    if said.kind in ("unclear", "several"):
        return Resolution(None, said.kind, said.why)
    if said.kind == "speaker":
        if role:
            return Resolution(None, "unclear", "a person cannot be their own relative")
        return Resolution(customer.id, "speaker", name=customer.name)
    household = [member for member in household if member.id != customer.id]
    owner = read_mention(said.owner) if said.owner else None
    somebody_else = owner and owner.kind != "speaker" and not _is_customer(owner.name, customer)
    if somebody_else and (said.kind == "unnamed" or not said.role):
        # "my sister's son" has no name, and "Meher's teacher" is no relative; "my sister's son Veer" is Veer.
        return Resolution(None, "unclear", f"'{tidy(mention)}' is somebody else's, without a name")
    if said.kind == "unnamed":
        return _unnamed(said, household, tidy(mention))
    own_role = role or said.role
    return _named(said, customer, household, own_role, {fold(name) for name in shared_names})


def display_name(words: Sequence[str]) -> str:
    """A name as it is shown and stored: 'advait' -> Advait; what has capitals keeps them."""
    return " ".join(word.capitalize() if word.islower() or word[2:].isupper() else word for word in words)


def _unnamed(said: Mention, household: Sequence[HouseholdMember], text: str) -> Resolution:
    alike = [member for member in household if roles_agree(member.role, said.role)]
    exact = [member for member in alike if roles_agree(said.role, member.role) and member.role]
    # One wife, one mother: the known one is meant. 'My son' may be a son who has not been named yet.
    if len(exact) == 1 and said.role in relative_words().single:
        return Resolution(exact[0].id, "known relative", name=exact[0].name, role=exact[0].role)
    return Resolution(
        None,
        "unnamed",
        f"'{text}' has no name: ask which {said.role}",
        candidates=tuple(member.id for member in alike),
        role=said.role,
    )


def _named(
    said: Mention, customer: Customer, household: Sequence[HouseholdMember], role: str, shared: set[str]
) -> Resolution:
    name, own = _folded(said.name), _folded(customer.name.split())
    shown = display_name(said.name)
    namesakes = [member for member in household if _folded(member.name.split())[:1] == own[:1]]
    if name[0] == own[0]:
        if role:
            return Resolution(
                None,
                "namesake",
                f"{shown} is also the customer's own first name: a relative, or the customer?",
                candidates=(customer.id, *(member.id for member in namesakes)),
                name=shown,
                role=role,
            )
        if _fits(name, own):
            if namesakes or own[0] in shared:
                return Resolution(
                    None,
                    "namesake",
                    f"{shown} can be the customer or a relative of the same name",
                    candidates=(customer.id, *(member.id for member in namesakes)),
                    name=shown,
                )
            return Resolution(customer.id, "own name", name=customer.name)
        return Resolution(
            None,
            "namesake",
            f"{shown} shares the customer's first name, with another family name",
            candidates=(customer.id,),
            name=shown,
        )
    if len(name) == 1 and len(own) > 1 and name[0] == own[-1]:
        return Resolution(
            None,
            "unclear",
            f"{shown} is the customer's family name: it can be any of them",
            candidates=(customer.id,),
        )
    return _relative(name, shown, customer, household, role, shared)


def _relative(
    name: tuple[str, ...],
    shown: str,
    customer: Customer,
    household: Sequence[HouseholdMember],
    role: str,
    shared: set[str],
) -> Resolution:
    fitting = [member for member in household if _fits(name, _folded(member.name.split()))]
    exact = [member for member in fitting if _folded(member.name.split()) == name]
    if len(name) > 1 and len(exact) == 1:
        fitting = exact
    if name[0] in shared:
        return Resolution(
            None,
            "namesake",
            f"{shown} can be more than one person: that is not decided yet",
            candidates=tuple(member.id for member in fitting),
            name=shown,
            role=role,
        )
    if len(fitting) > 1:
        return Resolution(
            None,
            "namesake",
            f"the household has more than one {shown}",
            candidates=tuple(member.id for member in fitting),
            name=shown,
            role=role,
        )
    if fitting:
        (known,) = fitting
        if not roles_agree(known.role, role):
            return Resolution(
                None,
                "namesake",
                f"{known.name} is known as {known.role}, and this says {role}: the same person?",
                candidates=(known.id,),
                name=shown,
                role=role,
            )
        return Resolution(known.id, "known relative", name=known.name, role=known.role)
    key = f"{customer.id}:{'-'.join(name)}"
    if any(member.id == key for member in household):
        return Resolution(
            None, "namesake", f"{shown} has the key of somebody else", candidates=(key,), name=shown
        )
    return Resolution(key, "new relative", name=shown, role=role)


def _is_customer(name: Sequence[str], customer: Customer) -> bool:
    return bool(name) and _fits(_folded(name), _folded(customer.name.split()))


def _folded(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(fold(word).strip(".'-") for word in words)


def _fits(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two names can be one person's: the longer one holds the shorter one, from the first name on.

    'Aarav' fits 'Aarav Mehta', which does not fit 'Aarav Rao' or 'Meher Mehta'.
    """
    if not one or not other or one[0] != other[0]:
        return False
    short, long = sorted((one, other), key=len)
    rest = iter(long)
    return all(word in rest for word in short)
