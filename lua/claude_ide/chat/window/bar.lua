--- The winbars of a panel.
local plain = require('claude_ide.messages.plain')
local winbar = require('claude_ide.window.winbar')

local M = {}

-- The transcript's bar while the host does not answer.
---@type claude_ide.ChatBar
local SILENT = {
  left = { { 'not answering', 'ClaudeChatError' } },
  right = { { 'R', 'ClaudeChatKey' }, { ' restarts it', 'ClaudeChatMeta' } },
}

---@alias claude_ide.ChatBar { left?: claude_ide.Chunks, right?: claude_ide.Chunks }

local function text(chunks)
  local parts = {}
  for index, chunk in ipairs(chunks or {}) do
    -- If the bar is too long, Neovim cuts it after the first chunk.
    parts[index] = winbar.part(chunk[1], chunk[2]) .. (index == 1 and '%<' or '')
  end
  return table.concat(parts)
end

-- Without the last group of chunks; blank chunks separate the groups.
local function shortened(chunks)
  for index = #chunks, 1, -1 do
    if chunks[index][1]:find('^ +$') then
      return vim.list_slice(chunks, 1, index - 1)
    end
  end
  return {}
end

-- Shorten the right side first: the left side shows the current state, which matters more.
local function fitted(bar, width)
  local left, right = bar.left or {}, bar.right or {}
  while #right > 0 and winbar.width(left) + winbar.width(right) + 2 > width do
    right = shortened(right)
  end
  return left, right
end

local function line(bar, width)
  local left, right = fitted(bar, width)
  -- The gap would have the highlight of the last chunk, such as an underline.
  return text(left) .. '%*%=' .. text(right)
end

-- What is shown if another plugin owns the winbar: a row in the prompt, where the user looks and where it
-- covers nothing.
local function substitute(chat, bar)
  return {
    below = chat.prompt,
    chunks = function(width)
      local left, right = fitted(bar, width)
      local row = { { ' ', '' } }
      for _, chunk in ipairs(vim.list_extend({ unpack(left) }, { { '  ' }, unpack(right) })) do
        row[#row + 1] = { plain.harmless(chunk[1]), winbar.group(chunk[2]) }
      end
      return { row }
    end,
  }
end

--- Show the winbars in the panel's windows.
---@param chat claude_ide.Chat
function M.apply(chat)
  for name, win in pairs(chat.view and chat.view.windows or {}) do
    -- A window of one line has no room for a bar. A window may also show another buffer, which has yet to
    -- move away (`file/protected_windows.lua`).
    if
      vim.api.nvim_win_is_valid(win)
      and vim.api.nvim_win_get_buf(win) == chat[name]
      and vim.api.nvim_win_get_height(win) > 1
    then
      -- A title until there is a bar: without any, the text would jump when the bar appears.
      local title = { left = { { (' %s '):format(chat.options.title) } } }
      local is_silent = chat.is_silent and name == 'transcript'
      local given = is_silent and SILENT or chat.bars[name] or title
      local bar = line(given, vim.api.nvim_win_get_width(win))
      winbar.set(win, bar, substitute(chat, given))
    end
  end
end

return M
