"""Cases that pages run are shipped."""

import re
from pathlib import Path

from halocline.component.case.shipped import names

docs = Path(__file__).parents[2] / "docs"


def test_cases_that_pages_of_the_atmosphere_run_are_shipped():
    run = set()
    for page in docs.glob("atmosphere*.md"):
        run |= set(re.findall(r"halocline run ([a-z0-9-]+)(?=[ `\n])", page.read_text()))
    assert {"bubble", "great-north-run"} <= run <= set(names())
