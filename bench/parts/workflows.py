"""Workflow files that several parts measure with."""


def write(folder, name, steps):
    """`steps`: lines of YAML, one list item each."""
    (folder / "workflows").mkdir(exist_ok=True)
    lines = ["---", f"name: {name}", "description: bench", "steps:", *steps, "---", ""]
    (folder / "workflows" / f"{name}.md").write_text("\n".join(lines))


def no_ops(folder, name, count, chain):
    write(folder, name, [f"  - {{id: s{i}, command: [/bin/true]{f', needs: [s{i - 1}]' if chain and i else ''}}}" for i in range(count)])


def agents(folder, name, count):
    """Agent steps that need nothing of each other."""
    write(folder, name, [f"  - {{id: s{i}, skill: build, mission: Write part {i}.}}" for i in range(count)])
