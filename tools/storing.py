"""Object stores of one's own for tools/bench, tools/prove-uploads and tools/prove-ceph: SeaweedFS on free ports, and how
it and others are looked at with boto3."""
import glob
import os
import shutil
import site
import socket
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON = os.path.join(TOP, ".build", "python")
WEED = os.path.join(PYTHON, "bin", "weed")
KEY_ID, SECRET, REGION = "testkey", "testsecret", "us-east-1"
PATIENCE = 60


def needs_boto3():
    """Leaves with a sentence where what looks at a store is not installed."""
    for folder in glob.glob(os.path.join(PYTHON, "lib", "python*", "site-packages")):
        site.addsitedir(folder)
    try:
        import boto3  # noqa: F401
    except ImportError:
        sys.exit("there is no boto3 here: tools/setup")


def needs_what_it_needs():
    """The same, and for the store."""
    needs_boto3()
    if not os.access(WEED, os.X_OK):
        sys.exit("there is no SeaweedFS here: tools/setup")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


class Endpoint:
    """A server that speaks S3 at `endpoint` and knows our keys."""

    def make_client(self):
        import boto3
        from botocore.config import Config

        config = Config(
            signature_version="s3v4", s3={"addressing_style": "path"}, request_checksum_calculation="when_required"
        )
        return boto3.client(
            "s3", endpoint_url=self.endpoint, aws_access_key_id=KEY_ID, aws_secret_access_key=SECRET,
            region_name=REGION, config=config,
        )  # fmt: skip

    @property
    def environment(self):
        """For a program that finds a store as S3 tools do. What this machine's user has is not used."""
        return {
            "AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": REGION,
            "AWS_ENDPOINT_URL": self.endpoint, "AWS_CONFIG_FILE": "/dev/null",
            "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        }  # fmt: skip

    def url(self, bucket, prefix=""):
        return f"s3://{bucket}/{prefix}?endpoint={self.endpoint}&style=path&region={REGION}"

    def make_bucket(self, name):
        """With its first volumes, which are made when the first object comes."""
        self.client.create_bucket(Bucket=name)
        self.client.put_object(Bucket=name, Key="probe", Body=b"probe")
        self.client.delete_object(Bucket=name, Key="probe")

    def objects(self, bucket, prefix=""):
        """Every key with its size."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        return {item["Key"]: item["Size"] for page in pages for item in page.get("Contents", [])}

    def unfinished(self, bucket):
        """Keys of what was begun in parts and neither completed nor given up."""
        pages = self.client.get_paginator("list_multipart_uploads").paginate(Bucket=bucket)
        return [item["Key"] for page in pages for item in page.get("Uploads") or []]

    def empty(self, bucket, prefix=""):
        keys = [{"Key": key} for key in self.objects(bucket, prefix)]
        for begin in range(0, len(keys), 1000):
            self.client.delete_objects(Bucket=bucket, Delete={"Objects": keys[begin : begin + 1000], "Quiet": True})

    def drop_bucket(self, name):
        """A bucket's files lie by themselves, so its space is free at once."""
        self.empty(name)
        self.client.delete_bucket(Bucket=name)

    def __enter__(self):
        return self


class Store(Endpoint):
    """A running SeaweedFS. Its files go with it."""

    def __init__(self, folder):
        self.folder = tempfile.mkdtemp(prefix="store-", dir=folder)
        self.ports = free_ports(10)
        names = ["master", "volume", "filer", "s3", "admin"]
        listening = [
            f"-{name}.port{end}={self.ports[2 * index + offset]}"
            for index, name in enumerate(names)
            for offset, end in ((0, ""), (1, ".grpc"))
        ]
        words = [
            WEED, "mini", f"-dir={self.folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-master.telemetry=false",
            "-admin.ui=false", "-webdav=false", "-s3.port.lance=0", "-s3.port.iceberg=0", "-filer.maxMB=16",
            *listening,
        ]  # fmt: skip
        self.endpoint = f"http://127.0.0.1:{self.ports[6]}"
        keys = {"AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET, "S3_BUCKET": "first"}
        self.log = open(os.path.join(self.folder, "log"), "w")
        self.process = subprocess.Popen(
            words, cwd=self.folder, env=dict(os.environ, **keys), stdout=self.log, stderr=self.log
        )
        self.client = self.make_client()
        self.wait()

    def wait(self):
        """Until it takes an object: it listens before it has a place for one."""
        from botocore.exceptions import BotoCoreError, ClientError

        until = time.monotonic() + PATIENCE
        while True:
            try:
                self.client.put_object(Bucket="first", Key="probe", Body=b"probe")
                return
            except (BotoCoreError, ClientError) as error:
                if self.process.poll() is not None or time.monotonic() > until:
                    sys.exit(f"the store does not start: {error}; its log is {self.log.name}")
                time.sleep(0.2)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        # It leaves sockets behind, named by its ports.
        for path in glob.glob("/tmp/seaweedfs-*.sock"):
            if any(path.endswith(f"-{port}.sock") for port in self.ports):
                os.remove(path)
