"""Browsers of a crowd, for prove-hall: many at once, from addresses of their own on this machine (127.0.0.0/8), with cookies."""
import asyncio
import json
import re
import time

PATIENCE = 60


class Cut(Exception):
    """The other side closed without an answer."""


class Answer:
    def __init__(self, status, headers, body, took):
        self.status, self.headers, self.body, self.took = status, headers, body, took

    def header(self, name):
        return next((value for key, value in self.headers if key == name.lower()), None)

    @property
    def data(self):
        return json.loads(self.body)["data"]

    @property
    def plain(self):
        """All that it says, without the two headers that differ between any two answers."""
        return self.status, tuple(pair for pair in self.headers if pair[0] not in ("date", "x-request-id")), self.body


class Line:
    """One connection from one address, made when it is needed and kept as long as the server keeps it."""

    def __init__(self, port, address):
        self.port, self.address = port, address
        self.reader = self.writer = None

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(self.address, 0))

    def close(self):
        if self.writer:
            self.writer.close()
        self.reader = self.writer = None

    async def ask(self, method, target, body=None, kind=None, headers=()):
        """Once more where a connection that was kept turns out to be gone."""
        if self.writer:
            try:
                return await self.exchange(method, target, body, kind, headers)
            except (OSError, Cut):
                self.close()
        await self.open()
        return await self.exchange(method, target, body, kind, headers)

    async def exchange(self, method, target, body, kind, headers):
        lines = [f"{method} {target} HTTP/1.1", "Host: 127.0.0.1", *(f"{name}: {value}" for name, value in headers)]
        if body is not None:
            lines += [f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
        began = time.monotonic()
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + (body or b""))
        await self.writer.drain()
        return await asyncio.wait_for(self.answer(began), PATIENCE)

    async def answer(self, began):
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
            status, *rest = head.decode("latin-1").rstrip("\r\n").split("\r\n")
            pairs = [line.split(":", 1) for line in rest]
            headers = [(name.lower(), value.strip()) for name, value in pairs]
            answer = Answer(int(status.split(" ")[1]), headers, b"", 0)
            if answer.header("content-length"):
                answer.body = await self.reader.readexactly(int(answer.header("content-length")))
        except asyncio.IncompleteReadError:
            raise Cut from None
        answer.took = time.monotonic() - began
        if answer.header("connection") == "close":
            self.close()
        return answer


class Browser:
    """Keeps cookies, unless it is told to forget them all, and its connections."""

    def __init__(self, port, address, keeps=True):
        self.port, self.address, self.keeps = port, address, keeps
        self.cookies = {}
        self.line, self.others = Line(port, address), []

    async def ask(self, method, target, body=None, kind=None, line=None):
        named = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = [("Cookie", named)] if named else []
        answer = await (line or self.line).ask(method, target, body, kind, headers)
        for name, value in answer.headers:
            if name == "set-cookie" and self.keeps:
                key, _, text = value.split(";")[0].partition("=")
                self.cookies[key] = text
        return answer

    async def post(self, target, words):
        return await self.ask("POST", target, json.dumps(words).encode(), "application/json")

    async def pin(self, slug, pin):
        return await self.ask("POST", f"/e/{slug}/access", f"pin={pin}".encode(), "application/x-www-form-urlencoded")

    async def look(self, slug):
        """The page with all that it loads, over as many connections as a browser has; then it stays and listens."""
        page = await self.ask("GET", f"/e/{slug}")
        if page.status != 200:
            return page
        targets = sorted(set(re.findall(r'(?:src|href)="(/assets/[^"]+)"', page.body.decode())))[:4]
        self.others = [Line(self.port, self.address) for _ in targets]
        for loaded in await asyncio.gather(*(self.ask("GET", one, line=line) for one, line in zip(targets, self.others))):
            if loaded.status != 200:
                return loaded
        live = Line(self.port, self.address)
        self.others.append(live)
        return await self.ask("GET", f"/e/{slug}/live", line=live)

    @property
    def listens(self):
        return bool(self.others) and self.others[-1].reader is not None and not self.others[-1].reader.at_eof()

    def close(self):
        for line in (self.line, *self.others):
            line.close()


def rank_sum(first, second):
    """How often one of the first is more than one of the second: 0.5 where nothing tells them apart (Mann and Whitney)."""
    both = sorted([(value, 0) for value in first] + [(value, 1) for value in second])
    ranks = sum(index + 1 for index, (_, side) in enumerate(both) if side == 0)
    return (ranks - len(first) * (len(first) + 1) / 2) / (len(first) * len(second))
