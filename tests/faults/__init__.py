"""Input that is wrong in every way we can think of, and output that fails.

`seeds.py` has a sound file of every format, `mutators.py` what is done to it, `worker.py` runs
the command line on the result with limits of time and memory, `hunt.py` does so many times and
saves what it finds, minimised, in `found/`. `make fuzz MINUTES=n` hunts as long as one likes.
"""
