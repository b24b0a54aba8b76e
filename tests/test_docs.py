"""Every command and Python block of the README and the site's pages runs; every link leads on."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest
import typer

from inarow.lab.players import outside
from inarow.lab.players.shipped import SHIPPED
from inarow.learn import registry
from inarow.ui import main as command_line
from tests.pages import DOCS, ROOT, anchors, blocks, commands, links, markdown_files
from tests.user_texts import hooks

# Pages whose commands take hours, or that have tests of their own.
ELSEWHERE = (
    "docs/papers",
    "docs/agents",
    "docs/how-to/add-a-paper.md",
    "docs/how-to/add-a-learner.md",
    "docs/how-to/serve.md",
    "docs/how-to/public-server.md",
    "docs/reference/records.md",
)
RUN = [
    path
    for path in markdown_files()
    if not str(path.relative_to(ROOT)).startswith(ELSEWHERE)
    and any(block.language in ("sh", "python") for block in blocks(path))
]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", RUN, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_runs(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_named", {})  # what the page names is forgotten afterwards
    monkeypatch.setattr(outside, "_allowed", {})
    for block in blocks(path):
        if block.file.endswith(".py"):  # imported anew, and forgotten afterwards
            monkeypatch.setitem(sys.modules, Path(block.file).stem, None)
            del sys.modules[Path(block.file).stem]
    names = {"__name__": path.stem}
    for block in blocks(path):
        if block.file:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            exec(compile(block.text, str(path), "exec", dont_inherit=True), names)
        elif block.language == "sh":
            for line in block.text.splitlines():
                run(line.partition("#")[0].strip(), monkeypatch, capsys)


def run(line, monkeypatch, capsys):
    """Runs a line as a shell would; of make, only that the target is there."""
    words = [word.strip("\"'") for word in re.findall(r'"[^"]*"|\'[^\']*\'|\S+', line)]
    if words[:1] == ["make"]:
        assert re.search(rf"^{words[1]}:", MAKEFILE, re.MULTILINE), line
    elif words:
        assert words[0] == "inarow", f"{line}: only inarow and make are tested"
        monkeypatch.setattr(sys, "argv", words)
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            command_line.main()
        shown = capsys.readouterr()
        assert ended.value.code == 0, shown.err
        assert shown.out, line
        assert max(map(len, shown.out.splitlines())) <= 80, line


def test_readme_is_short_and_its_blocks_are_tested():
    readme = ROOT / "README.md"
    assert readme in RUN
    assert len(readme.read_text(encoding="utf-8").splitlines()) < 140
    assert {block.language for block in blocks(readme)} == {"sh", "python"}


def test_readme_counts_learners_and_agents():
    words = {9: "nine", 10: "ten", 11: "eleven", 12: "twelve"}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"There are {words[len(registry.BUILT_IN)]} learners" in readme
    assert f"Agents for {words[len(SHIPPED)]} games come with the package" in readme


def test_facts_are_those_of_the_stored_results():
    facts = runpy.run_path(str(DOCS / "make_facts.py"))
    assert facts["TABLE_BETWEEN"].search((ROOT / "README.md").read_text(encoding="utf-8"))
    for path in facts["PLACES"]:
        text = path.read_text(encoding="utf-8")
        assert facts["BETWEEN"].search(text), path
        assert facts["with_facts"](text) == text, f"{path}: make pages"


def test_every_link_leads_to_a_page_or_file():
    lost = [
        f"{path.relative_to(ROOT)}: {link}"
        for path in markdown_files()
        for link in links(path.read_text(encoding="utf-8"))
        if not leads_somewhere(path, link)
    ]
    assert not lost


def leads_somewhere(path, link):
    """Whether there is such a file or page, and such a heading on it."""
    address, _, anchor = link.partition("#")
    target = (path.parent / address).resolve() if address else path
    if target.suffix == ".html" and not target.exists():  # in HTML: as the site names its pages
        target = target.with_suffix(".md")
    inside = target.is_relative_to(DOCS) and str(target.relative_to(DOCS))
    if target.suffix != ".md":
        return target.exists()
    text = target.read_text(encoding="utf-8") if target.exists() else hooks().get(inside)
    return text is not None and anchor in anchors(text)


def test_links_that_lead_nowhere_are_found():
    readme = ROOT / "README.md"
    for link in ("docs/index.md", "docs/learners/td.md#options", "#in-python", "Makefile"):
        assert leads_somewhere(readme, link)
    for link in ("docs/none.md", "docs/learners/td.md#none", "#none", "docs/none.png"):
        assert not leads_somewhere(readme, link)


def options_of(command):
    """All names of its options."""
    return {name for each in command.params for name in [*each.opts, *each.secondary_opts]}


def problem_of(line):
    """What is wrong with a command as it is written: its name or its options; "" if nothing."""
    here, words = typer.main.get_command(command_line.app), line.split()[1:]
    known = options_of(here)
    while words and getattr(here, "commands", None):
        word = words.pop(0)
        if word.startswith("-"):
            if word not in known | {"--help", "-h"}:
                return f"no option {word}"
            words = words[0 if word in {"--help", "-h", "--version"} else 1 :]
        elif word in here.commands:
            here = here.commands[word]
            known |= options_of(here)
        else:
            return "" if word.isupper() or word == "..." else f"no command {word}"
    options = re.findall(r"(?<![\w'\"-])--?[a-z][\w-]*", " ".join(words))
    unknown = [option for option in options if option not in known | {"--help", "-h"}]
    return f"no option {unknown[0]}" if unknown else ""


def test_every_command_that_is_shown_exists():
    texts = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in markdown_files()}
    wrong = [
        f"{place}: {line}: {problem_of(line)}"
        for place, text in {**texts, **hooks()}.items()
        for line in commands(text)
        if problem_of(line) and line != "inarow agent 1"  # the name of a format
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("    inarow trian tictactoe td", ["no command trian"]),
        ("Try `inarow solve tictactoe --second 2`.", ["no option --second"]),
        ("```text\n$ inarow study rum a.toml\n```", ["no command rum"]),
        ("`inarow train tictactoe td\n--agianst random`", ["no option --agianst"]),
        ("`inarow COMMAND --help`, `inarow --learner a:B certify a.safetensors --json`", ["", ""]),
        ("    inarow train tictactoe td \\\n      --games 5  # five\n", [""]),
    ],
)
def test_commands_that_do_not_exist_are_found(text, problems):
    assert [problem_of(line) for line in commands(text)] == problems


def test_every_public_name_is_in_the_reference():
    import inarow

    text = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
    shown = {line.rpartition(".")[2] for line in text.splitlines() if line.startswith(":::")}
    public = {getattr(inarow, name).__name__ for name in inarow.__all__ if name != "__version__"}
    assert public <= shown


def test_every_command_game_player_and_learner_has_its_place():
    from inarow.game.names import FORMS, VARIANTS
    from inarow.lab.players.names import RULE_PLAYERS

    made = hooks()
    for learner in registry.BUILT_IN:
        for heading in ("Update rule", "Options", "Differences from its paper", "Learning curves"):
            assert f"## {heading}\n" in made[f"learners/{learner}.md"]
    for address in (name for name in made if name.startswith("games/") and "index" not in name):
        for heading in ("Rules", "Counts", "Known values", "Best agent"):
            assert f"## {heading}\n" in made[address], address
    for command in ("train", "certify", "study run", "agents measure"):
        assert f"`inarow {command}`" in made["reference/commands.md"]
    for form in [*FORMS, *VARIANTS]:
        assert form in made["games/index.md"]
    for player in RULE_PLAYERS:
        assert f"`{player}`" in made["reference/players.md"]


def test_versions_agree():
    import inarow

    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f"version: {inarow.__version__}\n" in citation
    assert f'version = "{inarow.__version__}"' in project
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changes.split("## ")[1].startswith(inarow.__version__)


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ('<script src="https://cdn.example.org/a.js"></script>', "loads https://cdn"),
        ('<link href="//fonts.example.org/a.css">', "loads //fonts"),
        ('<a href="other.html">', "links to other.html, which is not there"),
        ('<a href="#part">', "links to #part, which is not there"),
        ('<style></style><img src="a.png">', "links to a.png, which is not there"),
        ('<a href="https://example.org" id="part"></a><a href="index.html#part">', None),
    ],
)
def test_site_check_finds_what_is_wrong(page, problem, tmp_path):
    check = runpy.run_path(str(DOCS / "check_site.py"))
    (tmp_path / "index.html").write_text(page, encoding="utf-8")
    found = check["problems"](tmp_path)
    assert found == [] if problem is None else len(found) == 1 and problem in found[0], found


def test_site_check_reads_style_sheets(tmp_path):
    check = runpy.run_path(str(DOCS / "check_site.py"))
    (tmp_path / "index.html").write_text("<p>", encoding="utf-8")
    Path(tmp_path / "a.css").write_text("@import url('https://example.org/b.css');")
    assert check["problems"](tmp_path) == ["a.css loads https://example.org/b.css"]
    assert check["problems"](tmp_path / "none") == [f"{(tmp_path / 'none').resolve()} has no pages"]
