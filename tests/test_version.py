"""The version stands in one place."""

import tablebase
from tablebase._version import __version__


def test_the_package_has_the_version():
    assert tablebase.__version__ == __version__
