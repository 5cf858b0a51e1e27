"""Write the pictures of a report for the first page of the site: wide and narrow, light and dark.

The narrow pictures have only the leaderboard. `make pictures` runs this script, which
needs Chromium.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from playwright.sync_api import sync_playwright

ASSETS = Path(__file__).parent / "assets"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
FLAGS += ["--disable-background-networking", "--disable-component-update"]
COLLECTION = "simulate -o c --topics 20 --systems 6 --seed 4"
REPORT = "report c/qrels.txt {runs} -m nDCG@10 -m AP --baseline system3 -o report.html"
SCHEMES: dict[Literal["light", "dark"], str] = {"light": "", "dark": "-dark"}
SIZES = {"report": (1200, 570), "report-narrow": (400, 900)}


def write() -> None:
    with TemporaryDirectory() as folder:
        rankwise(COLLECTION, folder)
        runs = " ".join(f"c/runs/system{number}.run" for number in range(1, 7))
        rankwise(REPORT.format(runs=runs), folder)
        photograph(Path(folder, "report.html"))


def rankwise(command: str, folder: str) -> None:
    subprocess.run([sys.executable, "-m", "rankwise", *command.split()], cwd=folder, check=True)


def photograph(report: Path) -> None:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name, (width, height) in SIZES.items():
            for scheme, ending in SCHEMES.items():
                page = browser.new_page(
                    viewport={"width": width, "height": height},
                    color_scheme=scheme,
                    device_scale_factor=1 if width > 600 else 2,
                )
                page.goto(report.as_uri())
                page.wait_for_selector("html[data-ready]")
                shown = page if width > 600 else page.locator("main table").first
                shown.screenshot(path=ASSETS / f"{name}{ending}.png")
        browser.close()


if __name__ == "__main__":
    write()
