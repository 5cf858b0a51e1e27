"""The C kernel, where there is a compiler, and the README for PyPI; all else: pyproject.toml."""

import re
import sys
import tomllib
from pathlib import Path

from setuptools import Extension, setup

KERNEL = "src/rankwise/native"


def readme() -> str:
    """Return README.md with links and pictures of the repository, which PyPI does not have."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    address = project["urls"]["Repository"]
    pictures = address.replace("github.com", "raw.githubusercontent.com") + "/main"
    text = Path("README.md").read_text(encoding="utf-8")
    text = re.sub(r"(!\[[^]]*\]\()(?!https?:|#)", rf"\1{pictures}/", text)
    return re.sub(r"((?<!!)\[[^]]*\]\()(?!https?:|#)", rf"\1{address}/blob/main/", text)


setup(
    long_description=readme(),
    long_description_content_type="text/markdown",
    ext_modules=[
        Extension(
            "rankwise.native._kernel",
            [f"{KERNEL}/{name}.c" for name in ("kernel", "arrow", "module")],
            depends=[f"{KERNEL}/{name}.h" for name in ("kernel", "arrow")],
            extra_compile_args=["/std:c11"] if sys.platform == "win32" else ["-std=c11", "-O3"],
            py_limited_api=True,
            optional=True,  # without a compiler everything works, only slower
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
