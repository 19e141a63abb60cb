"""From a plan to Cypher, as well as the rules in the prompt allow.

Each rule that is missing leaves its fault in the query: names compared as typed, whole nodes, grades sorted
as text, a Neo4j path, an invented label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from course_lib.models.practice.mind.linking import Mention
from course_lib.models.practice.mind.plan import (
    Branch,
    Change,
    Column,
    CommonTo,
    Differs,
    Edge,
    FindPath,
    Holds,
    Named,
    NextUp,
    Node,
    NotNamed,
    Order,
    Outside,
    Plan,
    SameValue,
    Select,
    Test,
    fresh,
)
from course_lib.models.practice.mind.ranks import order_of
from course_lib.models.practice.mind.reading_rules import Rule, RuleBook
from course_lib.models.practice.mind.world import World

SENTINEL = "RETURN 'OUT_OF_SCOPE' AS status"


@dataclass(frozen=True)
class Style:
    """How a plan is to be written: the prompt's rules, and what a hint has taught since."""

    rules: RuleBook
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Lower-case name as typed -> the spelling that a hint offers."""
    respell: bool = False
    """A hint advises on spelling: a name that only resembles a value takes the value's spelling."""
    path_in_with: bool = False
    """The engine has said that shortestPath belongs in WITH."""
    give_up: bool = False
    """A hint has ruled the last query out altogether: fall back on the sentinel or on reading."""
    limit: int | None = None
    """A hint asks for fewer rows."""

    def has(self, rule: Rule) -> bool:
        """Whether a rule is in force."""
        return rule in self.rules


def write(plan: Plan, world: World, style: Style) -> str:
    """The Cypher for a plan (not for a `Miss`, which is no query)."""
    writer = _Writer(world, style)
    match plan:
        case Select():
            return writer.select(plan)
        case FindPath():
            return writer.path(plan)
        case NextUp():
            return writer.next_up(plan)
        case CommonTo():
            return writer.common(plan)
        case Change():
            return writer.change(plan)
        case Outside():
            return writer.outside(plan)
        case _:
            raise ValueError("A miss has no query.")


def quoted(text: str) -> str:
    """A Cypher string literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


@dataclass
class _Writer:
    world: World
    style: Style

    # ---- names and tests ----------------------------------------

    def spelled(self, mention: Mention) -> str:
        """The name as this model writes it, from what it knows."""
        alias = self.style.aliases.get(mention.typed.lower())
        if alias is not None:
            return alias
        value = mention.value
        if mention.how == "memory" and value is not None:
            return value.text
        if self.style.respell and mention.candidates:
            return mention.candidates[0].text
        if value is None:
            return mention.typed
        # Without the rule to match loosely, only a name that differs in case at most is copied from the list.
        if self.style.has(Rule.LOOSE_NAMES) or mention.how in ("exact", "case"):
            return value.text
        return mention.typed

    def loose(self, var: str, prop: str, mention: Mention) -> str:
        name = self.spelled(mention).lower()
        value = mention.value
        if value is not None and name == value.text.lower():
            others = self.world.values_of(value.owner, value.prop)
            if any(name in other.lower() and name != other.lower() for other in others):
                return f"toLower({var}.{prop}) = {quoted(name)}"
        return f"toLower({var}.{prop}) CONTAINS {quoted(name)}"

    def test(self, test: Test) -> str:
        match test:
            case Named(var, prop, mentions):
                if self.style.has(Rule.LOOSE_NAMES):
                    parts = [self.loose(var, prop, mention) for mention in mentions]
                    return parts[0] if len(parts) == 1 else "(" + " OR ".join(parts) + ")"
                names = [quoted(self.spelled(mention)) for mention in mentions]
                return (
                    f"{var}.{prop} = {names[0]}"
                    if len(names) == 1
                    else f"{var}.{prop} IN [{', '.join(names)}]"
                )
            case NotNamed(var, prop, mention):
                if self.style.has(Rule.LOOSE_NAMES):
                    return f"NOT {self.loose(var, prop, mention)}"
                return f"{var}.{prop} <> {quoted(self.spelled(mention))}"
            case Holds(var, prop, op, _, mention, others) if mention is not None and others and op == "=":
                spelled = [quoted(self.spelled(one)) for one in (mention, *others)]
                return f"{var}.{prop} IN [{', '.join(spelled)}]"
            case Holds(var, prop, op, value, mention):
                return self.holds(var, prop, op, value, mention)
            case Differs(left, right):
                return f"{left} <> {right}"
            case SameValue(left, right, prop):
                return f"{left}.{prop} = {right}.{prop}"

    def holds(self, var: str, prop: str, op: str, value: int | str, mention: Mention | None) -> str:
        if isinstance(value, int):
            return f"{var}.{prop} {op} {value}"
        if mention is not None and mention.value is not None:
            return f"{var}.{prop} {op} {quoted(self.spelled(mention))}"
        if self.style.has(Rule.LOOSE_NAMES) and op == "=":
            return f"toLower({var}.{prop}) CONTAINS {quoted(str(value).lower())}"
        return f"{var}.{prop} {op} {quoted(str(value))}"

    # ---- patterns ----------------------------------------

    def node(
        self, node: Node, seen: set[str], used: set[str], inline: Mapping[str, str], labelled: bool
    ) -> str:
        if node.var in seen:
            return f"({node.var})"
        seen.add(node.var)
        var = node.var if node.var in used else ""
        label = f":{node.label}" if labelled else ""
        props = f" {inline[node.var]}" if node.var in inline else ""
        inner = f"{var}{label}{props}".strip()
        return f"({inner})"

    def arrow(self, edge: Edge, forward: bool) -> str:
        hops = f"*{edge.hops[0]}..{edge.hops[1]}" if edge.hops else ""
        body = f"-[{edge.var}:{edge.type}{hops}]-"
        if not edge.directed:
            return body
        return body + ">" if forward else "<" + body

    def patterns(
        self,
        nodes: tuple[Node, ...],
        edges: tuple[Edge, ...],
        used: set[str],
        inline: Mapping[str, str],
        seen: set[str],
        main: str,
    ) -> list[str]:
        """Comma-separated pieces of a MATCH: chains of edges that hang together, and nodes on their own."""
        by_var = {node.var: node for node in nodes}
        for edge in edges:
            for var in (edge.left, edge.right):
                by_var.setdefault(var, Node(var, ""))
        with_labels = self.style.has(Rule.LABELS)

        def shown(var: str) -> str:
            node = by_var[var]
            labelled = bool(node.label) and (with_labels or var == main)
            if not labelled and var not in used and var in inline:
                return self.node(node, seen, used, inline, False)
            return self.node(node, seen, used, inline, labelled)

        pieces: list[str] = []
        left = list(edges)
        while left:
            edge = left.pop(0)
            piece = shown(edge.left) + self.arrow(edge, edge.forward) + shown(edge.right)
            tail = edge.right
            while True:
                following = next((e for e in left if e.left == tail), None)
                if following is None:
                    break
                left.remove(following)
                piece += self.arrow(following, following.forward) + shown(following.right)
                tail = following.right
            pieces.append(piece)
        for node in nodes:
            if node.var not in seen:
                pieces.append(shown(node.var))
        return pieces

    def _inline(self, tests: tuple[Test, ...]) -> tuple[dict[str, str], list[Test]]:
        """Exact names go into the pattern, as models like to write them: `(c:Subject {name: 'dbms'})`."""
        inline: dict[str, str] = {}
        rest: list[Test] = []
        for test in tests:
            plain = (
                isinstance(test, Named) and len(test.mentions) == 1 and not self.style.has(Rule.LOOSE_NAMES)
            )
            if plain and isinstance(test, Named) and test.var not in inline:
                inline[test.var] = f"{{{test.prop}: {quoted(self.spelled(test.mentions[0]))}}}"
            else:
                rest.append(test)
        return inline, rest

    # ---- select ----------------------------------------

    def select(self, plan: Select) -> str:
        main = plan.columns[0].var if plan.columns else plan.nodes[0].var
        if main not in {node.var for node in plan.nodes}:
            main = plan.nodes[0].var
        inline, where = self._inline(plan.tests)
        used = self._used(plan, where)
        seen: set[str] = set()
        pieces = self.patterns(plan.nodes, plan.edges, used, inline, seen, main)
        lines = ["MATCH " + ",\n      ".join(pieces)]
        conditions = [self.test(test) for test in where]
        tested: list[tuple[Branch, dict[str, str], list[Test]]] = []
        for branch in plan.without:
            branch_inline, rest = self._inline(branch.tests)
            if rest:
                tested.append((branch, branch_inline, rest))
            else:
                pattern = self.patterns(branch.nodes, branch.edges, set(), branch_inline, set(seen), main)
                conditions.append("NOT " + ", ".join(pattern))
        if conditions:
            lines.append("WHERE " + "\n  AND ".join(conditions))
        kept = self._carried(plan)
        for place, (branch, branch_inline, rest) in enumerate(tested):
            last = branch.nodes[-1].var
            pattern = self.patterns(
                branch.nodes,
                branch.edges,
                {test.var for test in rest if isinstance(test, Named | NotNamed | Holds)} | {last},
                branch_inline,
                set(seen),
                main,
            )
            hits = "hits" if place == 0 else f"hits{place + 1}"
            lines.append(f"OPTIONAL MATCH {', '.join(pattern)}")
            lines.append("WHERE " + " AND ".join(self.test(test) for test in rest))
            lines.append(f"WITH {', '.join(kept)}, count({last}) AS {hits}")
            lines.append(f"WHERE {hits} = 0")
        if plan.optional is not None:
            pattern = self.patterns(plan.optional.nodes, plan.optional.edges, used, {}, set(seen), main)
            lines.append(f"OPTIONAL MATCH {', '.join(pattern)}")
        if plan.having is not None:
            return "\n".join([*lines, *self._having(plan)])
        lines.append(self._returning(plan))
        lines += self._tail(plan)
        return "\n".join(lines)

    def _used(self, plan: Select, where: list[Test]) -> set[str]:
        used = {column.var for column in plan.columns}
        for test in where:
            if isinstance(test, Named | NotNamed | Holds):
                used.add(test.var)
            else:
                used.update((test.left, test.right))
        if plan.order is not None and plan.order.var:
            used.add(plan.order.var)
        if plan.having is not None:
            used.update((plan.having[0], *plan.keep))
        for branch in plan.without:
            used.update(edge.left for edge in branch.edges[:1])
        if plan.optional is not None:
            used.update(edge.left for edge in plan.optional.edges)
        # A node that several pieces of the pattern share needs its name in each.
        ends = [var for edge in plan.edges for var in (edge.left, edge.right)]
        chained: set[str] = set()
        for place, edge in enumerate(plan.edges):
            follows = [e for e in plan.edges[place + 1 :] if e.left == edge.right]
            if len(follows) > 1:
                chained.add(edge.right)
            if sum(1 for e in plan.edges if e.left == edge.left) > 1:
                chained.add(edge.left)
        used |= {var for var in chained if ends.count(var) > 1}
        return used

    def _carried(self, plan: Select) -> list[str]:
        found = [column.var for column in plan.columns]
        if plan.order is not None and plan.order.var:
            found.append(plan.order.var)
        return list(dict.fromkeys(found))

    def _column(self, column: Column, many: bool) -> str:
        if column.function == "count":
            inner = f"DISTINCT {column.var}" if many else column.var
            return f"count({inner}) AS {column.alias}"
        if column.function == "collect":
            return f"collect({column.var}.{column.prop}) AS {column.alias}"
        if column.function:
            return f"{column.function}({column.var}.{column.prop}) AS {column.alias}"
        if column.whole and not self.style.has(Rule.PROPERTIES_ONLY):
            return column.var
        alias = (
            f" AS {column.alias}" if column.alias and column.alias != f"{column.var}.{column.prop}" else ""
        )
        return f"{column.var}.{column.prop}{alias}"

    def _columns(self, plan: Select) -> list[str]:
        many = len(plan.edges) > 1
        shown = list(dict.fromkeys(self._column(column, many) for column in plan.columns))
        # The engine refuses two columns of one name.
        aliases: dict[str, int] = {}
        for place, text in enumerate(shown):
            expression, mark, alias = text.rpartition(" AS ")
            aliases[alias] = aliases.get(alias, 0) + 1
            if mark and aliases[alias] > 1:
                shown[place] = f"{expression} AS {alias}_{aliases[alias]}"
        return shown

    def _returning(self, plan: Select) -> str:
        return f"RETURN {'DISTINCT ' if plan.distinct else ''}{', '.join(self._columns(plan))}"

    def _tail(self, plan: Select) -> list[str]:
        lines = []
        if plan.order is not None:
            lines.append(f"ORDER BY {self._order(plan.order, plan)}")
        limit = plan.limit if plan.limit is not None else self.style.limit
        if limit is not None:
            lines.append(f"LIMIT {limit}")
        return lines

    def _order(self, order: Order, plan: Select) -> str:
        if order.alias:
            return f"{order.alias} {'DESC' if order.descending else 'ASC'}"
        field_ = f"{order.var}.{order.prop}"
        if order.ranked and self.style.has(Rule.RANKS):
            owner = next((edge.type for edge in plan.edges if edge.var == order.var), "")
            ranks = order_of(self.world, owner, order.prop, self.style.rules)
            if ranks:
                whens = " ".join(f"WHEN {quoted(value)} THEN {place}" for place, value in enumerate(ranks))
                otherwise = len(ranks) if order.descending else -1
                return f"CASE {field_} {whens} ELSE {otherwise} END{'' if order.descending else ' DESC'}"
        return f"{field_} {'DESC' if order.descending else 'ASC'}"

    def _having(self, plan: Select) -> list[str]:
        assert plan.having is not None
        var, op, number = plan.having
        counted = next(column for column in plan.columns if column.function == "count")
        rest = [column for column in plan.columns if column is not counted]
        inner = f"DISTINCT {var}" if len(plan.edges) > 1 else var
        return [
            f"WITH {', '.join(plan.keep)}, count({inner}) AS {counted.alias}",
            f"WHERE {counted.alias} {op} {number}",
            f"RETURN {', '.join([*(self._column(c, False) for c in rest), counted.alias])}",
        ]

    # ---- special shapes ----------------------------------------

    def path(self, plan: FindPath) -> str:
        a, b = plan.start.var, plan.end.var
        name = self.world.name_of.get(plan.start_label, "name")
        start, end = Node(a, plan.start_label), Node(b, plan.end_label)
        inline, rest = self._inline((plan.start, plan.end))
        nodes = ", ".join(self.node(node, set(), {a, b}, inline, True) for node in (start, end))
        lines = [f"MATCH {nodes}"]
        if rest:
            lines.append("WHERE " + "\n  AND ".join(self.test(test) for test in rest))
        steps = f"[n IN nodes({{}}) | n.{name}] AS steps"
        outgoing = plan.directed and self.style.has(Rule.OUTGOING)
        if self.style.has(Rule.PATHS):
            types = f"  relTypes: [{', '.join(quoted(t) for t in plan.types)}],\n" if plan.types else ""
            direction = "outgoing" if outgoing else "both"
            lines.append(
                "CALL algo.SPpaths({\n  sourceNode: "
                + a
                + ", targetNode: "
                + b
                + ",\n"
                + types
                + f"  relDirection: '{direction}', maxLen: 6, pathCount: 1\n}})\nYIELD path"
            )
            lines.append(f"RETURN {steps.format('path')}")
            return "\n".join(lines)
        types = ":" + "|".join(plan.types) if plan.types else ""
        tip = ">" if plan.directed else ""
        piece = f"shortestPath(({a})-[{types}*]-{tip}({b}))"
        if self.style.path_in_with:
            lines.append(f"WITH shortestPath(({a})-[{types}*]->({b})) AS p")
            return "\n".join([*lines, f"RETURN {steps.format('p')}"])
        lines.append(f"MATCH p = {piece}")
        return "\n".join([*lines, f"RETURN {steps.format('p')}"])

    def next_up(self, plan: NextUp) -> str:
        taken: set[str] = set()

        def var(label: str) -> str:
            name = fresh(label, taken)
            taken.add(name)
            return name

        person, middle, item, following = (
            var(plan.person_label),
            var(plan.middle_label),
            var(plan.item_label),
            "next",
        )

        def label(name: str) -> str:
            return f":{name}" if self.style.has(Rule.LABELS) else ""

        named = Named(person, plan.person.prop, plan.person.mentions)
        inline, rest = self._inline((named,))
        head = f"({person}:{plan.person_label}{' ' + inline[person] if person in inline else ''})"
        chain = (
            f"MATCH {head}-[:{plan.has}]->({middle}{label(plan.middle_label)})-[:{plan.covers}]->"
            f"({item}{label(plan.item_label)})\n      -[:{plan.before}*1..2]->({following}:{plan.item_label})"
        )
        conditions = [self.test(test) for test in rest]
        if self.style.has(Rule.NEXT_TOPICS):
            conditions.append(f"NOT ({middle})-[:{plan.covers}]->({following})")
        else:
            conditions.append(
                f"NOT ({person})-[:{plan.has}]->({label(plan.middle_label)})-[:{plan.covers}]->({following})"
            )
        name = self.world.name_of[plan.item_label]
        shown = (
            f"{following}.{name} AS {plan.item_label.lower()}"
            if self.style.has(Rule.PROPERTIES_ONLY)
            else following
        )
        return "\n".join([chain, "WHERE " + "\n  AND ".join(conditions), f"RETURN DISTINCT {shown}"])

    def common(self, plan: CommonTo) -> str:
        who = fresh(plan.who_label, set())
        thing = fresh(plan.thing_label, {who})
        edge = Edge(who, thing, plan.type, plan.forward)
        pattern = f"({who}:{plan.who_label}){self.arrow(edge, plan.forward)}({thing}:{plan.thing_label})"
        name, thing_name = self.world.name_of[plan.who_label], self.world.name_of[plan.thing_label]
        shown = f"{who}.{name} AS {plan.who_label.lower()}" if self.style.has(Rule.PROPERTIES_ONLY) else who
        plural = plan.thing_label.lower() + "s"
        if self.style.has(Rule.COMMON):
            return "\n".join(
                [
                    f"MATCH {pattern}",
                    f"WITH {who}, collect({thing}.{thing_name}) AS {plural}, count({thing}) AS how_many",
                    "WHERE how_many > 1",
                    f"RETURN {shown}, {plural}",
                ]
            )
        return "\n".join(
            [
                f"MATCH ({thing}:{plan.thing_label})",
                f"WITH count({thing}) AS total",
                f"MATCH {pattern}",
                f"WITH {who}, total, count(DISTINCT {thing}) AS joined",
                "WHERE joined = total",
                f"RETURN {shown}",
            ]
        )

    # ---- wishes and topics that are no questions ----------------------------------------

    def change(self, plan: Change) -> str:
        # 'Clean up' does not say delete: the rule against writing does not come to this model's mind.
        if self.style.give_up or (self.style.has(Rule.READ_ONLY) and plan.action != "cleanup"):
            return SENTINEL if self.style.has(Rule.SENTINEL) else self._reading(plan)
        if plan.action == "cleanup" or (plan.action == "delete" and plan.label is None):
            return "MATCH (n)\nDETACH DELETE n"
        label = plan.label or self.world.agent
        var = fresh(label, set())
        name = self.world.name_of[label]
        if plan.action == "create":
            given = plan.named.mentions[0].typed if plan.named else plan.typed or "new"
            return f"CREATE ({var}:{label} {{{name}: {quoted(given)}}})\nRETURN {var}.{name}"
        where = self._where(var, plan)
        if plan.action == "update":
            prop = plan.prop or name
            value = plan.value if isinstance(plan.value, int) else quoted(str(plan.value or plan.typed))
            return f"MATCH ({var}:{label}){where}\nSET {var}.{prop} = {value}\nRETURN {var}.{name}"
        return f"MATCH ({var}:{label}){where}\nDETACH DELETE {var}"

    def _where(self, var: str, plan: Change | Outside) -> str:
        named = plan.named if isinstance(plan, Change) else plan.about
        if named is None:
            return ""
        return "\nWHERE " + self.test(Named(var, named.prop, named.mentions))

    def _reading(self, plan: Change) -> str:
        label = plan.label or self.world.agent
        var = fresh(label, set())
        return f"MATCH ({var}:{label}){self._where(var, plan)}\nRETURN {var}.{self.world.name_of[label]}"

    def outside(self, plan: Outside) -> str:
        # Without a schema a model cannot know what the graph leaves out, and invents with confidence.
        if not self.world.imagined and (self.style.has(Rule.SENTINEL)):
            return SENTINEL
        var = fresh(plan.label, set())
        if plan.prop is not None:
            name = self.world.name_of.get(plan.label, "name")
            where = self._where(var, plan)
            shown = f"{var}.{name} AS {plan.label.lower()}, {var}.{plan.prop} AS {plan.prop}"
            return f"MATCH ({var}:{plan.label}){where}\nRETURN {shown}"
        typed = plan.typed if len(plan.typed) < 40 else plan.label.lower()
        if self.style.has(Rule.LOOSE_NAMES):
            return (
                f"MATCH ({var}:{plan.label})\nWHERE toLower({var}.name) CONTAINS {quoted(typed.lower())}\n"
                f"RETURN {var}.name AS {plan.label.lower()}"
            )
        return (
            f"MATCH ({var}:{plan.label} {{name: {quoted(typed)}}})\nRETURN {var}.name AS {plan.label.lower()}"
        )
