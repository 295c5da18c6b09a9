"""What every notebook's source looks like; running them is for nbval and ``npd report``."""

import ast
import re

import nbformat
import pytest
import yaml

from lib.files import ROOT

PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))
CONFIG = yaml.safe_load((ROOT / "report.yaml").read_text(encoding="utf-8"))
PAGES = {entry["notebook"] for entry in CONFIG["notebooks"]} | {CONFIG["each_system"], "reproduce"}
LONGEST = 35


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def notebook(request):
    return request.param.stem, nbformat.read(request.param, as_version=4)


def tagged(cell, tag: str) -> bool:
    return tag in cell.metadata.get("tags", [])


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def prose(notebook):
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def test_every_page_of_the_report_has_its_notebook():
    assert {path.stem for path in PATHS} >= PAGES


def test_is_a_valid_notebook(notebook):
    nbformat.validate(notebook[1])


def test_has_one_cell_of_parameters_which_are_literals(notebook):
    name, source = notebook
    cells = [cell for cell in code(source) if tagged(cell, "parameters")]
    assert len(cells) == 1
    assert cells[0] is code(source)[0]
    assert tagged(cells[0], "remove-cell")
    given = {}
    for statement in ast.parse(cells[0].source).body:
        assert isinstance(statement, ast.Assign)
        given[statement.targets[0].id] = ast.literal_eval(statement.value)
    assert given["profile"] in ("", "demo")  # stored with outputs of the demo, never of real cases
    assert all(
        set(entry.get("parameters", {})) <= set(given)
        for entry in CONFIG["notebooks"]
        if entry["notebook"] == name
    )


def test_imports_stand_in_one_hidden_cell(notebook):
    cells = code(notebook[1])
    assert tagged(cells[1], "remove-cell")
    kinds = (ast.Import, ast.ImportFrom)
    importing = [
        i for i, cell in enumerate(cells)
        if any(isinstance(node, kinds) for node in ast.walk(ast.parse(cell.source)))
    ]  # fmt: skip
    assert importing == [1]


def test_starts_with_its_only_title_and_a_question(notebook):
    first, *others = prose(notebook[1])
    assert notebook[1].cells[0].source == first
    assert re.match(r"# \S", first)
    assert not [
        text
        for text in others
        if re.search(r"^# ", re.sub(r"```.*?```", "", text, flags=re.S), re.M)
    ]
    assert len(first.splitlines()) >= 3


def test_states_its_limits(notebook):
    name, source = notebook
    if name in PAGES:
        assert any(
            re.search(r"^(## (Limits|What this is not)$|\*\*Limits\.\*\*)", text, re.M)
            for text in prose(source)
        )


def test_has_short_cells_that_define_nothing(notebook):
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for cell in code(notebook[1]):
        tree = ast.parse(cell.source)
        assert not [node for node in ast.walk(tree) if isinstance(node, definitions)], cell.source
        assert len(cell.source.splitlines()) <= LONGEST, cell.source
        assert cell.source.strip()


def test_names_no_folder_of_anyones_machine(notebook):
    for cell in notebook[1].cells:
        everything = str(cell.source) + str(cell.get("outputs", ""))
        assert str(ROOT) not in everything
        assert not re.search(r"(?<![\w.:/])/(home|Users|root|work|tmp)/|[A-Z]:\\\\", everything)


def test_holds_no_errors_or_warnings(notebook):
    for cell in code(notebook[1]):
        for output in cell.get("outputs", []):
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output.get("text")


def test_pages_of_users_systems_are_made_from_a_system_parameter():
    card = nbformat.read(ROOT / "notebooks" / f"{CONFIG['each_system']}.ipynb", as_version=4)
    assert re.search(r"^system = ", code(card)[0].source, re.M)
