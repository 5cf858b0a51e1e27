"""Builds the C kernel where there is a compiler; all else is in pyproject.toml."""

import sys

from setuptools import Extension, setup

KERNEL = "src/rankwise/native"

setup(
    ext_modules=[
        Extension(
            "rankwise.native._kernel",
            [f"{KERNEL}/kernel.c", f"{KERNEL}/module.c"],
            depends=[f"{KERNEL}/kernel.h"],
            extra_compile_args=[] if sys.platform == "win32" else ["-std=c11", "-O3"],
            py_limited_api=True,
            optional=True,  # without a compiler everything works, only slower
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
