"""Where the nodes of a picture stand.

The same drawing gets the same places on every machine: nothing but additions, products and square roots in a
fixed order, which give the same digits everywhere, and a random generator with a fixed seed. Distances in the
picture follow the number of hops ("stress majorization", Gansner, Koren and North, 2004); of a few starts the
one with the fewest crossings is taken; then names are pushed off one another.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """The room that a node takes with its name, from the node's centre, in pixels."""

    half_width: float
    above: float
    below: float


@dataclass(frozen=True)
class Layout:
    """Places in pixels, the top left corner at (0, 0)."""

    places: Mapping[str, Point]
    width: float
    height: float


def lay_out(
    boxes: Mapping[str, Box],
    edges: Sequence[tuple[str, str]],
    length: float,
    width: float,
) -> Layout:
    """Places nodes so that those a hop apart stand about `length` apart and no name covers another.

    Args:
        boxes: node key -> the room it takes, in the order that decides all ties.
        edges: pairs of keys, from and to.
        length: the wanted length of a relationship, in pixels.
        width: how wide the picture may become before parts go below one another, in pixels.
    """
    neighbours: dict[str, set[str]] = {key: set() for key in boxes}
    for source, target in edges:
        if source != target:
            neighbours[source].add(target)
            neighbours[target].add(source)
    parts = []
    for keys in _components(list(boxes), neighbours):
        places = _lay_out_component(keys, neighbours, edges, length, width)
        _separate(places, boxes)
        parts.append(_moved_to_corner(places, boxes))
    return _pack(parts, width, gap=length * 0.35)


def _components(keys: Sequence[str], neighbours: Mapping[str, set[str]]) -> list[list[str]]:
    """Connected parts, the largest first, each in the order of `keys`."""
    order = {key: index for index, key in enumerate(keys)}
    left = dict.fromkeys(keys)
    found = []
    while left:
        start = next(iter(left))
        part = {start}
        todo = [start]
        while todo:
            for key in neighbours[todo.pop()]:
                if key not in part:
                    part.add(key)
                    todo.append(key)
        for key in part:
            del left[key]
        found.append(sorted(part, key=order.__getitem__))
    return sorted(found, key=lambda part: (-len(part), order[part[0]]))


def _lay_out_component(
    keys: Sequence[str],
    neighbours: Mapping[str, set[str]],
    edges: Sequence[tuple[str, str]],
    length: float,
    width: float,
) -> dict[str, Point]:
    if len(keys) == 1:
        return {keys[0]: (0.0, 0.0)}
    index = {key: i for i, key in enumerate(keys)}
    links = [sorted(index[other] for other in neighbours[key]) for key in keys]
    hops = [_hops(links, i) for i in range(len(keys))]
    pairs = [(i, j) for i, others in enumerate(links) for j in others if i < j]
    best: tuple[tuple[float, float], list[Point]] | None = None
    # Few nodes: many starts cost nothing and spare a crossing.
    for seed in range(16 if len(keys) <= 24 else 6 if len(keys) <= 40 else 2 if len(keys) <= 90 else 1):
        points = _stress(hops, random.Random(seed))  # noqa: S311 - places, not secrets
        faults = _crossings(points, pairs) + 2 * _passed_through(points, pairs)
        score = (float(faults), _stress_of(points, hops))
        if best is None or (score[0], round(score[1], 6)) < (best[0][0], round(best[0][1], 6)):
            best = (score, points)
    assert best is not None
    points = _lying(best[1])
    # Arrows read best as the eye goes, from left to right.
    if sum(points[index[b]][0] - points[index[a]][0] for a, b in edges if a in index) < 0:
        points = [(-x, y) for x, y in points]
    # Wide rather than high, as screens are; never wider than the picture may be.
    stretch = 1.25 if len(keys) > 3 else 1.0
    spread = max(x for x, _ in points) - min(x for x, _ in points)
    scale = length if spread * length * stretch <= width else width / (spread * stretch)
    return {key: (x * scale * stretch, y * scale) for key, (x, y) in zip(keys, points, strict=True)}


def _hops(links: Sequence[Sequence[int]], start: int) -> list[int]:
    found = [-1] * len(links)
    found[start] = 0
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for there in links[here]:
            if found[there] < 0:
                found[there] = found[here] + 1
                queue.append(there)
    return found


def _stress(hops: Sequence[Sequence[int]], chance: random.Random) -> list[Point]:
    """Moves each node, again and again, to where its hop distances to all others fit best."""
    count = len(hops)
    side = count**0.5
    xs = [chance.random() * side for _ in range(count)]
    ys = [chance.random() * side for _ in range(count)]
    weights = [[0.0 if d == 0 else 1.0 / (d * d) for d in row] for row in hops]
    totals = [sum(row) for row in weights]
    for _ in range(300 if count <= 40 else 90 if count <= 90 else 50):
        moved = 0.0
        for i in range(count):
            xi, yi, new_x, new_y = xs[i], ys[i], 0.0, 0.0
            row, weight = hops[i], weights[i]
            for j in range(count):
                if i == j:
                    continue
                dx, dy = xi - xs[j], yi - ys[j]
                distance = math.sqrt(dx * dx + dy * dy) or 1e-9
                pull = row[j] / distance
                new_x += weight[j] * (xs[j] + dx * pull)
                new_y += weight[j] * (ys[j] + dy * pull)
            new_x /= totals[i]
            new_y /= totals[i]
            moved = max(moved, abs(new_x - xi), abs(new_y - yi))
            xs[i], ys[i] = new_x, new_y
        if moved < 2e-3:
            break
    return list(zip(xs, ys, strict=True))


def _stress_of(points: Sequence[Point], hops: Sequence[Sequence[int]]) -> float:
    total = 0.0
    for i, (x, y) in enumerate(points):
        for j in range(i):
            u, v = points[j]
            distance = math.sqrt((x - u) * (x - u) + (y - v) * (y - v))
            total += ((distance - hops[i][j]) / hops[i][j]) ** 2
    return total


def _crossings(points: Sequence[Point], pairs: Sequence[tuple[int, int]]) -> int:
    def side(a: Point, b: Point, c: Point) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    count = 0
    for n, (a, b) in enumerate(pairs):
        pa, pb = points[a], points[b]
        for c, d in pairs[:n]:
            if len({a, b, c, d}) < 4:
                continue
            pc, pd = points[c], points[d]
            if side(pa, pb, pc) * side(pa, pb, pd) < 0 and side(pc, pd, pa) * side(pc, pd, pb) < 0:
                count += 1
    return count


def _passed_through(points: Sequence[Point], pairs: Sequence[tuple[int, int]]) -> int:
    """How often a line runs through a node that it does not belong to."""
    near = 0.16  # of a hop's length: about a node's radius
    count = 0
    for a, b in pairs:
        (x, y), (u, v) = points[a], points[b]
        dx, dy = u - x, v - y
        square = dx * dx + dy * dy
        for c, (p, q) in enumerate(points):
            if c in (a, b):
                continue
            along = ((p - x) * dx + (q - y) * dy) / (square or 1e-9)
            if 0 < along < 1 and (x + along * dx - p) ** 2 + (y + along * dy - q) ** 2 < near * near:
                count += 1
    return count


def _lying(points: Sequence[Point]) -> list[Point]:
    """Turns the points so that they spread most from left to right."""
    count = len(points)
    mx, my = sum(x for x, _ in points) / count, sum(y for _, y in points) / count
    xx = sum((x - mx) ** 2 for x, _ in points)
    yy = sum((y - my) ** 2 for _, y in points)
    xy = sum((x - mx) * (y - my) for x, y in points)
    # The main axis without an arc tangent, whose last digit differs between C libraries.
    root = math.sqrt((xx - yy) ** 2 + 4 * xy * xy)
    ax, ay = (xx - yy + root, 2 * xy) if xx >= yy else (2 * xy, yy - xx + root)
    norm = math.sqrt(ax * ax + ay * ay)
    if norm < 1e-9:
        return [(x - mx, y - my) for x, y in points]
    c, s = ax / norm, ay / norm
    return [((x - mx) * c + (y - my) * s, (y - my) * c - (x - mx) * s) for x, y in points]


def _separate(places: dict[str, Point], boxes: Mapping[str, Box]) -> None:
    """Pushes overlapping boxes apart, each pair along the way that is shorter."""
    keys = list(places)
    for _ in range(300):
        clean = True
        for n, one in enumerate(keys):
            for other in keys[:n]:
                (x, y), (u, v) = places[one], places[other]
                a, b = boxes[one], boxes[other]
                over_x = a.half_width + b.half_width - abs(x - u)
                if over_x <= 0:
                    continue
                over_y = a.above + b.below - (y - v) if y >= v else b.above + a.below - (v - y)
                if over_y <= 0:
                    continue
                clean = False
                if over_x < over_y:
                    push = (over_x / 2 + 0.5) * (1 if x >= u else -1)
                    places[one], places[other] = (x + push, y), (u - push, v)
                else:
                    push = (over_y / 2 + 0.5) * (1 if y >= v else -1)
                    places[one], places[other] = (x, y + push), (u, v - push)
        if clean:
            return


def _moved_to_corner(places: Mapping[str, Point], boxes: Mapping[str, Box]) -> Layout:
    left = min(x - boxes[key].half_width for key, (x, _) in places.items())
    top = min(y - boxes[key].above for key, (_, y) in places.items())
    right = max(x + boxes[key].half_width for key, (x, _) in places.items())
    bottom = max(y + boxes[key].below for key, (_, y) in places.items())
    return Layout({key: (x - left, y - top) for key, (x, y) in places.items()}, right - left, bottom - top)


def _pack(parts: Sequence[Layout], width: float, gap: float) -> Layout:
    """Sets unconnected parts side by side, the largest first; small ones stand above one another."""
    limit = max([width, *(part.width for part in parts)])
    rows: list[list[list[Layout]]] = []
    for part in parts:
        if rows:
            row = rows[-1]
            column = row[-1]
            if len(row) > 1 and _height([*column, part], gap) <= _height(row[0], gap):
                column.append(part)
                if _row_width(row, gap) <= limit:
                    continue
                column.pop()
            row.append([part])
            if _row_width(row, gap) <= limit:
                continue
            row.pop()
        rows.append([[part]])
    places: dict[str, Point] = {}
    top = 0.0
    for row in rows:
        height = max(_height(column, gap) for column in row)
        left = 0.0
        for column in row:
            down = top + (height - _height(column, gap)) / 2
            broad = max(part.width for part in column)
            for part in column:
                right = left + (broad - part.width) / 2
                places.update({key: (x + right, y + down) for key, (x, y) in part.places.items()})
                down += part.height + gap
            left += broad + gap
        top += height + gap
    return Layout(places, max((_row_width(row, gap) for row in rows), default=0.0), max(0.0, top - gap))


def _height(column: Sequence[Layout], gap: float) -> float:
    return sum(part.height for part in column) + gap * (len(column) - 1)


def _row_width(row: Sequence[Sequence[Layout]], gap: float) -> float:
    return sum(max(part.width for part in column) for column in row) + gap * (len(row) - 1)
