"""What axe-core holds against a page in a browser, for the tools that look at pages."""


def findings(page):
    """Of whatever weight, with the element that each is about."""
    try:
        from axe_core_python.sync_playwright import Axe
    except ImportError as error:
        raise RuntimeError("there is no axe_core_python here, so nothing is known of the page: tools/setup") from error
    found = Axe().run(page)["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]
