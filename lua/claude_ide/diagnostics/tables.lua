--- Neovim's own tables of published diagnostics. `vim.diagnostic.get` copies all diagnostics at once, with
--- all data that the language server has attached, but a diagnostic handler receives the tables.
local M = {}

local HANDLER = 'claude_ide/tables'

---@class claude_ide.ShownDiagnostics
---@field list vim.Diagnostic[]
---@field rows number lines of the buffer at that time; infinite if it was not loaded

---@type table<integer, table<integer, claude_ide.ShownDiagnostics>> by buffer and namespace
local shown = {}

local function show(namespace, bufnr, list)
  local is_loaded = vim.api.nvim_buf_is_loaded(bufnr)
  local rows = is_loaded and vim.api.nvim_buf_line_count(bufnr) or math.huge
  shown[bufnr] = shown[bufnr] or {}
  shown[bufnr][namespace] = { list = list, rows = rows }
end

-- Called before `show`, whenever a namespace publishes.
local function hide(namespace, bufnr)
  if shown[bufnr] then
    shown[bufnr][namespace] = nil
  end
end

--- Keep the tables that are published from now on. Neovim does not pass any in Insert mode, nor while
--- diagnostics are disabled.
function M.start()
  vim.diagnostic.handlers[HANDLER] = { show = show, hide = hide }
end

--- Stop keeping tables, and drop them.
function M.stop()
  vim.diagnostic.handlers[HANDLER] = nil
  shown = {}
end

--- Drop the tables of a buffer.
---@param bufnr integer
function M.forget(bufnr)
  shown[bufnr] = nil
end

--- The number of diagnostics of a buffer.
---@param bufnr integer
---@param filter vim.diagnostic.GetOpts
---@return integer
function M.count(bufnr, filter)
  local sum = 0
  for _, count in pairs(vim.diagnostic.count(bufnr, filter)) do
    sum = sum + count
  end
  return sum
end

-- Whether no diagnostic lies below the last row. Neovim would have moved it to that row in the tables.
local function is_in_place(bufnr, namespace, known)
  local last, at_end = known.rows - 1, 0
  for _, diagnostic in ipairs(known.list) do
    at_end = at_end + (diagnostic.end_lnum >= last and 1 or 0)
  end
  return at_end == 0
    or M.count(bufnr, { namespace = namespace, lnum = last }) == at_end
      and M.count(bufnr, { namespace = namespace, lnum = last + 1 }) == 0
end

--- The diagnostics that a namespace has published for a buffer: Neovim's own tables if they are known to
--- be complete (a plugin may show only some diagnostics), otherwise copies.
---@param bufnr integer
---@param namespace integer
---@return vim.Diagnostic[] list
---@return boolean is_own whether the tables are Neovim's own and must not be changed
function M.of(bufnr, namespace)
  local known = shown[bufnr] and shown[bufnr][namespace]
  local is_whole = known
    and #known.list == M.count(bufnr, { namespace = namespace })
    and is_in_place(bufnr, namespace, known)
  if is_whole then
    return known.list, true
  end
  return vim.diagnostic.get(bufnr, { namespace = namespace }), false
end

return M
