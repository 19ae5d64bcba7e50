"""Members of a run as they are read from a case and settings."""

from halocline.experiment.members import read_members


def lengths(*settings: str) -> list[str | float]:
    members = read_members("two-members", settings).members
    return [member.case.time.length for member in members.values()]


def test_a_setting_for_all_comes_before_the_tables_of_members():
    assert lengths() == ["6d", "12d"]
    assert lengths("time.length=6h") == ["6h", "6h"]


def test_a_setting_for_one_comes_before_that_for_all():
    one, all_of_them = "members.waves.time.length=3h", "time.length=6h"
    assert lengths(one, all_of_them) == lengths(all_of_them, one) == ["3h", "6h"]


def test_a_setting_of_the_run_is_no_option_of_members():
    members = read_members("two-members", ["title=mine", "schedule.interval=2h"])
    assert members.title == "mine" and members.schedule().text().startswith("every 2h")
    assert members.members["waves"].case.title == "Swell along a great circle"
