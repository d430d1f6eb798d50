--- Closes files without losing unsaved changes or windows.
local buffers = require('claude_ide.file.buffers')
local choice = require('claude_ide.file.choice')
local file_load = require('claude_ide.file.load')
local reason = require('claude_ide.messages.reason')
local tiling = require('claude_ide.window.tiling')
local window_close = require('claude_ide.window.close')

local M = {}

-- Why a buffer must stay open, as one sentence.
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

--- Close a file that has no unsaved changes. Its windows stay and show another file.
---@param path string
---@return { closed: boolean, error?: string }
function M.close_file(path)
  local buffer = buffers.find(path)
  if not buffer or not (buffer.loaded or buffer.listed) then
    return { closed = false, error = ('%s is not open in Neovim.'):format(path) }
  end
  local bufnr = buffer.bufnr
  local refusal = obstacle(bufnr)
  if refusal then
    return { closed = false, error = refusal }
  end
  local ok, err = pcall(function()
    for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
      if not tiling.has(win) or vim.wo[win].winfixbuf then
        window_close.window(win, false)
      else
        local _, err = file_load.in_window(win, window_close.replacement(win))
        assert(not err, err)
      end
    end
    vim.cmd.bdelete({ count = bufnr, mods = { silent = true } })
  end)
  return { closed = ok, error = not ok and reason.of(err) or nil }
end

return M
