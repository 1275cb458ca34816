"""Balancers before the nodes of a cluster, by the examples that operators get. For tools/cluster.py."""
import http.client
import os
import re
import shutil
import signal

import storing
from cluster_processes import NotThere, Process, make_folder, wait_until

EXAMPLES = os.path.join(storing.TOP, "Sources", "gallery", "gallery.docc", "Resources", "cluster")


class Front:
    """A balancer by its example for operators: only its addresses are others, and it has no certificate."""

    name, example = "", ""

    def __init__(self, cluster, port):
        self.cluster, self.port = cluster, port
        self.folder = make_folder(os.path.join(cluster.folder, self.name))
        self.process = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def written(self):
        """Where its configuration is."""
        path = os.path.join(self.folder, self.example)
        with open(os.path.join(EXAMPLES, self.example)) as file:
            text = self.changed(file.read())
        with open(path, "w") as file:
            file.write(text)
        return path

    def start(self):
        program = shutil.which(self.name, path=os.environ.get("PATH", "") + ":/usr/sbin")
        if program is None:
            raise NotThere(f"there is no {self.name} here: tools/setup")
        self.process = Process(self.name, [program, *self.words(self.written())], os.path.join(self.folder, "said.log"))
        wait_until(f"{self.name} answers", lambda: self.process.must_run() and self.status("/health") in (200, 503))

    def status(self, path, patience=5):
        """Of an answer that has begun: a stream goes on."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except http.client.HTTPException as error:
            raise OSError(str(error)) from None
        finally:
            connection.close()

    def end(self):
        if self.process and self.process.runs:
            self.process.end(signal.SIGTERM)


class Nginx(Front):
    name, example = "nginx", "nginx.conf"

    @property
    def requests(self):
        """Where it says what was asked."""
        return os.path.join(self.folder, "requests.log")

    def changed(self, text):
        # In each group of servers the first is written once for every node.
        text = re.sub(r"(?m)^( *)server 10\.0\.0\.11:8080(.*)\n",
                      lambda found: "".join(f"{found[1]}server 127.0.0.1:{node.port}{found[2]}\n" for node in self.cluster.nodes), text)
        text = re.sub(r"(?m)^ *server 10\.0\.0\..*\n", "", text)
        text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{self.port};")
        text = re.sub(r"(?m)^ *(listen \[|ssl_|server_name|user ).*\n", "", text)
        text = text.replace("worker_processes auto;", "worker_processes 1;").replace("Host $host", "Host $http_host")
        text = text.replace("/var/log/nginx/gallery.log", self.requests)
        text = text.replace("/var/log/nginx", self.folder).replace("/run/nginx.pid", os.path.join(self.folder, "pid"))
        places = "".join(
            f"    {name}_temp_path {os.path.join(self.folder, name)};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return "daemon off;\n" + text.replace("http {\n", "http {\n" + places, 1)

    def words(self, path):
        # Run by root its workers are root, too: they write into a folder of their own.
        user = ["-g", "user root;"] if os.getuid() == 0 else []
        return ["-c", path, "-p", self.folder, "-e", os.path.join(self.folder, "error.log"), *user]


class HAProxy(Front):
    name, example = "haproxy", "haproxy.cfg"

    def changed(self, text):
        nodes = self.cluster.nodes
        for number in (11, 12, 13):
            place = f"10.0.0.{number}:8080"
            if number - 11 < len(nodes):
                text = text.replace(place, f"127.0.0.1:{nodes[number - 11].port}")
            else:
                text = re.sub(rf"(?m)^ *server .*{re.escape(place)}.*\n", "", text)
        text = text.replace("bind :::443 v4v6 ssl crt /etc/haproxy/gallery.pem", f"bind 127.0.0.1:{self.port}")
        text = text.replace("log /dev/log local0", "log stderr format raw local0").replace("maxconn 30000", "maxconn 4000")
        return re.sub(r"(?m)^ *(user|group) .*\n", "", text)

    def words(self, path):
        return ["-db", "-f", path]


FRONTS = {front.name: front for front in (Nginx, HAProxy)}
