"""A session of 10,000 tasks of 20 KB: its first step, from files that nobody has read lately; beside it a check, which reads
all of them; and the memory that the rest of one takes."""
from parts import session_files as files


def measure(place):
    tasks, size = place.size((10_000, 20_000), (200, 2_000))
    case = f"{tasks:,} tasks"
    root = place.folder("session")
    files.write_session(root, tasks, size)

    def cold(part, build):
        def run():
            files.forget(root)
            return part(str(build.bin / "baton"), root)
        return run

    place.turns(f"{case}, first step", {build.who: cold(files.first_step, build) for build in place.builds})
    place.turns(f"{case}, all files read", {build.who: cold(files.check, build) for build in place.builds})
    for build in place.builds:
        rest = place.folder("rest")
        files.write_session(rest, tasks, size, done=tasks * 98 // 100)
        place.figures.add(place.part, f"{case}, 2 % of them open", build.who, "MB",
                          place.seconds_and_peak(files.rest(build.bin / "baton", rest), place.top)()["MB"])
