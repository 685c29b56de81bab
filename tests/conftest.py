"""Settings shared by all tests."""

from hypothesis import settings

# The same examples in every run; kernels compile on their first call, so no deadline.
settings.register_profile("reproducible", deadline=None, derandomize=True)
settings.load_profile("reproducible")
