# From a release and prediction files to the site. `npd report` runs this; so does `snakemake -c2`.
# Jobs are one process each; what changed decides what runs again.
import os
import sys
from importlib.metadata import version

from lib import plan, release
from lib.files import ROOT, keep_inside_checkout
from lib.systems import ablations

keep_inside_checkout()
PLAN = plan.make(config.get("profile", ""))
FOLDER = os.path.relpath(PLAN.folder, ROOT)  # NPD_REPORTS may move it out of the checkout
SYSTEMS = [  # as Snakemake names the outputs of the training
    os.path.relpath(path, ROOT) for path in [*plan.system_files(PLAN), *plan.cards(PLAN)]
]
PYTHON = sys.executable
PAGES = [page.name for page in PLAN.pages]
DATA = (
    [release.data_folder() / release.CASE_TABLE]
    if PLAN.profile == "official"
    else ["lib/demo.py"]
)
READING = [f"lib/{name}.py" for name in ("release", "splits", "predictions", "metrics")]
TRAINING = ["lib/features.py", "lib/feature_sets.py"]
TRAINING += [str(path) for path in sorted(Path("lib/systems").glob("*.*")) if path.is_file()]
DRAWING = READING + [
    f"lib/{name}.py"
    for name in ("bootstrap", "breakdowns", "calibration", "composition", "explain", "feature_sets",
                 "figures", "formulas", "leaderboard", "leakage", "manifest", "notebooks", "page",
                 "protocols", "published", "report", "tables", "ablation")
]
JUDGED = ("corpus", "extraction-audit", "judgment")  # pages that read judgments
PIPELINE = [str(path) for path in sorted(Path("lib/judgments").glob("*.py"))]
ABLATED = ("feature-sets", "leakage", "published-gap", "tuning")  # pages that need lib/systems/ablations.py's variants
VARIANTS = [f"{FOLDER}/predictions/{ablations.FOLDER}/{name}.csv" for name in ablations.VARIANTS]
VERSIONS = {name: version(name) for name in ("pandas", "numpy", "matplotlib", "catboost",
                                             "lightgbm", "xgboost-cpu", "scikit-learn",
                                             "statsmodels", "crepes")}

wildcard_constraints:
    system=r"[A-Za-z0-9](?:(?!-refit)[A-Za-z0-9._-])*",  # one job fits both protocols
    variant=r"[A-Za-z0-9][A-Za-z0-9._-]*",
    page=r"[A-Za-z0-9][A-Za-z0-9._-]*",

localrules: manifest

# Each page is named, since Snakemake does not make a missing file that only stands in between.
rule all:
    input: "_site/.built", f"{FOLDER}/manifest.json", expand(f"{FOLDER}/{{page}}.ipynb", page=PAGES)

rule pages:
    input: f"{FOLDER}/manifest.json", expand(f"{FOLDER}/{{page}}.ipynb", page=PAGES)

rule train:
    input: DATA, TRAINING, "lib/release.py"
    output: multiext(f"{FOLDER}/predictions/{{system}}", ".csv", ".yaml", "-refit.csv", "-refit.yaml")
    params: versions=VERSIONS
    shell: "{PYTHON:q} -m lib.systems.training {wildcards.system:q} {PLAN.profile}"

rule ablation:
    input: DATA, TRAINING, "lib/release.py"
    output: multiext(f"{FOLDER}/predictions/{ablations.FOLDER}/{{variant}}", ".csv", ".yaml")
    params: versions=VERSIONS
    shell: "{PYTHON:q} -m lib.systems.training {wildcards.variant:q} {PLAN.profile}"

rule notebook:
    input:
        lambda wildcards: PLAN.page(wildcards.page).source,
        SYSTEMS, DATA, DRAWING,
        lambda wildcards: VARIANTS if wildcards.page in ABLATED else [],
        lambda wildcards: PIPELINE if wildcards.page in JUDGED else [],
    output: f"{FOLDER}/{{page}}.ipynb"
    params:
        page=lambda wildcards: PLAN.page(wildcards.page).to_json(),
        judgments=lambda wildcards: os.environ.get("NPD_JUDGMENTS", "") if wildcards.page in JUDGED else "",
        versions=VERSIONS,
    shell: "{PYTHON:q} -m lib.notebooks {params.page:q} {FOLDER:q}"

rule manifest:
    input: expand(f"{FOLDER}/{{page}}.ipynb", page=PAGES), "lib/manifest.py", "lib/plan.py"
    output: f"{FOLDER}/manifest.json"
    shell: "{PYTHON:q} -m lib.manifest {PLAN.profile}"

rule site:
    input:
        f"{FOLDER}/manifest.json",
        "_quarto.yml", Path(".").glob("*.qmd"), Path("assets").glob("*"), "lib/site.py",
    output: "_site/.built"
    params: profile=PLAN.profile
    shell: "{PYTHON:q} -m lib.site {PLAN.profile}"
