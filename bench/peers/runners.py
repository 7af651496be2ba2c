"""Programs that run many commands: ninja, make, xargs, GNU parallel, snakemake. Each is asked for COUNT times /bin/true, two
at once, independent or one after the other; the answer is a function that does it and answers seconds."""
import shutil

from peers import Missing, debian
from place import seconds

CHAINS = ("ninja", "make", "snakemake")  # the others know of no order


def ninja(folder, count, chain):
    lines = ["rule t", "  command = /bin/true"]
    lines += [f"build o{i}: t{f' o{i - 1}' if chain and i else ''}" for i in range(count)]
    (folder / "build.ninja").write_text("\n".join(lines) + "\n")

    def forget():
        for junk in folder.glob(".ninja*"):
            junk.unlink()

    path, env = debian.program("ninja", "ninja-build")
    return seconds([path, "-j2", "--quiet"], folder, forget, env)


def make(folder, count, chain):
    lines = ["all: " + " ".join(f"o{i}" for i in range(count))]
    for i in range(count):
        # Without a shell: make starts a plain command itself. The target never comes to be, so each run does all.
        lines += [f"o{i}:{f' o{i - 1}' if chain and i else ''}", "\t@/bin/true"]
    (folder / "Makefile").write_text("\n".join(lines) + "\n")
    path, env = debian.program("make")
    return seconds([path, "-j2", "-s"], folder, None, env)


def xargs(folder, count, _chain):
    path = shutil.which("xargs")
    if not path:
        raise Missing("no xargs")
    (folder / "lines").write_text("".join(f"{i}\n" for i in range(count)))
    return seconds([path, "-a", "lines", "-n1", "-P2", "/bin/true"], folder)


def parallel(folder, count, _chain):
    path, env = debian.program("parallel")
    (folder / "lines").write_text("".join(f"{i}\n" for i in range(count)))
    # It asks to be cited on its first start; a home of its own keeps that away from the user's.
    home = folder / "home" / ".parallel"
    home.mkdir(parents=True, exist_ok=True)
    (home / "will-cite").touch()
    return seconds([path, "-a", "lines", "-j2", "/bin/true"], folder, None, {**(env or {}), "HOME": str(folder / "home")})


def snakemake(folder, count, chain):
    path, env = debian.program("snakemake")
    needs = "lambda w: [] if w.n == '0' else [f'o{int(w.n) - 1}']" if chain else "[]"
    (folder / "Snakefile").write_text(
        f"rule all:\n    input: expand('o{{n}}', n=range({count}))\n"
        f"rule one:\n    input: {needs}\n    output: touch('o{{n}}')\n    shell: '/bin/true'\n")

    def forget():
        shutil.rmtree(folder / ".snakemake", ignore_errors=True)
        for made in folder.glob("o[0-9]*"):
            made.unlink()

    return seconds([path, "-j2", "-q", "--scheduler", "greedy"], folder, forget, {**(env or {}), "HOME": str(folder)}, limit=1800)


RUNNERS = {"make": make, "ninja": ninja, "xargs": xargs, "parallel": parallel, "snakemake": snakemake}
