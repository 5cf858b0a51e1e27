"""Execution in threads, for functions that release Python's global interpreter lock."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")


def read_ahead(items: Iterable[Item], count: int = 8) -> Iterator[Item]:
    """Yield items that a separate thread reads in advance; `count` limits the items that wait.

    This saves time if reading an item releases the interpreter lock. An error in the thread is
    raised here.
    """
    from queue import SimpleQueue
    from threading import Semaphore, Thread

    ready: SimpleQueue[tuple[Item, None] | tuple[None, BaseException | None]] = SimpleQueue()
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
    function: Callable[[Item], Result], items: Iterable[Item], *, from_main: bool = False
) -> Iterator[Result]:
    """Yield the result of the function for each item in order, computed by threads in advance.

    Items are read one by one while results are used, so a generator that shows progress works.
    Threads are started only for two or more items. With `from_main`, only a call from the main
    thread starts threads, because nested calls would need too much memory.
    """
    items = iter(items)
    first = list(islice(items, 2))
    serial = from_main and current_thread() is not main_thread()
    if serial or len(first) < 2:  # a thread would only cost time
        yield from map(function, chain(first, items))
        return
    from concurrent.futures import ThreadPoolExecutor

    workers = 2 * (os.cpu_count() or 1)  # while one thread waits for the lock, another works
    with ThreadPoolExecutor(workers) as pool:
        ahead: deque[Future[Result]] = deque()
        try:
            for item in chain(first, items):
                ahead.append(pool.submit(function, item))
                if len(ahead) > workers:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:  # after an error, cancel the calls that have not started
            for future in ahead:
                future.cancel()
