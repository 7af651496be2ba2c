"""DBOS on PostgreSQL: each step's end is a committed row before the next begins."""
from peers import npm, postgres
from place import seconds, words_of

PACKAGES = ("@dbos-inc/dbos-sdk@4", "pg@8")


def script():
    return npm.script("dbos", *PACKAGES)


def database(place):
    """One server for all that is measured; started when it is first asked for."""
    if not hasattr(place, "postgres_url"):
        path = script()
        place.postgres_url, stop = postgres.start(place.folder("pg"))
        place.cleanup.append(stop)
        words_of(["node", path, "steps", 1, 1, place.postgres_url])  # makes its tables
    return place.postgres_url


def hello(place):
    url = database(place)
    return seconds(["node", script(), "hello", 1, 1, url], None)


def durable(place, runs, steps):
    url, path = database(place), script()
    return lambda: {"steps/s": float(words_of(["node", path, "steps", runs, steps, url])[-1])}
