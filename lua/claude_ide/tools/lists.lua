--- The model's questions about registers, the quickfix and location lists, and messages.
local file_path = require('claude_ide.file.path')

local M = {}

local api = vim.api

local MOST_MESSAGES = 200 -- lines

-- `=` is evaluated when it is read.
local READABLE = '^[%w"%-/:.#%%]$'
local CLIPBOARD = '^[*+]$'

-- Why a register must not be read, if so.
local function refusal(name, allows_clipboard)
  local is_clipboard = name:find(CLIPBOARD) ~= nil
  -- With this option the unnamed register is the clipboard, too.
  local is_shared = name == '"' and vim.o.clipboard:find('unnamed') ~= nil
  if (is_clipboard or is_shared) and not allows_clipboard then
    return 'the clipboard is not for the model (tools.clipboard)'
  elseif not is_clipboard and not name:find(READABLE) then
    return ('there is no register %s to read'):format(name)
  end
end

--- The text of a register.
---@type claude_ide.Tool
function M.register(arguments, answer)
  local name = arguments.name
  local reason = refusal(name, arguments.allows_clipboard)
  if reason then
    return answer({ error = reason })
  end
  local info = vim.fn.getreginfo(name)
  answer({ lines = info.regcontents or {}, kind = info.regtype or '' })
end

local function place_of(entry)
  local bufnr, line = entry.bufnr, entry.lnum
  local path = bufnr > 0 and (file_path.path(bufnr) or api.nvim_buf_get_name(bufnr)) or ''
  local col = entry.col
  if bufnr > 0 and api.nvim_buf_is_loaded(bufnr) and line > 0 and col > 0 and entry.vcol == 0 then
    local text = api.nvim_buf_get_lines(bufnr, line - 1, line, false)[1] or ''
    col = vim.str_utfindex(text, 'utf-32', col - 1, false) + 1
  end
  return path, line, col
end

local function described(entry)
  local path, line, col = place_of(entry)
  return {
    path = path,
    line = line,
    column = col,
    kind = entry.type,
    text = entry.text,
    is_valid = entry.valid == 1,
  }
end

local WANTED = { items = 0, title = 0, idx = 0, size = 0 }

-- The list without all but the wanted items.
local function part(list, arguments)
  local first = arguments.offset + 1
  local items = vim.list_slice(list.items or {}, first, first + arguments.limit - 1)
  return {
    title = list.title,
    total = #(list.items or {}),
    current = list.idx,
    entries = vim.tbl_map(described, items),
  }
end

--- Entries of the quickfix list, or of the location list of the current window.
---@type claude_ide.Tool
function M.quickfix(arguments, answer)
  local list = arguments.list == 'location' and vim.fn.getloclist(0, WANTED)
    or vim.fn.getqflist(WANTED)
  answer(part(list, arguments))
end

--- The last messages.
---@type claude_ide.Tool
function M.messages(arguments, answer)
  local output = api.nvim_exec2('messages', { output = true }).output
  local lines = vim.split(output, '\n', { plain = true, trimempty = true })
  local first = math.max(1, #lines - math.min(arguments.limit, MOST_MESSAGES) + 1)
  answer({ lines = vim.list_slice(lines, first) })
end

return M
