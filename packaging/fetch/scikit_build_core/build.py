"""The one hook of PEP 517 that `pip download --no-build-isolation` calls."""
import os
import shutil


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = "downloaded.dist-info"
    os.mkdir(os.path.join(metadata_directory, folder))
    shutil.copy("PKG-INFO", os.path.join(metadata_directory, folder, "METADATA"))
    return folder
