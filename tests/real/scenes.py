"""All scenes."""

from real.scenes_c import CLANGD
from real.scenes_javascript import TS_LS_ESLINT
from real.scenes_python import BASEDPYRIGHT_RUFF, LINTER, PYLSP_RUFF
from real.scenes_rust import RUST_ANALYZER

SCENES = (BASEDPYRIGHT_RUFF, TS_LS_ESLINT, PYLSP_RUFF, CLANGD, LINTER, RUST_ANALYZER)
