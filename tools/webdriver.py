"""Firefox and WebKit, driven by what Debian has of them: WebDriver's commands, over Marionette and over WebKitWebDriver.

Playwright drives Chromium; its own builds of the other two are not Debian's. What is here is as much as tools/prove-browsers needs.
"""
import base64
import glob
import http.client
import json
import os
import shutil
import socket
import subprocess
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowRight": "\ue014", "ArrowLeft": "\ue012", "Space": " "}
MINI_BROWSER = "/usr/lib/*/webkit2gtk-4.1/MiniBrowser"


class DriverError(Exception):
    pass


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Marionette:
    """Firefox's own: messages with their length before them."""
    PREFERENCES = {
        "devtools.console.stdout.content": True, "browser.dom.window.dump.enabled": True, "browser.shell.checkDefaultBrowser": False,
        "datareporting.policy.dataSubmissionEnabled": False, "app.update.enabled": False, "media.autoplay.default": 0,
        "browser.download.folderList": 2, "browser.download.useDownloadDir": True, "browser.download.always_ask_before_handling_new_types": False,
        "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
        "browser.safebrowsing.downloads.enabled": False, "extensions.update.enabled": False, "intl.accept_languages": "en",
        # A mouse, which a machine without a screen has not.
        "ui.primaryPointerCapabilities": 6, "ui.allPointerCapabilities": 6,
    }

    def __init__(self, folder, log):
        port = free_port()
        profile = os.path.join(folder, "profile")
        os.makedirs(profile)
        preferences = dict(self.PREFERENCES, **{"marionette.port": port, "browser.download.dir": os.path.join(folder, "downloads")})
        with open(os.path.join(profile, "user.js"), "w") as file:
            for name, value in preferences.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen(
            [shutil.which("firefox-esr"), "--headless", "--marionette", "--no-remote", "--profile", profile], stdout=log, stderr=log,
            env=dict(os.environ, HOME=folder, MOZ_HEADLESS_WIDTH="1280", MOZ_HEADLESS_HEIGHT="900"))
        limit = time.monotonic() + 60
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
                break
            except OSError:
                if self.process.poll() is not None or time.monotonic() > limit:
                    raise DriverError("Firefox does not start")
                time.sleep(0.1)
        self.number = 0
        self.received()
        self.ask("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {}}})

    def received(self):
        length = b""
        while not length.endswith(b":"):
            byte = self.socket.recv(1)
            if not byte:
                raise DriverError("Firefox has hung up")
            length += byte
        missing, parts = int(length[:-1]), []
        while missing:
            parts.append(self.socket.recv(missing))
            if not parts[-1]:
                raise DriverError("Firefox has hung up")
            missing -= len(parts[-1])
        return json.loads(b"".join(parts))

    def ask(self, command, parameters=None):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters or {}]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        while True:
            answer = self.received()
            if answer[1] == self.number:
                break
        if answer[2]:
            raise DriverError(f"{command}: {answer[2]['error']}: {answer[2]['message']}")
        return answer[3].get("value", answer[3]) if isinstance(answer[3], dict) else answer[3]

    def command(self, name, parameters=None):
        return self.ask(f"WebDriver:{name}", parameters)

    def find(self, selector):
        return [element[ELEMENT] for element in self.command("FindElements", {"using": "css selector", "value": selector})]

    def element(self, name, element, parameters=None):
        return self.command(f"Element{name}", dict(parameters or {}, id=element))

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


class WebKit:
    """WebKitWebDriver with WebKit's own small browser: the engine of Safari, in the port for GTK."""
    PATHS = {
        "Navigate": ("POST", "/url"), "Back": ("POST", "/back"),
        "ExecuteScript": ("POST", "/execute/sync"),
        "TakeScreenshot": ("GET", "/screenshot"), "PerformActions": ("POST", "/actions"), "SetWindowRect": ("POST", "/window/rect"),
        "FindElements": ("POST", "/elements"),
    }
    ELEMENTS = {"Click": ("POST", "/click"), "SendKeys": ("POST", "/value"), "Clear": ("POST", "/clear")}

    def __init__(self, folder, log):
        port = free_port()
        self.display = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x1000x24"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        number = self.display.stdout.readline().strip()
        environment = dict(
            os.environ, DISPLAY=f":{number}", HOME=folder, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS="1", LANGUAGE="en", LC_ALL="C.UTF-8",
            LIBGL_ALWAYS_SOFTWARE="1", NO_AT_BRIDGE="1", GIO_USE_PROXY_RESOLVER="dummy")
        self.process = subprocess.Popen(["WebKitWebDriver", f"--port={port}"], env=environment, stdout=log, stderr=log)
        self.port = port
        limit = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
                break
            except OSError:
                if self.process.poll() is not None or time.monotonic() > limit:
                    raise DriverError("WebKitWebDriver does not start")
                time.sleep(0.1)
        self.session = None
        self.session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": {
            "binary": glob.glob(MINI_BROWSER)[0], "args": ["--automation"]}}}})["sessionId"]

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        path = f"/session/{self.session}{path}" if self.session else path
        connection.request(method, path, json.dumps(body if body is not None else {}) if method == "POST" else None,
                           {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())["value"]
        connection.close()
        if isinstance(answer, dict) and "error" in answer:
            raise DriverError(f"{path}: {answer['error']}: {answer['message']}")
        return answer

    def command(self, name, parameters=None):
        method, path = self.PATHS[name]
        return self.ask(method, path, parameters)

    def find(self, selector):
        return [element[ELEMENT] for element in self.command("FindElements", {"using": "css selector", "value": selector})]

    def element(self, name, element, parameters=None):
        method, path = self.ELEMENTS[name]
        return self.ask(method, f"/element/{element}{path}", parameters)

    def end(self):
        try:
            self.ask("DELETE", "")
        finally:
            for process in (self.process, self.display):
                process.terminate()
                process.wait(20)


class Browser:
    """One of the two, and what a walk does with it."""
    def __init__(self, kind, folder, limit=20):
        self.limit = limit
        os.makedirs(os.path.join(folder, "downloads"), exist_ok=True)
        self.log_path = os.path.join(folder, "log")
        with open(self.log_path, "wb") as log:
            self.driver = kind(folder, log)

    def goto(self, address):
        self.driver.command("Navigate", {"url": address})

    def script(self, body, *arguments):
        return self.driver.command("ExecuteScript", {"script": f"return {body}", "args": list(arguments)})

    def reload(self):
        """As by the browser's button. WebDriver's own way goes past service workers in Firefox."""
        self.script("document.documentElement.setAttribute('data-before', '')")
        self.script("location.reload()")
        self.holds("document.readyState === 'complete' && !document.documentElement.hasAttribute('data-before')")

    def until(self, holds, what):
        limit = time.monotonic() + self.limit
        while True:
            found = holds()
            if found:
                return found
            if time.monotonic() > limit:
                raise DriverError(f"{what}: not within {self.limit} s")
            time.sleep(0.05)

    def holds(self, script):
        return self.until(lambda: self.script(f"Boolean({script})"), script)

    def one(self, selector):
        return self.until(lambda: self.driver.find(selector), f"there is no {selector}")[0]

    def click(self, selector):
        self.driver.element("Click", self.one(selector))

    def type(self, selector, text):
        self.driver.element("SendKeys", self.one(selector), {"text": text, "value": list(text)})

    def clear(self, selector):
        self.driver.element("Clear", self.one(selector))

    def press(self, key):
        key = KEYS.get(key, key)
        self.act({"type": "key", "id": "keys", "actions": [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]})

    def act(self, *sources):
        self.driver.command("PerformActions", {"actions": list(sources)})

    def pointer(self, *actions, kind="mouse"):
        self.act({"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": list(actions)})

    def move(self, x, y, **more):
        return {"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0, "origin": "viewport", **more}

    def middle(self, selector):
        return self.script("(() => { const box = document.querySelector(arguments[0]).getBoundingClientRect();"
                           " return [box.x + box.width / 2, box.y + box.height / 2]; })()", selector)

    def hover(self, selector):
        x, y = self.middle(selector)
        self.pointer(self.move(x - 6, y - 6), self.move(x, y))

    def tap(self, selector):
        x, y = self.middle(selector)
        self.pointer(self.move(x, y), {"type": "pointerDown", "button": 0}, {"type": "pause", "duration": 40},
                     {"type": "pointerUp", "button": 0}, kind="touch")

    def resize(self, width, height):
        self.driver.command("SetWindowRect", {"x": 0, "y": 0, "width": width, "height": height})

    def shot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.driver.command("TakeScreenshot", {"full": False})))

    def console(self):
        """What Firefox has said of pages, and of itself. WebKit says nothing."""
        with open(self.log_path, errors="replace") as file:
            return [line.strip() for line in file if "JavaScript error" in line or "console.error" in line]

    def end(self):
        self.driver.end()
