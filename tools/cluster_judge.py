"""Holds a cluster, when all is over, to what it has said to photographers and guests: by its interface, by its database as
psql shows it, by its store as boto3 shows it, and by the balancer's log. With none of our code but the gallery's own check.
"""
import json
import time
import urllib.parse

import cluster
import cluster_postgres
from cluster_chaos import Wrong
from cluster_clients import Broken, Line, picture
from cluster_processes import wait_until

# Photos are made into two smaller ones: those of the clients are too small for a tile.
OBJECTS_EACH = 3
NINE_DAYS = 9 * 86_400_000


def all_of(client, path, what):
    found, cursor = [], ""
    while cursor is not None:
        page = client.data("GET", f"{path}?limit=200{cursor and '&cursor='}{cursor}")
        found, cursor = found + page[what], page["next"]
    return found


def judge_photos(clients, events, ledger):
    """Every acknowledged picture is one photo of its event, each content once, and charged once."""
    rows = ledger.run("SELECT number, photographer, content, sha256, upload, photo FROM pictures ORDER BY number")
    open_ = [row[0] for row in rows if row[5] is None]
    if open_:
        raise Wrong(f"{len(open_)} pictures have not come to their end, the first is {open_[0]}")
    photos, found = {}, []
    for event in events:
        client = clients[event["email"]]
        listed = all_of(client, f"/events/{event['id']}/photos", "photos")
        wanted = {}
        for number, photographer, _, sha256, _, photo in rows:
            if photographer % len(events) == event["index"]:
                if wanted.setdefault(sha256, photo) != photo:
                    found.append(f"picture {number} was said to be photo {photo}, and before {wanted[sha256]}")
        times = [photo["sha256"] for photo in listed]
        if len(times) != len(set(times)):
            found.append(f"{len(times) - len(set(times))} contents are photos twice in {event['name']}")
        is_there = {photo["sha256"]: photo["id"] for photo in listed}
        if is_there != wanted:
            found.append(f"{event['name']} has {len(is_there)} photos, and {len(wanted)} were acknowledged; "
                         f"{len(set(wanted.items()) - set(is_there.items()))} are missing")
        uploads = all_of(client, f"/uploads/events/{event['id']}", "uploads")
        unfinished = [upload for upload in uploads if upload["status"] != "completed"]
        if unfinished:
            found.append(f"{len(unfinished)} uploads of {event['name']} are not completed: {unfinished[0]}")
        mine = sum(1 for row in rows if row[1] % len(events) == event["index"])
        if len(uploads) != mine:
            found.append(f"{event['name']} has {len(uploads)} uploads of {mine} pictures")
        photos.update({photo["id"]: photo for photo in listed})
    if found:
        raise Wrong("; ".join(found[:10]))
    return photos, rows


def judge_credits(clients, events, photos, granted):
    for email, client in clients.items():
        mine = {event["id"] for event in events if event["email"] == email}
        made = sum(1 for photo in photos.values() if photo["eventId"] in mine)
        left = client.data("GET", "/me")["credits"]
        if left != granted - made:
            raise Wrong(f"{email} was charged {granted - left} credits for {made} photos")


def judge_bytes(clients, events, photos, rows, base, seed, size):
    """Every original, as its owner gets it."""
    owner = {event["id"]: clients[event["email"]] for event in events}
    contents = {row[3]: row[2] for row in rows}
    for photo in photos.values():
        data = fetch(owner[photo["eventId"]], f"/images/{photo['originalKey']}")
        if data != picture(base, seed, contents[photo["sha256"]], size):
            raise Wrong(f"the original of {photo['filename']} has {len(data)} other bytes than were sent")


def fetch(client, target):
    """By whatever addresses it leads to."""
    for _ in range(60):
        try:
            status, headers, data = client.line.ask("GET", target, headers={"Authorization": f"Bearer {client.account.token()}"})
        except Broken:
            continue
        if status in (302, 303, 307):
            url = urllib.parse.urlsplit(headers["Location"])
            status, _, data = Line(f"http://{url.netloc}").ask("GET", f"{url.path}?{url.query}")
        if status == 200:
            return data
        time.sleep(0.2)
    raise Wrong(f"GET {target} was answered {status} again and again")


def judge_guests(guests, photos, events):
    """Each has heard of every photo of its event; how many of them by the stream alone."""
    for guest in guests:
        event = next(event for event in events if event["slug"] == guest.slug)
        wanted = {photo["id"] for photo in photos.values() if photo["eventId"] == event["id"]}
        # The last ones may be under way.
        wait_until(f"guest {guest.number} has heard of all {len(wanted)} photos",
                   lambda guest=guest, wanted=wanted: wanted <= guest.heard or guest.problem, 60)
        if guest.problem or not wanted <= guest.heard:
            raise Wrong(f"guest {guest.number}: {guest.problem}")


def judge_requests(path):
    """No answer of 5xx but "come again"; how many answers there were, how many of those, and how many to schemathesis."""
    answers = again = asked = 0
    with open(path, errors="replace") as file:
        for line in file:
            if not line.endswith("}\n"):
                continue
            entry = json.loads(line)
            answers += 1
            asked += "schemathesis" in entry["agent"]
            if entry["status"] >= 500:
                again += 1
                if entry["status"] != 503 or not entry["retry_after"]:
                    raise Wrong(f"a request was answered {entry['status']}: {line.strip()}")
    return answers, again, asked


def judge_logs(nodes):
    for node in nodes:
        with open(node.log, errors="replace") as file:
            for line in file:
                if "Fatal error" in line or "crashed:" in line or "Assertion failed" in line:
                    raise Wrong(f"{node.name} says {line.strip()[:300]}")


def photo_objects(store):
    """Without the mark that nodes know the place by."""
    names = store.objects(cluster.BUCKET)
    marks = [name for name in names if name.split("/")[-1] == "gallery-mark"]
    if len(marks) != 1:
        raise Wrong(f"there are {len(marks)} marks beside the photos: {marks}")
    return len(names) - 1


def judge_rest(proof_cluster, photos):
    """Nine days later, as far as the database knows, nothing is left over; all nodes sweep at once."""
    ask = lambda statement: proof_cluster.database.primary.ask(statement, cluster_postgres.DATABASE, patience=120)  # noqa: E731
    wait_until("no upload is being worked on", lambda: ask("SELECT count(*) FROM uploads WHERE status = 'processing'") == "0")
    for table, column in (("uploads", "expires_at"), ("places", "expires_at"), ("removals", "due_at")):
        ask(f"UPDATE {table} SET {column} = {column} - {NINE_DAYS}")
    # With those that schemathesis has made.
    there = int(ask("SELECT count(*) FROM photos WHERE deleted_at IS NULL"))
    if there < len(photos):
        raise Wrong(f"the database has {there} photos, and {len(photos)} were acknowledged")
    # One that schemathesis has given an event.
    logos = int(ask("SELECT count(*) FROM events WHERE logo_key IS NOT NULL"))
    wanted, store = OBJECTS_EACH * there + logos, proof_cluster.store
    strays = photo_objects(store) - wanted
    wait_until(f"the store holds {wanted} objects of photos and nothing else", lambda: photo_objects(store) == wanted, 600, 1)
    report = proof_cluster.gallery("check", storage=True, patience=600)
    if " 0 problems" not in report or f" {there} photos" not in report:
        raise Wrong(f"the gallery's own check: {report}")
    return strays
