"""What tests of laws share."""

from support.solving import solve_with_parts  # noqa: F401
