-- The interface of nvim-lint with one linter, for tests without that plugin: `try_lint` runs ruff on the
-- text of the current buffer, and `get_running` names the linters that run.
local M = {
  linters_by_ft = {},
  linters = { ruff = { name = 'ruff', cmd = 'ruff', stdin = true } },
}

local namespace = vim.api.nvim_create_namespace('ruff')
---@type table<integer, vim.SystemObj>
local running = {}

local function diagnostic(found)
  return {
    lnum = found.location.row - 1,
    col = found.location.column - 1,
    end_lnum = found.end_location.row - 1,
    end_col = found.end_location.column - 1,
    severity = vim.diagnostic.severity.WARN,
    message = found.message,
    code = found.code,
    source = 'ruff',
  }
end

function M.try_lint(_, options)
  local bufnr = vim.api.nvim_get_current_buf()
  local filter = options and options.filter
  if not M.linters_by_ft[vim.bo[bufnr].filetype] or (filter and not filter(M.linters.ruff)) then
    return
  end
  if running[bufnr] then
    running[bufnr]:kill('sigint')
  end
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local command = {
    'ruff',
    'check',
    '--force-exclude',
    '--quiet',
    '--output-format=json',
    '--no-cache',
    '--stdin-filename=' .. vim.api.nvim_buf_get_name(bufnr),
    '-',
  }
  local process
  process = vim.system(command, { stdin = table.concat(lines, '\n') .. '\n' }, function(done)
    vim.schedule(function()
      if running[bufnr] ~= process then
        return
      end
      running[bufnr] = nil
      if vim.api.nvim_buf_is_valid(bufnr) and done.stdout ~= '' then
        vim.diagnostic.set(namespace, bufnr, vim.tbl_map(diagnostic, vim.json.decode(done.stdout)))
      end
    end)
  end)
  running[bufnr] = process
end

function M.get_running(bufnr)
  if bufnr then
    return running[bufnr] and { 'ruff' } or {}
  end
  return next(running) and { 'ruff' } or {}
end

return M
