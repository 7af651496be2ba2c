"""BullMQ on a Redis that syncs every write: a step is a job, which adds its successor when it is done."""
from peers import npm, redis
from place import words_of

PACKAGES = ("bullmq@5",)


def durable(place, runs, steps):
    path = npm.script("bullmq", *PACKAGES)
    if not hasattr(place, "redis_socket"):
        place.redis_socket, stop = redis.start(place.folder("redis"))
        place.cleanup.append(stop)
    return lambda: {"steps/s": float(words_of(["node", path, runs, steps, place.redis_socket])[-1])}
