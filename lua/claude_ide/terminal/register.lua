--- The CLIs that `:Claude` and `:ClaudeNew` have started.
local M = {}

local api = vim.api

---@class claude_ide.Terminal
---@field name string the user's name for it, or a number
---@field bufnr integer
---@field place claude_ide.TerminalPlace where its window opens

local terminals = {} ---@type claude_ide.Terminal[] the last used one first

--- All that still exist, the last used one first.
---@return claude_ide.Terminal[]
function M.all()
  terminals = vim.tbl_filter(function(terminal)
    return api.nvim_buf_is_valid(terminal.bufnr)
  end, terminals)
  return terminals
end

---@param test fun(terminal: claude_ide.Terminal): boolean
---@return claude_ide.Terminal?
local function find(test)
  return vim.iter(M.all()):find(test)
end

--- The terminal of a buffer.
---@param bufnr integer
---@return claude_ide.Terminal?
function M.of(bufnr)
  return find(function(terminal)
    return terminal.bufnr == bufnr
  end)
end

--- The one that commands mean: the one that the user is in, or the last used one.
---@return claude_ide.Terminal?
function M.current()
  return M.of(api.nvim_get_current_buf()) or M.all()[1]
end

--- Note that the user uses a terminal, or has started it.
---@param terminal claude_ide.Terminal
function M.use(terminal)
  M.remove(terminal.bufnr)
  table.insert(terminals, 1, terminal)
end

--- Forget a terminal whose CLI has ended.
---@param bufnr integer
function M.remove(bufnr)
  terminals = vim.tbl_filter(function(terminal)
    return terminal.bufnr ~= bufnr
  end, M.all())
end

return M
