"""Stands in for another build backend, for the same reason as scikit_build_core beside it."""
