"""An event of as many photos as one likes, for pages that have to show them: rows written by hand into a stopped gallery's
database, of the shapes that cameras and croppers make, and some small pictures that stand for all of them."""
import os
import random
import sqlite3
import subprocess

# Width and height of the thumb, and how often.
SHAPES = [((360, 240), 55), ((240, 360), 25), ((320, 240), 8), ((300, 300), 6), ((360, 203), 4), ((360, 120), 1), ((120, 360), 1)]
COLOURS = ["#7a4b52-#e8c9a8", "#20313f-#8fb1c4", "#3c4a2e-#c9d3a0"]
# 2026-11-21T14:00:00Z, and how long the event goes on.
START, HOURS = 1_795_269_600_000, 9


def pictures(folder):
    """One file for each shape and colour: {shape: [thumb, …]}."""
    made = {}
    for (width, height), _ in SHAPES:
        for place, colours in enumerate(COLOURS):
            path = os.path.join(folder, f"{width}x{height}-{place}.jpg")
            subprocess.run(["convert", "-size", f"{width}x{height}", f"gradient:{colours}", "-quality", "70", path], check=True)
            made.setdefault((width, height), []).append(path)
    return made


def link(objects, key, path):
    folder = os.path.join(objects, key[:2], key[2:4])
    os.makedirs(folder, exist_ok=True)
    os.link(path, os.path.join(folder, key))


def fill(data, event, count, scratch, hidden=0.0):
    """Writes them; answers the ids of those that guests see, the latest first."""
    chance = random.Random(1)
    files = pictures(scratch)
    shapes, weights = [shape for shape, _ in SHAPES], [weight for _, weight in SHAPES]
    database = sqlite3.connect(os.path.join(data, "gallery.sqlite"), timeout=60)
    owner = database.execute("SELECT owner_id FROM events WHERE id = ?", (event,)).fetchone()[0]
    rows, seen = [], []
    for number in range(1, count + 1):
        width, height = chance.choices(shapes, weights)[0]
        # More in the evening than in the afternoon.
        moment = START + int((number / count) ** 0.6 * HOURS * 3_600_000)
        key = f"{number:031x}"
        paths = [chance.choice(files[width, height]) for _ in "ab"]
        for letter, path in zip("ab", paths):
            link(os.path.join(data, "objects"), letter + key, path)
        row = {
            "id": f"{number:08x}-0000-4000-8000-000000000000", "event_id": event, "owner_id": owner, "sequence": number,
            "sha256": f"{number:064x}", "content_type": "image/jpeg", "size": 8_000_000, "width": width * 16, "height": height * 16,
            "filename": f"DSC_{number:05}.JPG", "camera": "Nikon Z 8", "captured_at": moment, "captured_offset": 0,
            "shown_at": moment, "created_at": moment, "thumb_key": "a" + key, "screen_key": "b" + key, "original_key": "c" + key,
            "thumb_size": os.path.getsize(paths[0]), "screen_size": os.path.getsize(paths[1]), "thumb_width": width, "thumb_height": height,
            "caption": f"Guest {number}" if number % 3 == 0 else "", "tags": '["dance"]' if number % 5 == 0 else "[]",
            "hidden": int(chance.random() < hidden), "updated_at": moment, "stamp": number}
        rows.append(row)
        if not row["hidden"]:
            seen.append(row["id"])
    columns = list(rows[0])
    with database:
        database.executemany(f"INSERT INTO photos ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
                             [tuple(row.values()) for row in rows])
        database.execute("UPDATE event_counts SET sequence = ? WHERE event_id = ?", (count, event))
        database.execute("UPDATE accounts SET stamp = max(stamp, ?)", (count,))
    database.close()
    return seen[::-1]
