"""Where published files lie, and that they are the published ones."""

import hashlib
import importlib.util
from pathlib import Path


def installed_folder(package, what, requirement):
    """Find the folder of an installed package, without importing it and all that it needs.

    Parameters
    ----------
    package : str
        Its name, as it is imported.
    what : str
        What it holds: the message begins with it, up to "is not installed".
    requirement : str
        What ``pip install`` takes to install it.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    ModuleNotFoundError
        If it is not installed; the message says what to install.
    """
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise ModuleNotFoundError(f"{what} is not installed. Install it with: pip install {requirement}")
    return Path(spec.origin).parent


def require_published(path, sha256):
    """Refuse a file that is not the published one.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    sha256 : str
        The digest of the published one, in hexadecimal digits.

    Raises
    ------
    ValueError
        If the file has another digest.
    """
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise ValueError(f"{path.name} must be the published one with sha256 {sha256}, got {found}")
