"""SeaweedFS as a cluster has it: a master, three servers of volumes, each object on two of them, a filer, and S3 before it."""
import json
import os
import urllib.error
import urllib.request

import storing
from cluster_processes import NotThere, Process, make_folder, wait_until

# On one other server of the same rack.
REPLICATION = "001"
VOLUME_SERVERS = 3


class SpreadStore(storing.Endpoint):
    """Every object lies on two servers of volumes, so that any one of them may die."""

    def __init__(self, folder, ports):
        """`ports`: two for each of master, filer, S3 and the servers of volumes, for HTTP and for gRPC."""
        self.folder = folder
        pairs = list(zip(ports[0::2], ports[1::2]))
        self.master_port, self.filer_port, self.s3_port, *self.volume_ports = pairs[: 3 + VOLUME_SERVERS]
        self.endpoint = f"http://127.0.0.1:{self.s3_port[0]}"
        self.master = f"127.0.0.1:{self.master_port[0]}.{self.master_port[1]}"
        self.processes, self.volumes = {}, []

    @staticmethod
    def ports_needed():
        return 2 * (3 + VOLUME_SERVERS)

    def weed(self, name, part, *words):
        log = os.path.join(self.folder, f"{name}.log")
        return Process(name, [storing.WEED, part, *words], log, folder=self.folder)

    def start(self):
        make_folder(self.folder)
        here = ["-ip=127.0.0.1", "-ip.bind=127.0.0.1"]
        http, grpc = self.master_port
        self.processes["master"] = self.weed(
            "master", "master", *here, f"-port={http}", f"-port.grpc={grpc}", f"-mdir={make_folder(self.path('master'))}",
            "-peers=none", "-telemetry=false", f"-defaultReplication={REPLICATION}", "-volumeSizeLimitMB=256",
        )  # fmt: skip
        wait_until("the store's master answers", lambda: self.look("master", self.master_port, "/cluster/status"))
        self.volumes = [self.start_volume(index) for index in range(VOLUME_SERVERS)]
        wait_until("the servers of volumes are known", lambda: self.servers_known() == VOLUME_SERVERS)
        self.start_filer()
        self.start_s3()
        self.client = self.make_client()

    def start_volume(self, index):
        name = f"volume{index + 1}"
        http, grpc = self.volume_ports[index]
        return self.weed(
            name, "volume", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-port={http}", f"-port.grpc={grpc}",
            f"-dir={make_folder(self.path(name))}", f"-master={self.master}", "-max=50", "-preStopSeconds=0", "-dataCenter=dc",
            "-rack=rack",
        )  # fmt: skip

    def start_filer(self):
        http, grpc = self.filer_port
        self.processes["filer"] = self.weed(
            "filer", "filer", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-port={http}", f"-port.grpc={grpc}",
            f"-master={self.master}", f"-defaultReplicaPlacement={REPLICATION}", "-maxMB=16",
            f"-defaultStoreDir={make_folder(self.path('filer'))}", f"-localSocket={self.path('filer.sock')}",
        )  # fmt: skip
        wait_until("the filer answers", lambda: self.look("filer", self.filer_port, "/"))

    def start_s3(self):
        keys = os.path.join(self.folder, "s3.json")
        identity = {"name": "cluster", "credentials": [{"accessKey": storing.KEY_ID, "secretKey": storing.SECRET}],
                    "actions": ["Admin", "Read", "Write", "List", "Tagging"]}  # fmt: skip
        with open(keys, "w") as file:
            json.dump({"identities": [identity]}, file)
        (http, grpc), (filer_http, filer_grpc) = self.s3_port, self.filer_port
        self.processes["s3"] = self.weed(
            "s3", "s3", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-port={http}", f"-port.grpc={grpc}", "-port.iceberg=0",
            "-port.lance=0", f"-filer=127.0.0.1:{filer_http}.{filer_grpc}", f"-config={keys}", f"-localSocket={self.path('s3.sock')}",
        )  # fmt: skip
        wait_until("S3 answers", lambda: self.look("s3", self.s3_port, "/status"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def look(self, name, port, path):
        self.processes[name].must_run()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port[0]}{path}", timeout=5) as answer:
                return answer.status == 200
        except urllib.error.HTTPError as error:
            # It answers; what, is of no matter here.
            return error.code < 500

    def servers_known(self):
        for process in self.volumes:
            process.must_run()
        with urllib.request.urlopen(f"http://127.0.0.1:{self.master_port[0]}/dir/status", timeout=5) as answer:
            topology = json.load(answer)["Topology"]
        racks = [rack for center in topology.get("DataCenters") or [] for rack in center.get("Racks") or []]
        return sum(len(rack.get("DataNodes") or []) for rack in racks)

    def make_bucket(self, name):
        """It is there when an object can be put into it: the first one makes volumes on every server."""
        from botocore.exceptions import BotoCoreError, ClientError

        def takes():
            try:
                super(SpreadStore, self).make_bucket(name)
            except ClientError as error:
                if error.response["Error"]["Code"] not in ("BucketAlreadyOwnedByYou", "BucketAlreadyExists"):
                    raise OSError(str(error)) from None
                self.client.put_object(Bucket=name, Key="probe", Body=b"probe")
                self.client.delete_object(Bucket=name, Key="probe")
            except BotoCoreError as error:
                raise OSError(str(error)) from None
            return True

        wait_until(f"the bucket {name} takes objects", takes)

    def kill_volume(self, index):
        self.volumes[index].kill()

    def bring_back_volume(self, index):
        self.volumes[index] = self.start_volume(index)
        wait_until("the server of volumes is known again", lambda: self.servers_known() == VOLUME_SERVERS)

    def kill_way_in(self, name):
        """`filer` or `s3`, through which everything goes: meanwhile there is no store at all."""
        self.processes[name].kill()

    def bring_back_way_in(self, name):
        if name == "filer":
            self.start_filer()
        else:
            self.start_s3()
        wait_until("the store lists again", self.lists)

    def lists(self):
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            buckets = self.client.list_buckets()["Buckets"]
            return buckets and all(self.client.list_objects_v2(Bucket=bucket["Name"], MaxKeys=1) for bucket in buckets)
        except (BotoCoreError, ClientError) as error:
            raise OSError(str(error)) from None

    def end(self):
        for process in [*reversed(self.processes.values()), *self.volumes]:
            try:
                process.end(patience=20)
            except NotThere:
                # Said in its log; everything of it is gone.
                continue
