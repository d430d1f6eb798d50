--- The model's questions about registers, the quickfix and location lists, and messages.
local bounded = require('claude_ide.tools.bounded')
local file_path = require('claude_ide.file.path')
local place = require('claude_ide.tools.place')
local privacy = require('claude_ide.privacy')
local slices = require('claude_ide.timing.slices')

local M = {}

local api = vim.api

local MOST_LINES = 2000 -- of a register

-- Not `=`, which is evaluated when it is read, and not what the user has typed, in whatever file or command:
-- `.`, `:` and `/`.
local READABLE = '^[%w"%-#%%]$'
local TYPED = '^[.:/]$'
local CLIPBOARD = '^[*+]$'

-- Whether the unnamed register is the clipboard: with this option, and after `"+y`.
local function is_clipboard(name)
  return name:find(CLIPBOARD) ~= nil
    or name == '"'
      and (vim.o.clipboard:find('unnamed') ~= nil or api
        .nvim_eval([[get(getreginfo('"'), 'points_to', '')]])
        :find(CLIPBOARD) ~= nil)
end

-- Why a register must not be read, if so.
local function refusal(name, allows_clipboard)
  if is_clipboard(name) then
    return not allows_clipboard and 'the clipboard is not for the model (tools.clipboard)' or nil
  elseif name:find(TYPED) then
    return ('register %s has what the user has typed, which is not for the model'):format(name)
  elseif not name:find(READABLE) then
    return ('there is no register %s to read'):format(name)
  elseif privacy.is_in_register(name) then
    return 'its text is from a file that the user keeps private'
  end
end

-- As one text, because Neovim would convert each line of a list by itself.
local function read_lines(name, pause)
  local text, kind = vim.fn.getreg(name, 1), vim.fn.getregtype(name)
  if kind == '' then
    return {}, 0
  end
  local lines, total, at = {}, 0, 1
  repeat
    local stop = text:find('\n', at, true) or #text + 1
    total = total + 1
    if total <= MOST_LINES then
      lines[total] = bounded.line(text:sub(at, stop - 1))
    end
    at = stop + 1
    pause()
  until at > (kind == 'V' and #text or #text + 1)
  return lines, total
end

--- The text of a register.
---@type claude_ide.Tool
function M.register(arguments, answer)
  local name = arguments.name
  local reason = refusal(name, arguments.allows_clipboard)
  if reason then
    return answer({ error = reason })
  end
  return slices.run(function(pause)
    local lines, total = read_lines(name, pause)
    return { total = total, lines = lines }
  end, function(ok, result)
    answer(ok and result or { error = result })
  end)
end

local function place_of(entry)
  local bufnr, line = entry.bufnr, entry.lnum
  local path = bufnr > 0 and (file_path.path(bufnr) or api.nvim_buf_get_name(bufnr)) or ''
  local col = entry.col
  if bufnr > 0 and api.nvim_buf_is_loaded(bufnr) and line > 0 and col > 0 and entry.vcol == 0 then
    local text = api.nvim_buf_get_lines(bufnr, line - 1, line, false)[1] or ''
    col = place.column(text, col - 1)
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
    text = path == '' and privacy.is_named(entry.text) and '' or bounded.line(entry.text),
    is_valid = entry.valid == 1,
  }
end

-- A function that reads a list. All items at once would block Neovim: a list may have 50,000.
local function reader(list)
  local window = place.window()
  return list == 'location' and function(what)
    return vim.fn.getloclist(window, what)
  end or vim.fn.getqflist
end

--- Entries of the quickfix list, or of the location list of the current window.
---@type claude_ide.Tool
function M.quickfix(arguments, answer)
  local read = reader(arguments.list)
  local list = read({ id = 0, title = 0, idx = 0, size = 0 })
  local last = math.min(list.size, arguments.offset + arguments.limit)
  local wanted, entries = {}, {}
  for index = arguments.offset + 1, last do
    wanted[#wanted + 1] = index
  end
  slices.each(wanted, function(index)
    local item = read({ id = list.id, idx = index, items = 0 }).items[1]
    entries[#entries + 1] = item and described(item)
  end, function()
    answer({ title = list.title, total = list.size, current = list.idx, entries = entries })
  end)
end

return M
