"""`check` of a workflow of 5,000 agent steps, each with a mission of its own, an output and rules for it."""
from parts import workflows
from place import seconds


def measure(place):
    count = place.size(5_000, 200)
    folder = place.folder("check")
    steps = []
    for i in range(count):
        steps += [f"  - id: s{i}", "    skill: build", f"    mission: Write part {i} of the whole.",
                  f"    input: ${{{{ steps.s{i - 1}.output }}}}" if i else "    input: README.md",
                  f"    output: ${{{{ sandbox }}}}/outputs/s{i}.json",
                  "    validate: {required_fields: [title, body], min_length: {body: 10}}"]
        steps += [f"    needs: [s{i - 1}]"] if i else []
    workflows.write(folder, "large", steps)
    place.turns(f"{count:,} steps", place.contenders(
        *place.each_build(lambda build: seconds([build.bin / "baton", "check", "large"], folder))), times=2)
