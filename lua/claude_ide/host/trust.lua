--- Which folders the user has declined to trust: not asked again in this Neovim, whatever becomes of
--- the host. And the completion of `:ClaudeTrust`.
local M = {}

local WORDS = { 'list', 'revoke', 'yes' }

local declined = {} ---@type table<string, true>

local function key(folder)
  return vim.uv.fs_realpath(folder) or folder
end

---@param folder string
function M.decline(folder)
  declined[key(folder)] = true
end

---@param folder string
---@return boolean
function M.is_declined(folder)
  return declined[key(folder)] == true
end

---@param lead string
---@param line string
---@param pos integer
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
