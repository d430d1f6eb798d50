--- The model's question about the last messages.
local M = {}

local api = vim.api

local MOST = 200 -- lines
-- Messages that noice has shown for a moment, and that `:messages` would not list.
local PASSING = { search_count = true, return_prompt = true, confirm = true, progress = true }

local function is_kept(message)
  return (message.event == 'msg_show' or message.event == 'notify') and not PASSING[message.kind]
end

-- What noice.nvim has shown; nil if it does not show the messages. On Neovim 0.11 `:messages` would open a
-- window of it, and return nothing.
---@return string[]? texts
local function from_noice()
  local ok, config = pcall(function()
    return package.loaded['noice'] and require('noice.config')
  end)
  if not (ok and config and config.is_running()) then
    return nil
  end
  local messages =
    require('noice.message.manager').get(nil, { history = true, sort = true, reverse = false })
  local first = math.max(1, #messages - MOST + 1)
  return vim
    .iter(vim.list_slice(messages, first))
    :filter(is_kept)
    :map(function(message)
      return vim.trim(message:content())
    end)
    :totable()
end

local function text()
  local shown = vim.fn.has('nvim-0.12') == 0 and from_noice()
  if shown then
    return table.concat(shown, '\n')
  end
  return api.nvim_exec2('messages', { output = true }).output
end

--- The last messages.
---@type claude_ide.Tool
function M.recent(arguments, answer)
  local lines = vim.split(text(), '\n', { plain = true, trimempty = true })
  local first = math.max(1, #lines - math.min(arguments.limit, MOST) + 1)
  answer({ lines = vim.list_slice(lines, first) })
end

return M
