"""Workers of a team that outlast whoever started them, so that each end is a cold start of a wake; then quick ones."""
from parts import team_files as files


def measure(place):
    for n in range(place.size(place.rounds, 1)):
        for build in place.builds:
            for name, needs, takes in (("12 tasks", files.twelve(), 0.2), ("woken", files.line(place.size(4, 2)), 1.6)):
                root = place.folder(f"team {name} {n}")
                files.write_team(root, needs)
                back, notes = files.run_team(str(build.bin / "baton"), str(root), takes)
                if name == "woken":
                    place.figures.add(place.part, "a worker's end to its successor's start", build.who, "s", *files.gaps(needs, notes))
                else:
                    place.figures.add(place.part, "12 tasks, until it is left alone", build.who, "s", back)
