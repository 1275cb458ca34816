"""What axe-core holds against a page in a browser, for the tools that look at pages."""


def serious_findings(page):
    """Nothing where axe-core is not installed."""
    try:
        from axe_core_python.sync_playwright import Axe
    except ImportError:
        return []
    found = Axe().run(page)["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found if one["impact"] in ("serious", "critical")]
