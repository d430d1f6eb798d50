--- Files are closed without a loss: of changes, or of the windows they were in.
local buffers = require('claude_ide.buffers')
local choice = require('claude_ide.window_choice')
local disk = require('claude_ide.disk')
local loading = require('claude_ide.loading')
local window_close = require('claude_ide.window.close')

local M = {}

local function is_float(win)
  return vim.api.nvim_win_get_config(win).relative ~= ''
end

-- Why a buffer has to stay, as one sentence.
local function obstacle(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if vim.bo[bufnr].modified then
    return ('%s has unsaved changes; it stays open.'):format(name)
  elseif vim.api.nvim_get_current_buf() == bufnr and not choice.is_user_free() then
    return ('The user is typing in %s; it stays open.'):format(name)
  end
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    if vim.wo[win].diff then
      return ('%s is part of a diff; it stays open.'):format(name)
    end
  end
end

--- Close a file that has no unsaved changes; its windows stay, with another file in them.
---@param path string
---@return { closed: boolean, error?: string }
function M.close_file(path)
  local buffer = buffers.find(path)
  if not buffer or not (buffer.loaded or buffer.listed) then
    return { closed = false, error = ('%s is not open in Neovim.'):format(path) }
  end
  local bufnr = buffer.bufnr
  local reason = obstacle(bufnr)
  if reason then
    return { closed = false, error = reason }
  end
  local ok, err = pcall(function()
    for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
      if is_float(win) or vim.wo[win].winfixbuf then
        window_close.window(win, false)
      else
        local _, err = loading.in_window(win, window_close.replacement(win))
        assert(not err, err)
      end
    end
    vim.cmd.bdelete({ count = bufnr, mods = { silent = true } })
  end)
  return { closed = ok, error = not ok and disk.reason(tostring(err)) or nil }
end

return M
