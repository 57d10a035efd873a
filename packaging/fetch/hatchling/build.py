"""The one hook of PEP 517 that `pip download --no-build-isolation` calls."""
from scikit_build_core.build import prepare_metadata_for_build_wheel

__all__ = ["prepare_metadata_for_build_wheel"]
