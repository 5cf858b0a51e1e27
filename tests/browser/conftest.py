"""Chromium, where it is: Debian's package, driven by playwright. Elsewhere the tests say so."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
FLAGS += ["--disable-background-networking", "--disable-component-update"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not found: the tests in a browser are left out")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: no tests in a browser"
    )
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open a page from disk with the network off; whatever the console says is an error."""
    contexts, said, asked = [], [], []

    def call(path: Path, address: str = "", *, width: int = 1400, scheme: str = "light") -> Any:
        size = {"width": width, "height": 900}
        context = browser.new_context(
            viewport=size, color_scheme=scheme, offline=True, accept_downloads=True
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{path.as_uri()}{address}")
        page.wait_for_selector("html[data-ready]")
        return page

    yield call
    for context in contexts:
        context.close()
    assert said == []
    assert [url for url in asked if not url.startswith(("file:", "blob:"))] == []
