"""Writes docs/metrics.md from the metrics themselves: `make docs`."""

from pathlib import Path

from rankwise.metrics.catalogue import page

if __name__ == "__main__":
    Path(__file__).with_name("metrics.md").write_text(page(), encoding="utf-8")
