--- Where a program is: on PATH, but never in the folder that Neovim happens to be in.
local M = {}

local WINDOWS = vim.fn.has('win32') == 1

local function is_absolute(folder)
  return folder:find(WINDOWS and '^%a:[/\\]' or '^/') ~= nil
end

--- A folder whose settings, and those of all above it, are the administrator's.
---@type string
M.neutral = WINDOWS and (vim.env.SystemDrive or 'C:') .. '\\' or '/'

--- Find the program that a name stands for. A relative entry of PATH, or an empty one, would let
--- a project say which; a name with a slash is the path that it seems to be.
---@param name string
---@return string? path absolute
function M.find(name)
  if name:find('[/\\]') then
    local path = vim.fs.abspath(name)
    return vim.fn.executable(path) == 1 and path or nil
  end
  for _, folder in ipairs(vim.split(vim.env.PATH or '', WINDOWS and ';' or ':')) do
    local path = is_absolute(folder) and vim.fn.exepath(vim.fs.joinpath(folder, name)) or ''
    if path ~= '' then
      return path
    end
  end
end

return M
