--- Suppresses autocommands temporarily.
local M = {}

local FILLING = { 'BufHidden', 'BufLeave', 'BufUnload', 'BufDelete', 'BufWinLeave', 'BufWipeout' }

--- Call `fn` without running the autocommands of some events.
---@generic T
---@param events string|string[] a string replaces 'eventignore', a list is added to it
---@param fn fun(): T?
---@return T? result of `fn`
function M.run(events, fn)
  local eventignore = vim.o.eventignore
  if type(events) == 'string' then
    vim.o.eventignore = events
  else
    vim.opt.eventignore:append(events)
  end
  local ok, result = pcall(fn)
  vim.o.eventignore = eventignore
  if not ok then
    error(result, 0)
  end
  return result
end

--- Call `fn`, which replaces the empty buffer of a new window.
---
--- If an autocommand entered another window during the replacement, Neovim would show the new buffer
--- there, free the empty buffer that the first window still shows, and crash.
---@generic T
---@param fn fun(): T?
---@return T? result of `fn`
function M.fill(fn)
  return M.run(FILLING, fn)
end

return M
