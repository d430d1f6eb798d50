--- Remembers which folders the user has declined to trust, so that this Neovim does not ask again
--- even if the host is restarted. Completes `:ClaudeTrust`.
local M = {}

local WORDS = { 'list', 'revoke', 'yes' }

local declined = {} ---@type table<string, true>

local function key(folder)
  return vim.uv.fs_realpath(folder) or folder
end

--- Remember that the user has declined to trust a folder.
---@param folder string
function M.decline(folder)
  declined[key(folder)] = true
end

--- Whether the user has declined to trust a folder.
---@param folder string
---@return boolean
function M.is_declined(folder)
  return declined[key(folder)] == true
end

--- Complete the arguments of `:ClaudeTrust`.
---@param lead string
---@param line string
---@param pos integer bytes before the cursor
---@return string[]
function M.complete(lead, line, pos)
  local words = vim.split(line:sub(1, pos), '%s+')
  if #words > 2 then
    return words[2] == 'list' and {} or vim.fn.getcompletion(lead, 'dir')
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, WORDS)
end

return M
