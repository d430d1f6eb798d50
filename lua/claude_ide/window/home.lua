--- The tab pages to which the processes of clients belong, and visits to them.
local location = require('claude_ide.window.location')

local M = {}

local api = vim.api

local finder ---@type (fun(pid: integer): integer?)?

--- Have `fn` find the tab page of a process.
---@param fn fun(pid: integer): integer?
function M.find_by(fn)
  finder = fn
end

local function find(pid)
  local tabpage = finder and pid and finder(pid)
  local is_elsewhere = tabpage and tabpage ~= api.nvim_get_current_tabpage()
  return is_elsewhere and api.nvim_tabpage_is_valid(tabpage) and tabpage or nil
end

--- Call `open` in the tab page to which a process belongs. What it opens takes the user back to where they
--- are now; if it does not move them, they are back at once.
---@generic T: claude_ide.Visit
---@param pid? integer nil if it is unknown
---@param open fun(): T
---@return T
function M.visit(pid, open)
  local tabpage = find(pid)
  if not tabpage then
    return open()
  end
  local origin = location.current()
  api.nvim_set_current_tabpage(tabpage)
  local win = api.nvim_get_current_win()
  local ok, visit = pcall(open)
  if not ok or api.nvim_get_current_win() == win then
    location.go_back(origin)
  end
  if not ok then
    error(visit, 0)
  end
  visit.destination, visit.origin = origin, origin
  return visit
end

return M
