--- Names for the plugin's own buffers: short ones that read well in tab lines and status lines.
---
--- Neovim shows a buffer without a file by the name that it was given, and keeps that name after `:cd`. But
--- it shortens every part of a path or URL except the last: `claude-chat://2` is `c//2` in its tab line. A
--- plain name in the current folder would be the name of a file that the user may have. So each buffer gets
--- a plain name while the process is in a folder of its own, which is then deleted: the full name is a path
--- that cannot exist, nothing can be written there by mistake, and 'autochdir' cannot enter the folder.
local window_close = require('claude_ide.window.close')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local uv = vim.uv

-- Everything that `give` names, for the buffers that a session of Neovim restores.
local PATTERNS = {
  '^Claude$',
  '^[%w() -]+ chat$', -- the agent's name comes first
  '^[%w() -]+ prompt$',
  '^[%w() -]+ login$',
  '^[%w() -]+ plan$',
  '^Claude kernel$',
  '^Claude wire$',
  '^[%w() -]+: ', -- an agent's name comes first, or 'Chat'
  '^[%w() -]+ %(.*%)$',
  '^Kept %(.*%)$',
}

local function is_taken(label)
  return vim.iter(vim.api.nvim_list_bufs()):any(function(bufnr)
    return vim.fn.bufname(bufnr) == label
  end)
end

-- With the same name twice, the user could not tell `:buffer` which one is meant.
local function unused(label)
  local candidate, number = label, 1
  while is_taken(candidate) do
    number = number + 1
    candidate = ('%s %d'):format(label, number)
  end
  return candidate
end

-- With 'autochdir' on, naming a buffer would enter its folder, and setting the option enters that of the
-- current buffer.
local function without_autochdir(fn)
  if not vim.o.autochdir then
    return fn()
  end
  local here = vim.fn.getcwd()
  vim.o.autochdir = false
  local ok, result = pcall(fn)
  vim.o.autochdir = true
  if vim.fn.getcwd() ~= here then
    vim.fn.chdir(here)
  end
  return ok and result
end

-- Return whether the process could enter the folder, and return. If the current folder has been deleted,
-- there is no way back.
local function from_inside(folder, fn)
  local here = uv.cwd()
  if not (here and uv.chdir(here) and uv.chdir(folder)) then
    return false
  end
  local ok = pcall(fn)
  uv.chdir(here)
  return ok
end

local function name_in_deleted_folder(bufnr, kind, label)
  local parent = vim.fn.tempname()
  local folder = parent .. '/' .. kind
  pcall(vim.fn.mkdir, folder, 'p', tonumber('700', 8))
  local is_named = from_inside(folder, function()
    vim.api.nvim_buf_set_name(bufnr, label)
  end)
  uv.fs_rmdir(folder)
  uv.fs_rmdir(parent)
  return is_named
end

-- An autocommand would run in that folder.
local function name_silently(bufnr, kind, label)
  return without_events.run('all', function()
    return without_autochdir(function()
      return name_in_deleted_folder(bufnr, kind, label)
    end)
  end)
end

-- Neovim keeps the old name of a buffer in a buffer of its own.
local function forget(name)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if name ~= '' and vim.api.nvim_buf_get_name(bufnr) == name then
      window_close.buffer(bufnr)
    end
  end
end

--- Name a buffer.
---@param bufnr integer
---@param kind string the last folder of its full name, such as "claude-chat"
---@param label string one line; a number is added if another buffer has it
function M.give(bufnr, kind, label)
  local old = vim.api.nvim_buf_get_name(bufnr)
  label = unused((label:gsub('/', '∕')))
  if not name_silently(bufnr, kind, label) then
    vim.api.nvim_buf_set_name(bufnr, ('%s://%d/%s'):format(kind, bufnr, label))
  end
  without_events.run('all', function()
    forget(old)
  end)
end

--- Whether the plugin may have given a buffer this name, perhaps in another Neovim.
---@param name string a full name
---@return boolean
function M.is_ours(name)
  local label = vim.fs.basename(name):gsub(' %d+$', '')
  return name:find('^claude%-%l+://') ~= nil
    or vim.iter(PATTERNS):any(function(pattern)
      return label:find(pattern) ~= nil
    end)
end

return M
