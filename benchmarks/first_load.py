"""What a first visit to each page costs on a slow network: bytes, and seconds until it is painted.

    python benchmarks/first_load.py [--speed 200] [--rounds 3] [--json]

A server is started as its own process, and a Chromium with an empty cache and a network of so many
kB a second opens each page. Measured are the bytes that travelled (packed), the first contentful
paint (the bar with its links) and the time until the page answers a press. Targets: 700 kB, 2 s.

Seconds are wall-clock times, the median of the rounds: run it on a machine with nothing else to do.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from serve import CHROMIUM, PATIENCE, serving

from inarow.ui.web.theme import PAGES

MOST_BYTES, MOST_SECONDS = 700_000, 2.0
LATENCY = 20  # milliseconds
SENT = """['navigation', 'resource'].flatMap(kind => performance.getEntriesByType(kind))
  .reduce((sum, entry) => sum + entry.transferSize, 0)"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"


def visit(browser: Browser, address: str, speed: int) -> tuple[int, float, float]:
    """Bytes, seconds to the first paint, and to a page that answers, of one first visit."""
    context = browser.new_context()
    try:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        network = {"offline": False, "latency": LATENCY}
        network |= {"downloadThroughput": speed * 1000, "uploadThroughput": speed * 1000}
        context.new_cdp_session(page).send("Network.emulateNetworkConditions", network)
        page.goto(address, wait_until="commit")
        page.wait_for_function("window.did_handshake")
        ready = page.evaluate("performance.now() / 1000")
        page.wait_for_load_state("networkidle")
        return page.evaluate(SENT), page.evaluate(PAINT), ready
    finally:
        context.close()


def measure(speed: int, rounds: int) -> list[dict[str, object]]:
    rows = []
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        visit(browser, server.address, 10_000)  # the server packs its scripts once
        for name, path in PAGES.items():
            if name == "API":  # a plain page without scripts
                continue
            found = [visit(browser, server.address + path, speed) for _ in range(rounds)]
            sent, paint, ready = (statistics.median(part) for part in zip(*found, strict=True))
            good = sent < MOST_BYTES and paint < MOST_SECONDS
            rows.append(
                {"page": name, "bytes": sent, "paint": paint, "ready": ready, "passes": good}
            )
        browser.close()
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--speed", type=int, default=200, help="kB a second")
    parser.add_argument("--rounds", type=int, default=3, help="visits to each page")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    options = parser.parse_args()
    if CHROMIUM is None:
        parser.error("no Chromium is installed")
    if options.speed < 1 or options.rounds < 1:
        parser.error("a speed and rounds of 1 or more")
    rows = measure(options.speed, options.rounds)
    if options.json:
        print(json.dumps({"speed": options.speed, "rows": rows, "load": os.getloadavg()[0]}))
    else:
        print("page         kB  first paint s  answers after s")
        for row in rows:
            numbers = f"{row['bytes'] / 1000:6.0f}  {row['paint']:13.2f}  {row['ready']:15.2f}"
            print(f"{row['page']:8} {numbers}  {'pass' if row['passes'] else 'FALLS SHORT'}")
        print(f"at {options.speed} kB a second; load of the machine {os.getloadavg()[0]:.1f}")
    return 0 if all(row["passes"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
