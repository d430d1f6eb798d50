-- Language servers and a linter in their usual configuration, and a record of their diagnostics.
local M = {}

local configurations = {
  basedpyright = {
    cmd = { 'basedpyright-langserver', '--stdio' },
    filetypes = { 'python' },
    root_markers = { 'pyrightconfig.json' },
    settings = {
      basedpyright = {
        analysis = { autoSearchPaths = true, diagnosticMode = 'openFilesOnly' },
        disableTaggedHints = true,
      },
    },
  },
  ruff = {
    cmd = { 'ruff', 'server' },
    filetypes = { 'python' },
    root_markers = { 'a.py' },
  },
  pylsp = {
    cmd = { 'pylsp' },
    filetypes = { 'python' },
    root_markers = { 'a.py' },
  },
  ts_ls = {
    cmd = { 'typescript-language-server', '--stdio' },
    filetypes = { 'javascript', 'typescript' },
    root_markers = { 'jsconfig.json' },
    init_options = { hostInfo = 'neovim' },
  },
  eslint = {
    cmd = { 'vscode-eslint-language-server', '--stdio' },
    filetypes = { 'javascript', 'typescript' },
    root_markers = { '.eslintrc.json' },
    settings = {
      validate = 'on',
      useESLintClass = false,
      experimental = {},
      codeActionOnSave = { enable = false, mode = 'all' },
      format = true,
      quiet = false,
      onIgnoredFiles = 'off',
      rulesCustomizations = {},
      run = 'onType',
      problems = { shortenToSingleLine = false },
      workingDirectory = { mode = 'auto' },
    },
    before_init = function(_, config)
      config.settings.nodePath = vim.env.NODE_PATH
      config.settings.workspaceFolder = {
        uri = vim.uri_from_fname(config.root_dir),
        name = vim.fs.basename(config.root_dir),
      }
    end,
    handlers = {
      ['eslint/confirmESLintExecution'] = function()
        return 4 -- approved
      end,
    },
  },
  clangd = {
    cmd = { 'clangd' },
    filetypes = { 'c', 'cpp' },
    root_markers = { 'compile_flags.txt' },
    capabilities = { offsetEncoding = { 'utf-8', 'utf-16' } },
  },
  rust_analyzer = {
    cmd = { 'rust-analyzer' },
    filetypes = { 'rust' },
    root_markers = { 'Cargo.toml' },
  },
}

function M.enable(names)
  for _, name in ipairs(names) do
    vim.lsp.config(name, configurations[name])
    vim.lsp.enable(name)
  end
end

-- As LazyVim runs nvim-lint: on its events, 100 ms after the last of them.
function M.lint()
  require('lint').linters_by_ft = { python = { 'ruff' } }
  local timer = assert(vim.uv.new_timer())
  vim.api.nvim_create_autocmd({ 'BufWritePost', 'BufReadPost', 'InsertLeave' }, {
    callback = function()
      timer:start(100, 0, function()
        timer:stop()
        vim.schedule(function()
          require('lint').try_lint()
        end)
      end)
    end,
  })
end

-- The work that servers report as in progress, by client and token.
local works = {}

-- The contents of `vim.diagnostic` after each change, with the time in seconds.
local record = {}

local function now()
  local seconds, microseconds = vim.uv.gettimeofday()
  return seconds + microseconds / 1e6
end

---@return { file: string, line: integer, message: string, severity: integer, source?: string }[]
function M.findings()
  return vim
    .iter(vim.diagnostic.get())
    :map(function(diagnostic)
      return {
        file = vim.api.nvim_buf_get_name(diagnostic.bufnr),
        line = diagnostic.lnum + 1,
        message = diagnostic.message,
        severity = diagnostic.severity,
        source = diagnostic.source,
      }
    end)
    :totable()
end

function M.watch()
  vim.api.nvim_create_autocmd('DiagnosticChanged', {
    callback = function()
      table.insert(record, { at = now(), findings = M.findings() })
    end,
  })
  vim.api.nvim_create_autocmd('LspProgress', {
    callback = function(event)
      local params = event.data.params
      local work = ('%d %s'):format(event.data.client_id, params.token)
      works[work] = params.value.kind ~= 'end' or nil
    end,
  })
end

-- Return the record since the last call.
function M.drain()
  local drained = record
  record = {}
  return drained
end

function M.is_busy()
  return next(works) ~= nil
end

---@return table<string, true> whether each client is initialized, by name
function M.ready()
  return vim.iter(vim.lsp.get_clients()):fold({ [''] = true }, function(ready, client)
    ready[client.name] = client.initialized == true
    return ready
  end)
end

return M
