--- Facts for the model's tools about what the user sees, where the user was, and about lists and messages.
local place = require('claude_ide.tools.place')
local privacy = require('claude_ide.privacy')

local M = {}

local api, fn = vim.api, vim.fn

local MOST_LINES = 2000 -- of a register
local LONGEST = 2400 -- bytes of such a line, as in `autoload/claude_ide/places.vim`
-- Messages that noice has shown for a moment, and that `:messages` would not list.
local PASSING = { search_count = true, return_prompt = true, confirm = true, progress = true }

--- The `value` of an expression that the host has chosen, in the window that the user works in; and the
--- `bufnr` of the buffer there, or of a `file`.
---@type claude_ide.Tool
function M.evaluate(arguments)
  local win = place.window()
  local bufnr = arguments.file and place.open_buffer(arguments.file, ', so its marks are unknown')
  local value = api.nvim_win_call(win, function()
    return api.nvim_eval(arguments.expression)
  end)
  return { bufnr = bufnr or api.nvim_win_get_buf(win), value = value }
end

-- Whether the unnamed register is the clipboard: with this option, and after `"+y`.
local function is_clipboard(name)
  local points_to = [[get(getreginfo('"'), 'points_to', '')]]
  return name:find('^[*+]$') ~= nil
    or name == '"'
      and (vim.o.clipboard:find('unnamed') ~= nil or api.nvim_eval(points_to):find('^[*+]$') ~= nil)
end

--- The first `lines` of a register and their `total` number. Its text is not read if it `is_clipboard`,
--- unless that is allowed, or `is_private`.
---@type claude_ide.Tool
function M.register(arguments)
  local name = arguments.name
  if is_clipboard(name) then
    if not arguments.allows_clipboard then
      return { is_clipboard = true }
    end
  elseif privacy.is_in_register(name) then
    return { is_private = true }
  end
  -- As one text, because Neovim would convert each line of a list by itself.
  local text, kind = fn.getreg(name, 1), fn.getregtype(name)
  if kind == '' then
    return { total = 0, lines = {} }
  end
  text = kind == 'V' and text:gsub('\n$', '') or text
  local lines = {}
  for line in (text .. '\n'):gmatch('([^\n]*)\n') do
    lines[#lines + 1] = line:sub(1, LONGEST)
    if #lines == MOST_LINES then
      break
    end
  end
  return { total = select(2, text:gsub('\n', '')) + 1, lines = lines }
end

-- What noice.nvim has shown; nil if it does not show the messages. On Neovim 0.11 `:messages` would open a
-- window of it, and return nothing.
---@return string? text
local function from_noice()
  local ok, config = pcall(function()
    return package.loaded['noice'] and require('noice.config')
  end)
  if not (ok and config and config.is_running()) then
    return nil
  end
  local options = { history = true, sort = true, reverse = false }
  local texts = {}
  for _, message in ipairs(require('noice.message.manager').get(nil, options)) do
    if (message.event == 'msg_show' or message.event == 'notify') and not PASSING[message.kind] then
      texts[#texts + 1] = vim.trim(message:content())
    end
  end
  return table.concat(texts, '\n')
end

--- The lines of the messages.
---@type claude_ide.Tool
function M.messages(_)
  local shown = fn.has('nvim-0.12') == 0 and from_noice()
  local text = shown or api.nvim_exec2('messages', { output = true }).output
  return { lines = vim.split(text, '\n', { plain = true, trimempty = true }) }
end

return M
