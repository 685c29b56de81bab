"""The check of the wheel does not pass on tests that were never run."""

from pathlib import Path

import pytest

from scripts import check_wheel

ROOT = Path(__file__).parents[2]


def test_each_name_has_a_file_of_tests():
    for name in check_wheel.TESTS:
        assert check_wheel.found_tests(ROOT / "tests", name)
    with pytest.raises(SystemExit, match=r"no test_nothing\.py in the sdist"):
        check_wheel.found_tests(ROOT / "tests", "nothing")


def test_skipped_tests_did_not_pass(tmp_path):
    path = tmp_path / "results.xml"
    path.write_text(
        '<testsuites><testsuite><testcase classname="tests.web.test_server" name="a"/>'
        '<testcase classname="tests.web.test_server" name="b"><skipped/></testcase>'
        '<testcase classname="tests.test_readme" name="c"><skipped/></testcase>'
        "</testsuite></testsuites>"
    )
    passed = check_wheel.passed_in(path)
    assert (passed["test_server"], passed["test_readme"], passed.total()) == (1, 0, 1)
