"""The one hook of PEP 517 that `pip download --no-build-isolation` calls."""
import os
import shutil
from email.parser import Parser


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    with open("PKG-INFO", encoding="utf-8") as source:
        metadata = Parser().parse(source, headersonly=True)
    folder = "%s-%s.dist-info" % (metadata["Name"], metadata["Version"])
    os.mkdir(os.path.join(metadata_directory, folder))
    shutil.copy("PKG-INFO", os.path.join(metadata_directory, folder, "METADATA"))
    return folder
