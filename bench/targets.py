"""What we want to reach, beside each figure that tells. `limit` is shown where a target is missed: what stands in the way,
and the measurement that shows it. A row without a bound is shown for what it is."""


def _at(part, case, who, unit="s"):
    return f"{part}/{case}/{who}/{unit}"


def _row(what, of, against, limit="", **bound):
    return {"what": what, "of": of, "against": against, "limit": limit, **bound}


NO_OPS = ("Both cores are busy all the time, so what a step of ours does beyond being started counts in full, and so does what a run does "
          "before its first step and after its last: it reads the workflow, makes a journal and starts the holder; of 10,000 steps that is a "
          "tenth as much. A loop that gives each step a session and two files, and records nothing, is the row `bare loop with logs`. The "
          "rest is the holder's and the engine's: profiles below.")
RECORD = ("The program reads a workflow of 2,000 steps first, and each step's log is one more name of a file. A commit of ours writes three "
          "pages where the bare one writes one: the event, the run's state for lists, and what is at work. What bare SQLite itself "
          "comes to against BullMQ stands above.")


def _dispatch():
    rows = []
    for count in ("1,000", "10,000"):
        case = f"{count} independent"
        for peer, most in (("ninja", 0.6), ("make", 1.1), ("bare loop", 1.25), ("bare loop with logs", None), ("xargs", None)):
            limit = NO_OPS
            rows.append(_row(f"{count} independent no-ops, 2 at once, durable, against {peer}", _at("dispatch", case, "baton"),
                             _at("dispatch", case, peer), limit, **({"at_most": most} if most else {})))
    rows += [
        _row("1,000 independent no-ops: times faster than snakemake", _at("dispatch", "1,000 independent", "snakemake"),
             _at("dispatch", "1,000 independent", "baton"), at_least=15, limit="The bare loop, which keeps nothing, is the next row."),
        _row("the same, the bare loop", _at("dispatch", "1,000 independent", "snakemake"), _at("dispatch", "1,000 independent", "bare loop")),
        _row("1,000 independent no-ops: times faster than GNU parallel", _at("dispatch", "1,000 independent", "parallel"),
             _at("dispatch", "1,000 independent", "baton")),
        _row("chain of 1,000 no-ops, durable, against ninja", _at("dispatch", "chain of 1,000", "baton"),
             _at("dispatch", "chain of 1,000", "ninja"), at_most=0.65),
        _row("chain of 1,000 no-ops: times faster than LangGraph, which is not durable", _at("dispatch", "chain of 1,000", "langgraph"),
             _at("dispatch", "chain of 1,000", "baton"), at_least=4),
        _row("chain of 10,000 no-ops, durable, against ninja", _at("dispatch", "chain of 10,000", "baton"), _at("dispatch", "chain of 10,000", "ninja")),
        _row("chain of 10,000 no-ops, durable, against bare loop", _at("dispatch", "chain of 10,000", "baton"),
             _at("dispatch", "chain of 10,000", "bare loop")),
        _row("the engine's memory at 1,000 steps, against 30 MB", _at("dispatch", "memory at 1,000 steps", "baton", "MB"), 30, at_most=1)]
    return rows


def _durable():
    ours, bare = _at("durable", "one run", "baton", "steps/s"), _at("durable", "one run", "sqlite", "steps/s")
    rows = [_row("durable steps without processes, one run, against bare SQLite FULL commits", ours, bare, at_least=0.75, limit=RECORD),
            _row("the same, the engine alone, without logs", _at("durable", "one run", "baton's engine", "steps/s"), bare)]
    rows.append(_row("bare SQLite FULL commits, one run: times faster than bullmq", bare, _at("durable", "one run", "bullmq", "steps/s")))
    for case, least in (("one run", {"bullmq": 5, "langgraph": 8, "dbos": 10, "restate": None}),
                        ("100 runs", {"bullmq": 5, "restate": 10, "dbos": 30, "langgraph": 30})):
        for who, how in (("baton", "the program"), ("baton's engine", "the engine alone, all runs in one process")):
            for peer, times in least.items():
                bound = {"at_least": times} if times and (who == "baton") == (case == "one run") else {}
                rows.append(_row(f"durable steps, {case}, {how}: times faster than {peer}", _at("durable", case, who, "steps/s"),
                                 _at("durable", case, peer, "steps/s"), limit=RECORD if bound and case == "one run" else "", **bound))
    return rows


def _startup():
    return [
        _row("baton --version, against ninja's", _at("startup", "--version", "baton"), _at("startup", "--version", "ninja"), at_most=1),
        _row("an empty run, against ninja's", _at("startup", "empty run", "baton"), _at("startup", "empty run", "ninja"), at_most=1,
             limit="A run of ours syncs three times before it has ended: its beginning, its end, and the file that shows it. A program "
                   "that does nothing else is the row `its syncs alone`; ninja syncs nothing."),
        _row("baton --version: times faster than Node", _at("startup", "--version", "node"), _at("startup", "--version", "baton"), at_least=15),
        _row("an empty run: times faster than Node", _at("startup", "empty run", "node"), _at("startup", "empty run", "baton"), at_least=15,
             limit="The same; `node -e 0` touches no disk."),
        _row("an empty run: times faster than LangGraph's hello", _at("startup", "empty run", "langgraph"),
             _at("startup", "empty run", "baton"), at_least=80, limit="The same; LangGraph's hello keeps nothing."),
        _row("an empty run, against its syncs alone", _at("startup", "empty run", "baton"), _at("startup", "empty run", "its syncs alone")),
        _row("its syncs alone, against ninja's empty run", _at("startup", "empty run", "its syncs alone"), _at("startup", "empty run", "ninja")),
    ]


def _plans():
    large = "1,000,000 steps"
    return [
        _row("1,000,000 steps read and run over fakes, against ninja's load of 1,000,000 edges", _at("plans", large, "baton"),
             _at("plans", large, "ninja"), at_most=1),
        _row("its memory, against ninja's", _at("plans", large, "baton", "MB"), _at("plans", large, "ninja", "MB"), at_most=1),
        _row("cost a step at 1,000,000, against 1,000 (flat is 1)", _at("plans", large, "baton", "us/step"),
             _at("plans", "1,000 steps", "baton", "us/step"), at_most=1.25,
             limit="What a million steps are kept in does not fit the processor's caches; 1,000 do."),
    ]


def _rest():
    return [
        _row("200 MB of an agent's stream, against a bare simdjson loop", _at("stream", "200 MB", "baton", "MB/s"),
             _at("stream", "200 MB", "simdjson", "MB/s"), at_least=0.6),
        _row("the same: times Node's rate", _at("stream", "200 MB", "baton", "MB/s"), _at("stream", "200 MB", "node", "MB/s"), at_least=12),
        _row("its memory, against 20 MB", _at("stream", "200 MB", "baton", "MB"), 20, at_most=1),
        _row("2,000 calls in flight, each answered after 1 s: share of the ideal rate", _at("http", "2,000 in flight", "baton's courier", "of ideal"),
             1, at_least=0.95, limit="The server, a Python program, shares the two cores with us."),
        _row("the same through the whole program, with its prompts, requests and outputs on disk",
             _at("http", "2,000 in flight, 20,000 steps", "baton", "of ideal"), 1, at_least=0.95,
             limit="The engine is one thread, and of each call it has 0.3 ms of work to do, half of it the system's, for the five files "
                   "that are made: at 2,000 calls a second, 60 % of a core, and while it works on some the slots of others stand empty."),
        _row("the same, 20,000 calls with all that begins and ends, against 10 s", _at("http", "2,000 in flight", "baton's courier"), 10),
        _row("the same, against a bare libcurl-multi loop", _at("http", "2,000 in flight", "baton's courier"), _at("http", "2,000 in flight", "curl")),
        _row("the same, against undici", _at("http", "2,000 in flight", "baton's courier"), _at("http", "2,000 in flight", "undici"), at_most=1),
        _row("memory of courier, holder and engine with 2,000 in flight, against 100 MB",
             _at("http", "2,000 in flight, 4,000 steps", "baton", "MB"), 100, at_most=1),
        _row("memory of one more agent at work in the engine, against 64 KB",
             _at("agents", "one more agent at work", "baton", "KB in the engine"), 64, at_most=1),
        _row("list with 10,000 runs, against 50 ms", _at("lists", "list, 10,000 runs", "baton"), 0.05, at_most=1),
        _row("show with 10,000 runs, against 20 ms", _at("lists", "show, 10,000 runs", "baton"), 0.02, at_most=1),
        _row("check of a workflow of 5,000 steps, against 200 ms", _at("check", "5,000 steps", "baton"), 0.2, at_most=1),
        _row("top's first screen with 10,000 runs, against 50 ms", _at("top", "first screen, 10,000 runs", "baton"), 0.05, at_most=1),
        _row("an event on its screen, against 200 ms", _at("top", "event to screen", "baton"), 0.2, at_most=1),
        _row("its share of a core with a silent run, against 1 %", _at("top", "share of a core, a silent run", "baton", "%"), 1, at_most=1),
        _row("its share of a core at 100 events a second, against 5 %", _at("top", "share of a core, 100 events/s", "baton", "%"), 5, at_most=1),
        _row("the first step of a session of 10,000 tasks of 20 KB, against 200 ms", _at("session", "10,000 tasks, first step", "baton"), 0.2, at_most=1),
        _row("its memory, against 60 MB", _at("session", "10,000 tasks, 2 % of them open", "baton", "MB"), 60, at_most=1),
        _row("a run of 10,000 steps is taken up after kill -9, against 500 ms", _at("resume", "10,000 steps", "baton"), 0.5),
        _row("`baton team` with 4 roles and 12 tasks is back, against 300 ms", _at("team", "12 tasks, until it is left alone", "baton"), 0.3, at_most=1),
        _row("a successor starts after its worker's end, against 50 ms", _at("team", "a worker's end to its successor's start", "baton"), 0.05, at_most=1),
    ]


TARGETS = _dispatch() + _durable() + _startup() + _plans() + _rest()
