"""tools/bench wall: the guests' wall of an event of 50,000 photos in headless Chromium, scrolled from end to end.

A phone, a tablet, a desk and a projector scroll by a step for each frame, up to twenty screens a second; what is told: the pace of the
frames, what the page's own thread took of a processor for each, the script's heap after the garbage is collected, at the beginning, on the
way and at the end, and the most tiles that were there at once. How long a link to one of them takes until that is open. And what the
timeline takes that the page lays out by: the first time, after a change, and when nothing has changed.

    python tools/bench_wall.py [PHOTOS [projector]]     only devices of that name
"""
import http.client
import os
import shutil
import statistics
import sys
import tempfile
import time

import bench_gallery
import wall_rows

PHOTOS = 50_000
# And how many screens a second of 60 frames: faster than any finger, so that it comes to an end. A desk has so many photos on its
# screen that the pictures of 20 screens a second are more than two processors can decode.
DEVICES = [("a phone, 390 by 844, 3 pixels for one", (390, 844), 3, 20), ("a tablet, 820 by 1180, 2 for one", (820, 1180), 2, 20),
           ("a desk, 1280 by 800", (1280, 800), 1, 20), ("a desk, 1280 by 800", (1280, 800), 1, 8),
           ("a projector, 1920 by 1080", (1920, 1080), 1, 8)]
SCROLL = """async ([from, to, step, patience]) => {
  const frames = [];
  let [tiles, blank, looked] = [0, 0, 0];
  // Without one for so long the browser has stopped to draw, and would be waited for for ever.
  const frame = () => new Promise((done, fail) => {
    const words = () => `no frame for ${patience} s, after ${frames.length} frames, ${document.visibilityState}`;
    const late = setTimeout(() => fail(new Error(words())), 1000 * patience);
    requestAnimationFrame((now) => {
      clearTimeout(late);
      done(now);
    });
  });
  let last = performance.now();
  for (let y = from; y < to; y += step) {
    scrollTo({ top: y, behavior: 'instant' });
    const now = await frame();
    frames.push(now - last);
    last = now;
    const all = document.querySelectorAll('.wall li').length;
    tiles = Math.max(tiles, all);
    if (frames.length % 10) continue;
    looked += all;
    blank += document.querySelectorAll('.wall li.blank').length;
  }
  return { frames, tiles, blank, looked };
}"""


def settled(page, patience=60):
    """Waits until every tile that is there has its photo."""
    end = time.monotonic() + patience
    # What was scrolled to is built with the next frame.
    page.evaluate("""(patience) => new Promise((done, fail) => {
      setTimeout(() => fail(new Error(`no frame for ${patience} s, ${document.visibilityState}`)), 1000 * patience);
      requestAnimationFrame(() => requestAnimationFrame(done));
    })""", patience)
    while page.evaluate("() => !document.querySelector('.wall li') || document.querySelector('.wall li.blank')"):
        if time.monotonic() > end:
            raise TimeoutError("tiles stay empty")
        time.sleep(0.05)


def scrolled(page, step, parts=4, patience=30):
    """From end to end, in parts: what the frames took, and the heap before, between and after them. A frame is waited for so long."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def metrics():
        session.send("HeapProfiler.collectGarbage")
        session.send("HeapProfiler.collectGarbage")
        return {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}

    end = page.evaluate("() => document.querySelector('.wall').getBoundingClientRect().bottom + scrollY - innerHeight")
    begun, frames, heaps, nodes, tiles, blank, looked = metrics(), [], [], [], 0, 0, 0
    heaps.append(begun["JSHeapUsedSize"])
    for part in range(parts):
        told = page.evaluate(SCROLL, [end * part / parts, end * (part + 1) / parts, step, patience])
        frames += told["frames"]
        tiles, blank, looked = max(tiles, told["tiles"]), blank + told["blank"], looked + told["looked"]
        settled(page)
        now = metrics()
        heaps.append(now["JSHeapUsedSize"])
        nodes.append(now["Nodes"])
    frames.sort()
    busy = 1000 * (now["TaskDuration"] - begun["TaskDuration"]) / len(frames)
    return {"frames": len(frames), "median": statistics.median(frames), "p95": frames[len(frames) * 95 // 100], "worst": frames[-1],
            "slow": sum(frame > 33.4 for frame in frames) / len(frames), "busy": busy, "heaps": heaps, "nodes": max(nodes),
            "tiles": tiles, "blank": blank / max(1, looked)}


def timeline(server):
    """Milliseconds of the first answer, of those after a change, and of those that say that nothing has changed; and bytes."""
    def ask(known=""):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        began = time.monotonic()
        connection.request("GET", f"/e/{server.event['slug']}/timeline", headers={"If-None-Match": known} if known else {})
        answer = connection.getresponse()
        body = answer.read()
        took = 1000 * (time.monotonic() - began)
        connection.close()
        return took, len(body), answer.getheader("ETag")

    first, size, tag = ask()
    again = [ask()[0] for _ in range(20)]
    photo = server.call("GET", f"/events/{server.event['id']}/photos?limit=1")["photos"][0]["id"]
    changed = []
    for number in range(20):
        server.call("PATCH", f"/photos/{photo}", {"hidden": number % 2 == 0})
        took, _, tag = ask()
        changed.append(took)
    same = [ask(tag)[0] for _ in range(20)]
    return first, statistics.median(changed), max(changed), statistics.median(again), statistics.median(same), size


OPENED = """(id) => {
  const image = document.querySelector('dialog.box[open] .stage img');
  return location.hash.slice(1) === id && image?.complete && image.naturalWidth > 0 ? performance.now() : null;
}"""


def by_address(browser, address, ids, rounds=5):
    """Milliseconds from the beginning until a photo is open that a link names, anywhere among all of them, in a browser that has
    never been here."""
    took = []
    for number in range(rounds):
        one = ids[len(ids) * (2 * number + 1) // (2 * rounds)]
        context = browser.new_context(viewport={"width": 390, "height": 844}, device_scale_factor=3)
        page = context.new_page()
        page.goto(f"{address}#{one}", wait_until="commit")
        end = time.monotonic() + 60
        while (shown := page.evaluate(OPENED, one)) is None:
            if time.monotonic() > end:
                raise TimeoutError("the photo of a link does not open")
            time.sleep(0.01)
        took.append(shown)
        context.close()
    return sorted(took)


def run(photos=PHOTOS, only=""):
    from playwright.sync_api import sync_playwright
    os.makedirs(bench_gallery.FOLDER, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="wall-", dir=bench_gallery.FOLDER)
    server = bench_gallery.Server(folder)
    try:
        server.stop()
        ids = wall_rows.fill(server.data, server.event["id"], photos, folder)
        server.start()
        first, changed, worst, again, same, size = timeline(server)
        print(f"bench: the timeline of {photos} photos, {size / 1000:.0f} KB: {first:.0f} ms the first time, {changed:.1f} after a change "
              f"(worst of 20: {worst:.1f}), {again:.1f} without one, {same:.1f} to say so", flush=True)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
            address = f"http://127.0.0.1:{server.port}/e/{server.event['slug']}"
            opened = by_address(browser, address, ids)
            print(f"bench: a link to any of them: its photo is open after {statistics.median(opened):.0f} ms ({opened[0]:.0f} … {opened[-1]:.0f})", flush=True)
            for name, size, pixels, pace in [device for device in DEVICES if only in device[0]]:
                context = browser.new_context(viewport={"width": size[0], "height": size[1]}, device_scale_factor=pixels)
                page = context.new_page()
                page.goto(address, wait_until="load")
                while page.evaluate("() => document.querySelector('.wall').offsetHeight") < photos:
                    time.sleep(0.05)
                settled(page)
                told = scrolled(page, size[1] * pace / 60)
                heaps = ", ".join(f"{heap / 1e6:.1f}" for heap in told["heaps"])
                print(f"bench: {name}, {pace} screens a second: {told['frames']} frames, median {told['median']:.1f} ms, p95 {told['p95']:.1f}, worst {told['worst']:.0f}; "
                      f"{100 * told['slow']:.1f} % above 33 ms; the page's thread {told['busy']:.1f} ms of a processor for each; "
                      f"heap {heaps} MB; at most {told['tiles']} tiles and {told['nodes']} nodes; {100 * told['blank']:.1f} % of tiles "
                      "without their photo while they passed", flush=True)
                context.close()
            browser.close()
    finally:
        server.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else PHOTOS, " ".join(sys.argv[2:]))
