"""Writes what messages say into the graph: decide first, then write, one transaction a message.

    write(extract(message), "C001", store, "m-17")

The session says who is speaking. Running the same message again changes nothing; the same fact from another
message is the same edge, which then knows both.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from course_lib.crumb import apply
from course_lib.crumb.allergens import AllergenList, Approval, load_allergens
from course_lib.crumb.deciding import decide, digest, own_message_id
from course_lib.crumb.household import read_households
from course_lib.crumb.plans import LogLine, Plan
from course_lib.crumb.products import Catalogue
from course_lib.crumb.relations import RELATIONS, Known, Relation
from course_lib.crumb.store import Store
from course_lib.crumb.triples import Extraction

__all__ = ["BATCH_MESSAGES", "Incoming", "LogLine", "write", "write_batch"]

BATCH_MESSAGES = 500
"""Messages a transaction, for a backlog."""


@dataclass(frozen=True)
class Incoming:
    """A message that waits to be written."""

    customer_id: str
    extraction: Extraction
    message_id: str | None = None
    date: str | None = None
    """When the customer wrote it (ISO); today when None."""


def write(
    extraction: Extraction,
    customer_id: str,
    store: Store,
    message_id: str | None = None,
    *,
    date: str | None = None,
    allergens: AllergenList | None = None,
    relations: Mapping[str, Relation] = RELATIONS,
) -> list[LogLine]:
    """Writes one message: all of it, or, after an error, nothing.

    Args:
        extraction: what the message says.
        customer_id: who the session says has written it.
        store: where to write.
        message_id: the message's own id; without one, the same text counts as the same message.
        date: when it was written (ISO); today when None.
        allergens: the closed list; the course's own when None. Words approved in the tray are added to it.
        relations: what can be written beside ties.

    Returns:
        A line for each triple, in the order of the extraction, then for doubts and problems.

    Raises:
        UnknownCustomerError: no customer has this key; nothing was written.
        StoreError: the store refused; nothing was written.
    """
    incoming = Incoming(customer_id, extraction, message_id, date)
    with store.transaction():
        return _write_all([incoming], store, allergens, relations, apply.one_by_one)[0]


def write_batch(
    messages: Iterable[Incoming],
    store: Store,
    *,
    allergens: AllergenList | None = None,
    relations: Mapping[str, Relation] = RELATIONS,
    batch_size: int = BATCH_MESSAGES,
) -> list[list[LogLine]]:
    """Writes a backlog: the same graph as `write` message by message, in a fraction of the time.

    Each batch is read, decided and written in one transaction: an error takes back that batch, whole messages
    all of them, and those before it stay.

    Returns:
        The log lines of each message, in the order given.
    """
    waiting = list(messages)
    logs: list[list[LogLine]] = []
    for start in range(0, len(waiting), batch_size):
        with store.transaction():
            logs += _write_all(
                waiting[start : start + batch_size], store, allergens, relations, apply.in_batches
            )
    return logs


def approved_allergens(store: Store, allergens: AllergenList | None = None) -> AllergenList:
    """The closed list with the words that people have approved in the tray of this store."""
    rows = store.read("MATCH (a:Alias) RETURN a.word, a.meaning, a.approved_by, a.date")
    return (allergens or load_allergens()).with_words(Approval(*row) for row in rows)


def catalogue(store: Store) -> Catalogue:
    """The names of all products."""
    return Catalogue(name for (name,) in store.read("MATCH (p:Product) RETURN p.name ORDER BY p.name"))


def _write_all(
    messages: Sequence[Incoming],
    store: Store,
    allergens: AllergenList | None,
    relations: Mapping[str, Relation],
    put: apply.Applier,
) -> list[list[LogLine]]:
    # Everything is read inside the transaction: nobody else can write between the look and the decision.
    labels = {name: relation.label for name, relation in relations.items()}
    households = read_households(store, [message.customer_id for message in messages], labels)
    wants_products = any(t.relation == "LIKES" for m in messages for t in m.extraction.triples)
    known = Known(approved_allergens(store, allergens), catalogue(store) if wants_products else Catalogue(()))
    today = datetime.date.today().isoformat()
    named = [(message, message.message_id or own_message_id(message.extraction)) for message in messages]
    seen = apply.read_messages(store, [f"{message.customer_id}/{own}" for message, own in named])
    plans: list[Plan] = []
    logs: list[list[LogLine]] = []
    for message, own in named:
        key = f"{message.customer_id}/{own}"
        said = digest(message.extraction)
        if key in seen and seen[key][0] == said:
            logs.append([LogLine(text, "repeated") for text in seen[key][1]])
            continue
        household = households[message.customer_id]
        plan = decide(message.extraction, household, known, relations, own, message.date or today)
        plan.again = key in seen
        seen[key] = (said, [line.text for line in plan.lines])
        plans.append(plan)
        logs.append(plan.lines)
    put(store, plans, relations)
    return logs
