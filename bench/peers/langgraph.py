"""LangGraph, with its SQLite checkpointer where steps are to be durable."""
from peers import npm
from place import seconds, words_of

# Versions that fit each other: what is newest of each does not always. npm takes minutes to find out by itself what goes
# together, and what each of these wants is among them.
PACKAGES = ("--legacy-peer-deps", "@langchain/langgraph@1.4.9", "@langchain/core@1.2.13", "@langchain/langgraph-checkpoint@1.1.3",
            "@langchain/langgraph-checkpoint-sqlite@1.0.4", "zod@4")


def script():
    return npm.script("langgraph", *PACKAGES)


def hello():
    return seconds(["node", script(), "hello"], None)


def spawning(count, chain):
    """Steps that start /bin/true and are on no record: seconds."""
    return seconds(["node", script(), "spawn", count, "chain" if chain else "independent"], None)


def durable(folder, runs, steps):
    """Steps a second, each checkpoint on disk before the next step (FULL)."""
    path = script()
    return lambda: {"steps/s": float(words_of(["node", path, "steps", runs, steps, folder])[-1])}
