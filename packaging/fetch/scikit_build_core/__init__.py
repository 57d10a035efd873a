"""Stands in for the build backend that a source distribution names, so that pip only downloads it.

`pip download` insists on asking the backend of a source distribution for its metadata. The real backend
would be downloaded and run for that. This one hands out the metadata that lies in the archive already.
"""
