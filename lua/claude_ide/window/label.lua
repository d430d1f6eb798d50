--- Names for the plugin's own buffers: short ones that read well in tab lines and status lines.
---
--- Neovim shows a buffer without a file by the name that it was given, and keeps that name after `:cd`. But
--- it shortens every part of a path or URL except the last: `claude-chat://2` is `c//2` in its tab line. A
--- plain name in the current folder would be the name of a file that the user may have. So each buffer gets
--- a plain name while the process is in a folder of its own, which is then deleted: the full name is a path
--- that cannot exist, nothing can be written there by mistake, and 'autochdir' cannot enter the folder.
local quiet = require('claude_ide.messages.quiet')
local window_close = require('claude_ide.window.close')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local api, uv = vim.api, vim.uv

-- The ends of all labels, for the buffers that a session of Neovim restores. An agent's name comes first.
local PATTERNS =
  { '^Claude$', ' chat$', ' prompt$', ' login$', ' plan$', ' kernel$', ' wire$', ': ', ' %(.*%)$' }

-- With the same name twice, the user could not tell `:buffer` which one is meant.
local function unused(label)
  local taken = {}
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    taken[vim.fn.bufname(bufnr)] = true
  end
  local number, candidate = 1, label
  while taken[candidate] do
    number = number + 1
    candidate = ('%s %d'):format(label, number)
  end
  return candidate
end

-- Return whether that was possible. If the current folder has been deleted, there is no way back to it.
local function name_in_deleted_folder(bufnr, kind, label)
  local parent, process_folder, here = vim.fn.tempname(), uv.cwd(), vim.fn.getcwd()
  local folder = parent .. '/' .. kind
  vim.fn.mkdir(folder, 'p')
  -- It would enter the folder, and setting it again enters that of the current buffer.
  local autochdir = vim.o.autochdir
  vim.o.autochdir = false
  local is_named = process_folder and uv.chdir(process_folder) and uv.chdir(folder)
  if is_named then
    is_named = pcall(api.nvim_buf_set_name, bufnr, label)
    uv.chdir(process_folder)
  end
  vim.fn.delete(parent, 'rf')
  vim.o.autochdir = autochdir
  if vim.fn.getcwd() ~= here then
    vim.fn.chdir(here)
  end
  return is_named
end

-- Neovim keeps the old name of a buffer in a buffer of its own.
local function forget(name)
  for _, bufnr in ipairs(name ~= '' and api.nvim_list_bufs() or {}) do
    if api.nvim_buf_get_name(bufnr) == name then
      window_close.buffer(bufnr)
    end
  end
end

--- Name a buffer.
---@param bufnr integer
---@param kind string the last folder of its full name, such as "claude-chat"
---@param label string one line; a number is added if another buffer has it
function M.give(bufnr, kind, label)
  local old = api.nvim_buf_get_name(bufnr)
  label = unused((label:gsub('/', '∕')))
  -- An autocommand would run in that folder.
  without_events.run('all', function()
    if not name_in_deleted_folder(bufnr, kind, label) then
      api.nvim_buf_set_name(bufnr, ('%s://%d/%s'):format(kind, bufnr, label))
    end
    forget(old)
  end)
end

-- Whether a session has restored a buffer of ours: ours have a 'buftype', restored ones have none and are
-- empty. A file of the user with such a name exists, or has a text.
local function is_leftover(bufnr)
  local name = api.nvim_buf_get_name(bufnr)
  local label = vim.fs.basename(name):gsub(' %d+$', '')
  local is_ours = name:find('^claude%-%l+://')
    or vim.iter(PATTERNS):any(function(pattern)
      return label:find(pattern) ~= nil
    end)
  return is_ours
    and vim.bo[bufnr].buftype == ''
    and not uv.fs_stat(name)
    and table.concat(api.nvim_buf_get_lines(bufnr, 0, 2, false)) == ''
    and api.nvim_buf_line_count(bufnr) <= 1
end

--- Delete the buffers that a session has restored for the plugin's windows, and close their windows: they are
--- empty, and new buffers need their names.
function M.clear_leftovers()
  for _, bufnr in ipairs(vim.tbl_filter(is_leftover, api.nvim_list_bufs())) do
    quiet.run(function()
      window_close.buffer(bufnr)
    end)
  end
end

return M
