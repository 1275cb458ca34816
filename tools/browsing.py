"""Chromium for tools/pages.py, which is begun anew where it does not close what is to be closed.

Now and then it never answers to that, and what it is asked has no deadline. By then all of a page has been looked at: a walk is not
ended for it, and says so."""
import os
import shutil
import signal
import threading

# For a page to be closed, in seconds; it takes a tenth of one.
PATIENCE = 10


def descendants(of):
    """All processes that this one has begun, and those that they have."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                # The name of the program may hold anything, and ends with the last bracket.
                parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = {of}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {of}


def is_chromium(process):
    try:
        with open(f"/proc/{process}/comm") as file:
            return file.read().startswith("chromium")
    except OSError:
        return False


class Browser:
    def __init__(self, playwright, patience):
        from playwright.sync_api import Error
        self.playwright, self.patience, self.problem = playwright, PATIENCE * patience, Error
        # Those that were ended.
        self.gone = []
        self.chromium = self.launched()

    def launched(self):
        return self.playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])

    def new_context(self, **wishes):
        context, chromium = self.chromium.new_context(**wishes), self.chromium
        close = context.close
        context.close = lambda: self.closed(close, chromium)
        return context

    def closed(self, close, chromium):
        ended = threading.Event()
        late = threading.Timer(self.patience, end, [ended])
        late.start()
        try:
            close()
        except self.problem:
            # Also of those that were open in the one that was ended.
            if not ended.is_set() and chromium not in self.gone:
                raise
        finally:
            late.cancel()
            late.join()
        if ended.is_set() and chromium is self.chromium:
            self.gone.append(chromium)
            self.chromium = self.launched()
            print(f"pages: Chromium did not close a page within {self.patience} s, and was begun anew", flush=True)

    def close(self):
        """All of it; where it does not do so, it is ended."""
        chromium, self.chromium = self.chromium, None
        self.closed(chromium.close, chromium)


def end(told):
    told.set()
    for process in filter(is_chromium, descendants(os.getpid())):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
