"""schemathesis at a cluster's balancer while everything breaks, for prove-cluster: it asks whatever the document allows.

What it is answered is judged by the balancer's log, where every answer stands: a refusal for now is 503 with Retry-After
there, and anything else of that kind is wrong.
"""
import json
import os
import subprocess
import threading
import time

import gallery_schema
from cluster_clients import Refused

# What may be deleted is the account's own, and is made anew for each run.
LEFT_OUT = ["--exclude-path-regex", "(/live|/metrics)$", "--exclude-name", "DELETE /me", "--exclude-path-regex", "^/auth/"]
# Of one run: a log-in's token lives for a quarter of an hour.
LONGEST = 600


class Asker(threading.Thread):
    def __init__(self, folder, url, client, seed):
        super().__init__(daemon=True, name="schemathesis")
        self.folder, self.url, self.client, self.seed = folder, url, client, seed
        self.stops, self.problem, self.runs, self.process = threading.Event(), None, 0, None
        self.log = os.path.join(folder, "schemathesis.log")

    def run(self):
        try:
            while not self.stops.is_set():
                self.once()
        except Exception as error:  # Said by the main thread.
            self.problem = error

    def furnish(self):
        wishes = ({"name": "Asked, open"}, {"name": "Asked, closed", "pin": gallery_schema.PIN})
        events = [self.client.data("POST", "/events", wish) for wish in wishes]
        return [{"event": [event["id"]], "slug": [event["slug"]]} for event in events]

    def once(self):
        known = self.furnish()
        token = self.client.account.token()
        port = int(self.url.rpartition(":")[2])
        environment = dict(
            os.environ, SCHEMATHESIS_HOOKS="gallery_schema", PYTHONPATH=os.path.join(gallery_schema.FOLDER, "tools"),
            PYTHONDONTWRITEBYTECODE="1", GALLERY_KNOWN=json.dumps({"events": known, "port": port, "token": token}))
        words = [gallery_schema.SCHEMATHESIS, "run", f"{self.url}/openapi.json", "--checks", "not_a_server_error", "--max-examples",
                 "3", "--seed", str(self.seed + self.runs), "-H", f"Authorization: Bearer {token}", "--request-timeout", "30",
                 "--continue-on-failure", "--suppress-health-check", "all", "--no-color", *LEFT_OUT]  # fmt: skip
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(words, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
            try:
                said, _ = self.process.communicate(timeout=LONGEST)
            except subprocess.TimeoutExpired:
                self.process.terminate()
                said, _ = self.process.communicate()
                said += "generated"
            log.write(said.encode())
        self.runs += 1
        if "generated" not in said and not self.stops.is_set():
            # The document itself could not be had at that moment.
            if "503" not in said and "onnection" not in said:
                raise Refused(f"schemathesis did not come to its end: {said[-500:]}")
            time.sleep(1)

    def end(self):
        self.stops.set()
        if self.process and self.process.poll() is None:
            self.process.terminate()
        self.join(60)
