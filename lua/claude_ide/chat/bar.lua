--- The winbars of a panel.
local M = {}

local function text(chunks)
  local parts = {}
  for index, chunk in ipairs(chunks or {}) do
    local shown = chunk[1]:gsub('%%', '%%%%'):gsub('\n', ' ')
    local group = (chunk[2] or 'WinBar'):gsub('[^%w_.@-]', '')
    -- What there is no room for goes from behind the first chunk on.
    parts[index] = ('%%#%s#%s%s'):format(group, shown, index == 1 and '%<' or '')
  end
  return table.concat(parts)
end

-- A window of one line has no room for a bar.
local function has_room(win)
  return vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_height(win) > 1
end

--- Show the winbars in the panel's windows.
---@param chat claude_ide.Chat
function M.apply(chat)
  for name, win in pairs(chat.view and chat.view.windows or {}) do
    -- With one line too many in a window that gets its bar later, the text would jump.
    local bar = chat.bars[name] or (' %s '):format((chat.options.title:gsub('%%', '%%%%')))
    if has_room(win) and vim.wo[win].winbar ~= bar then
      vim.api.nvim_set_option_value('winbar', bar, { win = win, scope = 'local' })
    end
  end
end

---@param chat claude_ide.Chat
---@param bars table<string, { left: claude_ide.Chunks, right: claude_ide.Chunks }>
function M.set(chat, bars)
  for name, bar in pairs(bars) do
    chat.bars[name] = text(bar.left) .. '%=' .. text(bar.right)
  end
  M.apply(chat)
end

return M
