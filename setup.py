"""Builds the C kernel where there is a compiler; all else is in pyproject.toml."""

import sys

from setuptools import Extension, setup

KERNEL = "src/rankwise/native"

setup(
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
