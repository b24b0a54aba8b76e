"""What a first visit to each page costs on a slow network: bytes, and seconds until it is painted.

    python benchmarks/first_load.py [--speed 200] [--rounds 3] [--json]

A server is started as its own process, and a Chromium with an empty cache and a network of so many
kB a second opens each page. Measured are the bytes that travelled (packed, with headers), the first
contentful paint and the time until the page can be used: on the first page, until its board can be
moved on. Targets: 60 kB, and 1.5 s until the first paint.

Then a phone whose processor is throttled four times opens the first page without a slow network:
until its board can be moved on (1.5 s), and the longest reply of players whose code runs on the
page itself, since throttling does not reach workers (50 ms; 600 ms on 15x15).

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
from urllib.parse import urlsplit

from playwright.sync_api import Browser, sync_playwright
from serve import CHROMIUM, PATIENCE, serving

from inarow.ui.server.pages import LINKS

MOST_BYTES, MOST_SECONDS = 60_000, 1.5
READY = {"/": "inarow-board[data-ready]"}  # what says that a page can be used; else a heading
LATENCY = 20  # milliseconds
SENT = """['navigation', 'resource'].flatMap(kind => performance.getEntriesByType(kind))
  .reduce((sum, entry) => sum + entry.transferSize, 0)"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"


THROTTLE = 4
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
REPLIES = 40  # of a player, after random moves of the other side
LONGEST = {  # milliseconds of a reply
    ("connect4:6x7", "ntuple"): 50,
    ("connect4:6x7", "minimax:6"): 50,
    ("mnk:15x15x5", "shipped:mnk:15x15x5"): 600,
}
LONGEST_REPLY = """async ([game, player, count]) => {
  const board = document.querySelector('inarow-board');
  board.setAttribute('engine', 'page');
  await board.begin({ game, player, side: 'both', moves: '', setUp: 0, resigned: 0 });
  const { engine } = board.game, { columns } = board.description, waits = [];
  let { state } = await engine.ask({ ask: 'state' }), seed = 1;
  while (waits.length < count) {
    if (state.end) {
      while (state.ply) ({ state } = await engine.ask({ ask: 'back' }));
      continue;
    }
    seed = (seed * 48271) % 2147483647;
    let move = state.open[seed % state.open.length] % columns;
    if (state.ply % 2) {
      const began = performance.now();
      ({ move } = await engine.ask({ ask: 'reply' }));
      waits.push(performance.now() - began);
    }
    ({ state } = await engine.ask({ ask: 'play', move }));
  }
  return Math.max(...waits);
}"""


def try_phone(browser: Browser, address: str) -> list[dict[str, object]]:
    """What a throttled phone waits for, with the targets."""
    context = browser.new_context(**PHONE)
    try:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        session = context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
        page.goto(address, wait_until="commit")
        page.wait_for_selector(READY["/"])
        usable = page.evaluate("performance.now()")
        rows = [("usable", usable, 1000 * MOST_SECONDS)]
        for (game, player), most in LONGEST.items():
            longest = page.evaluate(LONGEST_REPLY, [game, player, REPLIES])
            rows.append((f"reply of {player} on {game}", longest, most))
    finally:
        context.close()
    return [
        {"what": what, "ms": round(value, 1), "target_ms": most, "passes": value <= most}
        for what, value, most in rows
    ]


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
        page.wait_for_selector(READY.get(urlsplit(address).path or "/", "h1"))
        ready = page.evaluate("performance.now() / 1000")
        page.wait_for_timeout(1000)  # a page that listens for events is never idle
        return page.evaluate(SENT), page.evaluate(PAINT), ready
    finally:
        context.close()


def measure(speed: int, rounds: int) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Every page, and a phone."""
    rows = []
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        visit(browser, server.address, 10_000)  # what the server makes once is there afterwards
        server.settle()
        for path, name in LINKS.items():
            found = [visit(browser, server.address + path, speed) for _ in range(rounds)]
            sent, paint, ready = (statistics.median(part) for part in zip(*found, strict=True))
            good = sent < MOST_BYTES and paint < MOST_SECONDS
            rows.append(
                {"page": name, "bytes": sent, "paint": paint, "ready": ready, "passes": good}
            )
        waits = try_phone(browser, server.address)
        browser.close()
    return rows, waits


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
    rows, phone = measure(options.speed, options.rounds)
    if options.json:
        load = os.getloadavg()[0]
        print(json.dumps({"speed": options.speed, "rows": rows, "phone": phone, "load": load}))
    else:
        print("page         kB  first paint s  answers after s")
        for row in rows:
            numbers = f"{row['bytes'] / 1000:6.0f}  {row['paint']:13.2f}  {row['ready']:15.2f}"
            print(f"{row['page']:8} {numbers}  {'pass' if row['passes'] else 'FALLS SHORT'}")
        for row in phone:
            verdict = "pass" if row["passes"] else "FALLS SHORT"
            print(f"phone, {row['what']}: {row['ms']} ms ({row['target_ms']} at most)  {verdict}")
        print(f"at {options.speed} kB a second; load of the machine {os.getloadavg()[0]:.1f}")
    return 0 if all(row["passes"] for row in [*rows, *phone]) else 1


if __name__ == "__main__":
    sys.exit(main())
