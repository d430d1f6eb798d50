--- A stand-in for nvim-lint: checks the current buffer with the linters of its filetype, one process each,
--- forgets a linter when its process ends, and publishes a moment later.
local M = { linters_by_ft = {}, linters = {} }

local running = {} ---@type table<integer, table<string, vim.SystemObj>>

local function publish(bufnr, name, output)
  local found = {}
  for row, text in output:gmatch('(%d+):([^\n]*)') do
    table.insert(found, { lnum = tonumber(row) - 1, col = 0, message = text, source = name })
  end
  vim.diagnostic.set(M.get_namespace(name), bufnr, found)
end

local function start(linter, bufnr)
  local procs = running[bufnr] or {}
  running[bufnr] = procs
  if procs[linter.name] then
    procs[linter.name]:kill('sigint')
  end
  local text = linter.stdin and vim.api.nvim_buf_get_lines(bufnr, 0, -1, true) or nil
  local command = vim.list_extend({}, linter.cmd)
  if not linter.stdin then
    table.insert(command, vim.api.nvim_buf_get_name(bufnr))
  end
  local proc
  proc = vim.system(command, { stdin = text }, function(result)
    if procs[linter.name] == proc then
      procs[linter.name] = nil
      vim.schedule(function()
        publish(bufnr, linter.name, result.stdout)
      end)
    end
  end)
  procs[linter.name] = proc
  _G.lint_runs = _G.lint_runs or {}
  table.insert(_G.lint_runs, { linter.name, vim.fn.bufname(bufnr) })
end

function M.get_namespace(name)
  return vim.api.nvim_create_namespace(name)
end

function M.get_running(bufnr)
  return vim.tbl_keys(running[bufnr] or {})
end

function M.try_lint(names, opts)
  names = type(names) == 'string' and { names } or names or M.linters_by_ft[vim.bo.filetype] or {}
  for _, name in ipairs(names) do
    local linter = assert(M.linters[name], 'Linter with name `' .. name .. '` not available')
    linter.name = name
    if not (opts and opts.filter) or opts.filter(linter) then
      start(linter, vim.api.nvim_get_current_buf())
    end
  end
end

return M
