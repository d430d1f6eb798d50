--- Finds the lines of a buffer without a file that quote private files: those of a quickfix window, and lists
--- of other plugins.
local privacy = require('claude_ide.privacy')

local M = {}

-- A function that reads the list in a quickfix window; nil if it is unknown.
local function reader(bufnr)
  if vim.fn.getqflist({ qfbufnr = 0 }).qfbufnr == bufnr then
    return vim.fn.getqflist
  end
  local window = vim.fn.win_findbuf(bufnr)[1]
  return window and function(what)
    return vim.fn.getloclist(window, what)
  end
end

local function never()
  return false
end

--- A function that says whether a line of a buffer, with this text, quotes a private file.
---@param bufnr integer
---@return fun(line: integer, text: string): boolean
function M.checker(bufnr)
  local buftype = vim.bo[bufnr].buftype
  if buftype == '' then
    return never
  elseif buftype ~= 'quickfix' then
    return function(_, text)
      return privacy.is_named(text)
    end
  end
  local read = reader(bufnr)
  return function(line, text)
    local entry = read and read({ idx = line, items = 0 }).items[1]
    local is_private = not entry or entry.bufnr > 0 and privacy.of_buffer(entry.bufnr) ~= nil
    return text ~= '' and (is_private or privacy.is_named(text))
  end
end

return M
