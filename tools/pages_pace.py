"""A page that sends slowly, as over a phone's network, for walks that look at what is under way."""

# So slowly that a photo of some megabytes is under way for longer than a busy machine needs to look at it. Chromium lets go at once
# of what it is holding back when it is told of another pace: there is no stopping it in the middle.
BYTES_A_SECOND = 200_000


def slowly(page):
    """It sends slowly until the session that this returns is detached."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", {
        "offline": False, "latency": 5, "downloadThroughput": -1, "uploadThroughput": BYTES_A_SECOND})
    return session
