"""An event of as many photos as one likes, for pages that have to show them: rows written by hand into a stopped gallery's
database, or into that of nodes before anything has been asked of the event, of the shapes that cameras and croppers make, and some
small pictures that stand for all of them."""
import concurrent.futures
import copy
import os
import random
import shutil
import sqlite3
import subprocess
import tempfile

import bench_gallery as parts
import cluster_postgres

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


def rows(event, owner, stamp, count, scratch, hidden):
    """Each photo's row, after the account's `stamp`, and the files that stand for its thumb and its picture as large as screens."""
    chance, colours = random.Random(1), random.Random(2)
    files = pictures(scratch)
    shapes, weights = [shape for shape, _ in SHAPES], [weight for _, weight in SHAPES]
    # Photos of several events lie beside each other.
    own = event.replace("-", "")
    for number in range(1, count + 1):
        width, height = chance.choices(shapes, weights)[0]
        # More in the evening than in the afternoon.
        moment = START + int((number / count) ** 0.6 * HOURS * 3_600_000)
        key = f"{own[:11]}{number:020x}"
        paths = [chance.choice(files[width, height]) for _ in "ab"]
        yield {
            "id": f"{number:08x}-0000-4000-8000-{own[:12]}", "event_id": event, "owner_id": owner, "sequence": number,
            "sha256": f"{own}{number:032x}", "content_type": "image/jpeg", "size": 8_000_000, "width": width * 16, "height": height * 16,
            "filename": f"DSC_{number:05}.JPG", "camera": "Nikon Z 8", "captured_at": moment, "captured_offset": 0,
            "shown_at": moment, "created_at": moment, "thumb_key": "a" + key, "screen_key": "b" + key, "original_key": "c" + key,
            "thumb_size": os.path.getsize(paths[0]), "screen_size": os.path.getsize(paths[1]), "thumb_width": width, "thumb_height": height,
            "caption": f"Guest {number}" if number % 3 == 0 else "", "tags": '["dance"]' if number % 5 == 0 else "[]",
            "hidden": int(chance.random() < hidden), "updated_at": moment, "stamp": stamp + number,
            "placeholder": colours.randbytes(48)}, paths


def seen(made):
    """The ids of those that guests see, the latest first."""
    return [row["id"] for row, _ in made if not row["hidden"]][::-1]


def fill(data, event, count, scratch, hidden=0.0):
    """Writes them into a stopped gallery's folder."""
    database = sqlite3.connect(os.path.join(data, "gallery.sqlite"), timeout=60)
    owner = database.execute("SELECT owner_id FROM events WHERE id = ?", (event,)).fetchone()[0]
    made = list(rows(event, owner, 0, count, scratch, hidden))
    for row, paths in made:
        for name, path in zip(("thumb_key", "screen_key"), paths):
            link(os.path.join(data, "objects"), row[name], path)
    columns = list(made[0][0])
    with database:
        database.executemany(f"INSERT INTO photos ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
                             [tuple(row.values()) for row, _ in made])
        database.execute("UPDATE event_counts SET sequence = ? WHERE event_id = ?", (count, event))
        database.execute("UPDATE accounts SET stamp = max(stamp, ?)", (count,))
    database.close()
    return seen(made)


def copied(value):
    """As COPY reads it, which takes a backslash for more."""
    return rf"\\x{value.hex()}" if isinstance(value, bytes) else str(value)


def fill_nodes(nodes, event, count, scratch, hidden=0.0):
    """Writes them into the database of a cluster, and their pictures into its bucket."""
    primary = nodes.database.servers[0]

    def ask(statement):
        return primary.ask(statement, cluster_postgres.DATABASE, patience=60)

    owner, stamp = ask(f"SELECT a.id, a.stamp FROM events AS e JOIN accounts AS a ON a.id = e.owner_id WHERE e.id = '{event}'").split("|")
    made = list(rows(event, owner, int(stamp), count, scratch, hidden))

    bucket, prefix = nodes.storage.removeprefix("s3://").split("/")

    def put(key, path):
        with open(path, "rb") as file:
            nodes.store.client.put_object(Bucket=bucket, Key=f"{prefix}/{key}", Body=file.read(), ContentType="image/jpeg")

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda one: put(*one), [(row[name], path) for row, paths in made for name, path in zip(("thumb_key", "screen_key"), paths)]))
    table = os.path.join(nodes.folder, f"photos-{event}")
    with open(table, "w") as file:
        file.writelines("\t".join(map(copied, row.values())) + "\n" for row, _ in made)
    # PostgreSQL runs as another user.
    os.chmod(table, 0o644)
    ask(f"COPY photos ({', '.join(made[0][0])}) FROM '{table}'")
    ask(f"UPDATE event_counts SET sequence = {count} WHERE event_id = '{event}'")
    ask(f"UPDATE accounts SET stamp = {int(stamp) + count} WHERE id = '{owner}'")
    os.remove(table)
    return seen(made)


class Event:
    """An event of so many photos for a walk: that of a program of its own, or one more of the nodes that the walk is over. `server` is
    asked of it, and `ids` are those that guests see."""

    def __init__(self, pages, name, count, hidden=0.0):
        self.folder = tempfile.mkdtemp(prefix=f"pages-{name}-", dir=pages.folder)
        self.is_own = not hasattr(pages.server, "cluster")
        if self.is_own:
            self.server = parts.Server(self.folder)
            self.server.stop()
            self.ids = fill(self.server.data, self.server.event["id"], count, self.folder, hidden)
            self.server.start(self.server.port)
        else:
            self.server = copy.copy(pages.server)
            self.server.event = self.server.call("POST", "/events", {"name": f"All of {name}"})
            self.ids = fill_nodes(self.server.cluster, self.server.event["id"], count, self.folder, hidden)

    def close(self):
        if self.is_own:
            self.server.stop()
        shutil.rmtree(self.folder)
