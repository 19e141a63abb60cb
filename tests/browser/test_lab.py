"""JupyterLab as a learner sees it: a lesson untouched, a lesson run, an exercise done."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

from course_lib.classroom.source import parse_lesson
from course_lib.settings import project_root
from tests.browser.conftest import PATIENCE_MS, SCREENSHOTS, Lab, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Locator, Page

FIRST_GRAPH = "01_first_graph.ipynb"
ASK_MORE = "02_ask_more.ipynb"
STILL = 'img[src^="data:image/svg+xml;base64,"]'


def open_lesson(page: Page, lab: Lab, name: str) -> None:
    """Opens a lesson and waits until its kernel is ready."""
    page.goto(lab.url(name))
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()

    def ready() -> bool:
        sessions = [s for s in lab.api("sessions") if s["path"] == name]
        return any(s["kernel"]["execution_state"] == "idle" for s in sessions)

    wait_for(ready, "the lesson's kernel is idle")


def scroll_to(page: Page, what: str) -> Locator:
    """Scrolls down the notebook until something is there: JupyterLab draws what is in sight only."""
    found = page.locator(what).first
    scroller = page.locator(".jp-WindowedPanel-outer").first
    scroller.evaluate("panel => panel.scrollTo(0, 0)")

    def step() -> bool:
        if found.count():
            return True
        scroller.evaluate("panel => panel.scrollBy(0, panel.clientHeight / 2)")
        return False

    wait_for(step, f"{what} comes into sight")
    found.scroll_into_view_if_needed()
    return found


def run_all(page: Page, lab: Lab, name: str) -> None:
    """Runs every cell, waits for the end, and saves."""
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    code = [c for c in lab.notebook(name)["cells"] if c["cell_type"] == "code"]
    prompt = f"[{len(code)}]:"
    wait_for(
        lambda: scroll_to_end(page).locator(".jp-InputPrompt", has_text=prompt).count(),
        f"the last cell has the number {prompt}",
    )
    page.keyboard.press("Escape")
    page.keyboard.press("Control+s")


def scroll_to_end(page: Page) -> Page:
    page.locator(".jp-WindowedPanel-outer").first.evaluate("panel => panel.scrollTo(0, panel.scrollHeight)")
    return page


def test_a_shipped_lesson_shows_its_pictures_though_nobody_has_trusted_it(page: Page, lab: Lab) -> None:
    # As it lies in notebooks/: the copies that learners work in hold no outputs.
    shipped = "shipped.ipynb"
    shutil.copyfile(project_root() / "notebooks" / FIRST_GRAPH, lab.folder / "work" / shipped)
    open_lesson(page, lab, shipped)
    cells = lab.api(f"contents/{shipped}")["content"]["cells"]
    assert not any(cell["metadata"].get("trusted") for cell in cells)
    picture = scroll_to(page, STILL)
    width = picture.evaluate("async image => { await image.decode(); return image.naturalWidth; }")
    assert width > 300
    assert "Payal" in (picture.get_attribute("alt") or "")
    assert picture.evaluate("image => image.getBoundingClientRect().width") > 300
    table = picture.locator("xpath=following::details[1]")
    table.locator("summary").click()
    table.locator("td", has_text="Coding Club").first.wait_for()
    table.locator("summary").click()
    picture.screenshot(path=SCREENSHOTS / "untrusted-picture.png")
    # By now JupyterLab would have asked what it likes to ask at a first start.
    assert page.locator(".jp-Dialog, .Toastify__toast").count() == 0


def drawn_frame(page: Page) -> Frame:
    """The frame of the first live picture, once it says that it is drawn."""
    handle = scroll_to(page, "iframe[srcdoc]").element_handle()
    assert handle is not None
    frame = handle.content_frame()
    assert frame is not None
    frame.wait_for_selector('body[data-drawn="yes"]', timeout=PATIENCE_MS)
    return frame


COLOURS = """
() => {
  const canvas = document.querySelector("canvas");
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = {};
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] === 255) {
      const colour = "#" + [0, 1, 2].map(k => data[i + k].toString(16).padStart(2, "0")).join("");
      seen[colour] = (seen[colour] || 0) + 1;
    }
  }
  return seen;
}
"""


def test_a_lesson_runs_to_its_end_and_its_pictures_come_alive(page: Page, lab: Lab) -> None:
    from course_lib.views.palette import STYLES

    open_lesson(page, lab, FIRST_GRAPH)
    run_all(page, lab, FIRST_GRAPH)
    frame = drawn_frame(page)
    seen = frame.evaluate(COLOURS)
    for label in ("Student", "Subject", "Club", "Skill", "Project"):
        assert seen.get(STYLES[label].colour, 0) > 50, f"{label} is not drawn"
    page.locator("iframe[srcdoc]").first.screenshot(path=SCREENSHOTS / "live-picture.png")

    scale = frame.evaluate("network.getScale()")
    frame.get_by_role("button", name="zoom in").click()
    wait_for(lambda: frame.evaluate("network.getScale()") > scale, "the picture is zoomed in")

    def saved() -> bool:
        code = [c for c in lab.notebook(FIRST_GRAPH)["cells"] if c["cell_type"] == "code"]
        return all(c["execution_count"] for c in code) and "<iframe" in str(code)

    wait_for(saved, "the notebook is saved with what ran")
    outputs = [o for c in lab.notebook(FIRST_GRAPH)["cells"] for o in c.get("outputs", [])]
    assert [o for o in outputs if o["output_type"] == "error"] == []
    assert [o for o in outputs if o.get("name") == "stderr"] == []


def test_an_exercise_goes_from_not_attempted_to_right(page: Page, lab: Lab) -> None:
    # A notebook that no other test has run: its cells count from 1.
    lesson = parse_lesson(project_root() / "solutions" / "02_ask_more.py")
    exercise = lesson.exercise("02.1")
    open_lesson(page, lab, ASK_MORE)
    run_all(page, lab, ASK_MORE)
    check = 'lesson.check("02.1"'
    scroll_to(page, f".jp-CodeCell:has-text('{check}')")
    cell = page.locator(".jp-CodeCell", has_text=check).first
    cell.locator(".jp-OutputArea-output", has_text="not attempted").wait_for()
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(exercise.source)
    page.keyboard.press("Control+Enter")
    cell.locator(".jp-OutputArea-output", has_text=re.compile(r"\bright\b")).first.wait_for()
    assert "not attempted" not in cell.locator(".jp-OutputArea").inner_text()
    cell.scroll_into_view_if_needed()
    cell.screenshot(path=SCREENSHOTS / "verdict-right.png")


def test_nothing_asked_for_a_network(lab: Lab) -> None:
    assert lab.asked_elsewhere == []
