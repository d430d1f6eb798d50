"""Starts the demo: `python -I …/demo`, in a terminal of a Neovim whose server runs."""

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from claude_ide.demo.page import Page
from claude_ide.demo.session import Session

asyncio.run(Session(Page()).run())
