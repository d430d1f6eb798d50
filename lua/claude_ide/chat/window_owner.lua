--- The panel's windows as protected ones: a file that is opened in one moves to a window for files.
local chat_placement = require('claude_ide.chat.placement')
local chat_state = require('claude_ide.chat.state')
local protected_windows = require('claude_ide.file.protected_windows')

local M = {}

-- The chat that a window belongs to, and the window's name: 'transcript' or 'prompt'.
---@return claude_ide.Chat?
---@return string?
local function find(win)
  for _, chat in ipairs(chat_state.list()) do
    for name, own in pairs(chat.view and chat.view.windows or {}) do
      if own == win then
        return chat, name
      end
    end
  end
end

-- Whether a buffer is one of a chat, which never moves to a window for files.
local function is_of_chat(bufnr)
  return vim.iter(chat_state.list()):any(function(chat)
    return bufnr == chat.transcript or bufnr == chat.prompt
  end)
end

---@param apply fun(chat: claude_ide.Chat, name: string, win: integer): any
local function with_chat(apply)
  return function(win)
    local chat, name = find(win)
    return chat and name and apply(chat, name, win) or nil
  end
end

--- Protect the panel's windows from now on.
function M.protect()
  protected_windows.protect({
    name = 'the chat',
    buffer_of = with_chat(function(chat, name)
      return chat[name]
    end),
    is_own = is_of_chat,
    leaving = with_chat(function(chat, name, win)
      chat_placement.save_cursors(chat, { [name] = win })
    end),
    restored = with_chat(function(chat, name, win)
      chat_placement.restore_cursors(chat, { [name] = win })
    end),
    followed = with_chat(function(chat)
      chat_placement.hide_float(chat.id)
    end),
  })
end

return M
