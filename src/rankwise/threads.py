"""Execution in threads, for functions that release the interpreter lock."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Given = TypeVar("Given")
Made = TypeVar("Made")


def read_ahead(items: Iterable[Given], count: int = 8) -> Iterator[Given]:
    """Yield items that a separate thread produces, at most `count` ahead of their use.

    This saves time if the producer releases the interpreter lock. Its errors are raised here.
    """
    from queue import SimpleQueue
    from threading import Semaphore, Thread

    ready: SimpleQueue[tuple[Given, None] | tuple[None, BaseException | None]] = SimpleQueue()
    room = Semaphore(count)
    stopped = False

    def produce() -> None:
        error = None
        try:
            for item in items:
                ready.put((item, None))
                room.acquire()
                if stopped:
                    return
        except BaseException as raised:
            error = raised
        ready.put((None, error))

    thread = Thread(target=produce)
    thread.start()
    try:
        while True:
            item, error = ready.get()
            if error is not None:
                raise error
            if item is None:
                return
            yield item
            room.release()
    finally:
        stopped = True
        room.release()
        thread.join()


def map_in_threads(
    function: Callable[[Given], Made], things: Iterable[Given], *, from_main: bool = False
) -> Iterator[Made]:
    """Yield the function's result for each thing in order, computed in threads a few things ahead.

    Things are taken one by one as results are used, so a generator that shows progress still works.
    Threads are started only for two or more things. With `from_main`, only calls from the main
    thread start threads, because each thread needs much memory.
    """
    things = iter(things)
    first = list(islice(things, 2))
    serial = from_main and current_thread() is not main_thread()
    if serial or len(first) < 2:  # a thread would only cost time
        yield from map(function, chain(first, things))
        return
    from concurrent.futures import ThreadPoolExecutor

    workers = 2 * (os.cpu_count() or 1)  # while one thread waits for the lock, another works
    with ThreadPoolExecutor(workers) as pool:
        ahead: deque[Future[Made]] = deque()
        try:
            for thing in chain(first, things):
                ahead.append(pool.submit(function, thing))
                if len(ahead) > workers:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:  # after an error the rest is cancelled
            for future in ahead:
                future.cancel()
