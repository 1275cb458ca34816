"""A gallery in a bad network's other end, and what is in it, for prove-network."""
import hashlib
import http.client
import json
import os
import subprocess
import tempfile
import time

import badnet
import bucket
import proving

PORT = 8090
EMAIL, PASSWORD = "ann@example.org", "a password for a proof"
GALLERY = os.path.join(proving.BIN, "gallery")
# More than any question is: a body of this size is a photo.
PHOTO = 8192


class Gallery:
    """`gallery serve` on the store's address, with one account."""

    url = f"http://{badnet.STORE}:{PORT}"

    def __init__(self, network, folder):
        self.network = network
        self.folder = tempfile.mkdtemp(prefix="gallery-", dir=folder)
        self.password = os.path.join(self.folder, "password")
        with open(self.password, "w") as file:
            file.write(PASSWORD + "\n")
        self.command("user", "add", EMAIL, "--password-file", self.password)
        said, ready = os.path.join(self.folder, "said"), os.path.join(self.folder, "port")
        words = [GALLERY, "serve", "--listen", f"{badnet.STORE}:{PORT}", "--port-file", ready]
        with open(said, "w") as out:
            network.start(network.store, [*words, "--data", self.data], stdout=out, stderr=out)
        until = time.monotonic() + 60
        while not os.path.exists(ready):
            if time.monotonic() > until:
                with open(said) as words:
                    raise proving.Wrong(f"the gallery does not start: {words.read()[-600:]}")
            time.sleep(0.1)

    @property
    def data(self):
        return os.path.join(self.folder, "data")

    def command(self, *words):
        done = subprocess.run([GALLERY, *words, "--data", self.data], capture_output=True, text=True)
        if done.returncode != 0:
            raise proving.Wrong(f"gallery {' '.join(words)}: {proving.reason(done.stderr)}")
        return done.stdout

    def let_in(self, place, event):
        """Logs a home in, gives consent, makes an event and selects it, so that a run may begin without a network."""
        home = ["--home", place.home]
        login = ["login", self.url, "--email", EMAIL, "--password-file", self.password, "--plain-http"]
        for words in (login, ["consent", "--give"], ["events", "create", event], ["events", "select", event]):
            self.network.desk.sh(proving.TETHERLINE, *words, *home)

    # MARK: What is in it, by its own door and not over the bad network

    def inside(self, event):
        """The event's photos and its uploads, as the gallery tells them, and every photo's bytes."""
        return self.network.store.inside(lambda: self.look(event))

    def look(self, event):
        login = self.ask("POST", "/auth/login", {"email": EMAIL, "password": PASSWORD})
        token = login["accessToken"]
        (number,) = [one["id"] for one in self.ask("GET", "/events", token=token) if one["name"] == event]
        photos = self.all(f"/events/{number}/photos", "photos", token)
        for photo in photos:
            photo["found"] = hashlib.sha256(self.get(f"/images/{photo['originalKey']}", token)).hexdigest()
        return photos, self.all(f"/uploads/events/{number}", "uploads", token)

    def all(self, path, what, token):
        found, cursor = [], ""
        while cursor is not None:
            page = self.ask("GET", f"{path}?limit=200{cursor and '&cursor='}{cursor}", token=token)
            found, cursor = found + page[what], page["next"]
        return found

    def ask(self, method, path, body=None, token=None):
        return json.loads(self.get(path, token, method, body))["data"]

    def get(self, path, token=None, method="GET", body=None):
        connection = http.client.HTTPConnection(badnet.STORE, PORT, timeout=60)
        try:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            connection.request(method, path, body and json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        if answer.status >= 300:
            raise proving.Wrong(f"{method} {path} was answered {answer.status}: {text[:300]!r}")
        return text


def judge(gallery, event, place, card):
    """Every photo on the card is a photo of the event once, byte for byte; each has asked for one place only; no attempt
    was counted against any; and the gallery itself finds nothing wrong."""
    photos, uploads = gallery.inside(event)
    found = [f"{photo['filename']} has other bytes than it was announced with"
             for photo in photos if photo["found"] != photo["sha256"]]
    there = sorted((photo["filename"], photo["sha256"]) for photo in photos)
    if there != sorted(card.items()):
        found.append(f"{len(there)} photos are in the gallery, and {len(card)} on the card: "
                     f"{sorted(set(there) ^ set(card.items()))[:4]}")
    states = sorted(upload["status"] for upload in uploads)
    if states != ["completed"] * len(card):
        found.append(f"the uploads of {len(card)} photos are {states}")
    found += bucket.wrong_jobs(place)
    if found:
        raise proving.Wrong(*found[:10])
    report = gallery.command("check")
    if " 0 problems" not in report:
        raise proving.Wrong(f"the gallery's own check: {report}")
    return len(there)
