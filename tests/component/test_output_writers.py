"""Options on who writes: they are in every case, and contradictions are refused."""

from __future__ import annotations

from typing import Any

import pytest

from halocline.component.case.case import Case
from halocline.component.case.output_writers import OutputWriters
from halocline.component.case.reading import make_case
from halocline.core.errors import UserError


def case(output: dict[str, Any], **more: Any) -> Case:
    return make_case({"output": output, **more})


maps = {"variables": ["significant_height"]}


@pytest.mark.parametrize(
    ("output", "restart", "message"),
    [
        ({"servers": {"count": 0}, "writing": {"way": "servers"}}, "", "writing.way = 'servers'"),
        (
            {"servers": {"count": 0}, "fields": {"maps": {**maps, "way": "servers"}}},
            "",
            "fields.maps.way = 'servers', but servers.count = 0",
        ),
        ({"servers": {"count": 0}}, "servers", "restart.way = 'servers'"),
        ({"fields": {"maps": {**maps, "group": 1}}}, "", "fields.maps.group = 1, and there are 1"),
        ({"fields": {"maps": {**maps, "way": "sharde"}}}, "", "Did you mean 'shared'"),
        ({"writing": {"way": "quick"}}, "", "way = 'quick' is not one of: auto, first"),
        ({}, "quick", "way = 'quick' is not one of"),
    ],
)
@pytest.mark.parametrize("component", ["waves", "transport"])
def test_contradictions_are_refused(output, restart, message, component) -> None:
    with pytest.raises(UserError, match=message):
        case(output, component=component, restart={"way": restart})


def needs_servers(output: dict[str, Any], restart: str = "") -> bool:
    read = case(output, component="transport").output
    assert isinstance(read, OutputWriters)
    return read.needs_servers(restart)


def test_who_asks_for_servers() -> None:
    assert not needs_servers({})
    assert not needs_servers({"servers": {"count": 2}})
    assert needs_servers({"writing": {"way": "servers"}})
    assert needs_servers({"fields": {"maps": {"way": "servers"}}})
    assert needs_servers({}, restart="servers")
