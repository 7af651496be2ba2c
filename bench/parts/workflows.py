"""Workflow files that several parts measure with."""


def write(folder, name, steps):
    """`steps`: lines of YAML, one list item each."""
    (folder / "workflows").mkdir(exist_ok=True)
    lines = ["---", f"name: {name}", "description: bench", "steps:", *steps, "---", ""]
    (folder / "workflows" / f"{name}.md").write_text("\n".join(lines))


def no_ops(folder, name, count, chain):
    write(folder, name, [f"  - {{id: s{i}, command: [/bin/true]{f', needs: [s{i - 1}]' if chain and i else ''}}}" for i in range(count)])


def agents(folder, name, count):
    """Agent steps that need nothing of each other; what they write is plain text."""
    (folder / "README.md").write_text("bench\n")
    write(folder, name, [f"  - {{id: s{i}, skill: build, mission: Write part {i}., input: README.md, "
                         f"output: '${{{{ sandbox }}}}/outputs/s{i}.md'}}" for i in range(count)])


def rehearsal(folder, hangs=None):
    """The option for a rehearsal in which nothing takes any time, but for one step that never ends. What is made up without
    it takes a moment a step, for people to see."""
    steps = f"steps:\n  {hangs}: {{hang: true}}\n" if hangs else ""
    (folder / "rehearsal.yaml").write_text(f"default: {{delay: 0s}}\n{steps}")
    return "--rehearse=rehearsal.yaml"
