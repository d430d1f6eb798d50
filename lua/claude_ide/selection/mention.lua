--- Mentions of a file, a folder or lines of a file, in the CLI's format (`at_mentioned`).
local buffers = require('claude_ide.file.buffers')
local file = require('claude_ide.file.path')
local message = require('claude_ide.say.message')
local path_gate = require('claude_ide.file.gate')
local plain = require('claude_ide.say.plain')
local sources = require('claude_ide.selection.sources')

local M = {}

---@class claude_ide.Mention
---@field filePath? string
---@field lineStart? integer 0-based
---@field lineEnd? integer inclusive
---@field error? string one sentence; the other fields are absent then

local NO_FILE = 'this buffer has no file; use :ClaudeAdd {path}'
local CHUNK = 65536
local LONGEST_REASON = 200 -- columns

---@param path string absolute
---@param first? integer 1-based; default: the whole file
---@param last? integer inclusive
---@return claude_ide.Mention
local function mention(path, first, last)
  if not path:find('%s') then
    return { filePath = path, lineStart = first and first - 1, lineEnd = last and last - 1 }
  end
  -- The CLI reads a path with blanks only if it is quoted, together with the lines.
  local lines = first and (first == last and '#L%d' or '#L%d-%d'):format(first, last) or ''
  return { filePath = ('"%s%s"'):format(path, lines) }
end

-- A missing argument is vim.NIL or false from Python, and '' from a command.
local function is_given(value)
  return value and value ~= vim.NIL and value ~= ''
end

--- Mention lines of a buffer, or the whole file.
---@param bufnr integer 0 for the current one
---@param line1? integer 1-based; default: the whole file
---@param line2? integer inclusive; default: `line1`
---@return claude_ide.Mention
function M.range(bufnr, line1, line2)
  local path = file.path(bufnr)
  if not path then
    return { error = NO_FILE }
  elseif not is_given(line1) then
    return mention(path)
  end
  return mention(path, line1, is_given(line2) and line2 or line1)
end

--- Expand a path from the command line: `%` and `~` mean what they mean in Vim, and the escapes that
--- completion adds are removed.
---@param typed string
---@return string? path absolute; nil if `%` is not a file
local function expand(typed)
  local modifiers = typed:match('^%%([:%w~.]*)$')
  if modifiers then
    return file.path(0) and vim.fn.expand('%:p' .. modifiers .. ':p')
  end
  local path = vim.fn.fnamemodify(typed, ':p')
  if not vim.uv.fs_stat(path) then
    path = vim.fn.fnamemodify(typed:gsub('\\(.)', '%1'), ':p')
  end
  return path
end

---@return integer? count nil if the file cannot be read
local function count_lines(path)
  local buffer = buffers.find(path)
  if buffer and buffer.loaded then
    return vim.api.nvim_buf_line_count(buffer.bufnr)
  end
  local handle = io.open(path, 'rb')
  if not handle then
    return nil
  end
  local count, last = 0, '\n'
  for chunk in handle:lines(CHUNK) do
    count = count + select(2, chunk:gsub('\n', ''))
    last = chunk:sub(-1)
  end
  handle:close()
  return last == '\n' and count or count + 1
end

local function line_number(typed)
  local number = tostring(typed):match('^%d+$') and tonumber(typed)
  return number and number > 0 and number or nil
end

--- Why a range of lines is invalid; nil if it is valid.
---@return string? reason
local function range_error(path, first, last)
  if not line_number(first) or not line_number(last) then
    return ('not a line number: %s'):format(line_number(first) and last or first)
  end
  first, last = line_number(first), line_number(last)
  if first > last then
    return ('line %d comes after line %d'):format(first, last)
  end
  local count = count_lines(path)
  if not count then
    return 'cannot read ' .. path
  elseif last > count then
    local lines = count == 1 and '1 line' or ('%d lines'):format(count)
    return ('line %d is past the end (%s)'):format(last, lines)
  end
end

--- Mention a file, a folder, or lines of a file, as typed after `:ClaudeAdd`.
---@param typed string relative to the working folder; `%` and `~` as in Vim
---@param first? string|integer 1-based; default: the whole file
---@param last? string|integer inclusive; default: `first`
---@param range? false|{ bufnr: integer, first: integer, last: integer } lines to mention if the file is
---  that of the buffer, and no others are given
---@return claude_ide.Mention
function M.path(typed, first, last, range)
  local path = expand(typed)
  if not path then
    return { error = NO_FILE }
  end
  path = path_gate.absolute(path)
  -- Without a range, Python passes false.
  if range and not is_given(first) and path == file.path(range.bufnr) then
    first, last = range.first, range.last
  end
  local stat = vim.uv.fs_stat(path)
  if not stat then
    return { error = 'no such file: ' .. typed }
  elseif stat.type ~= 'file' and stat.type ~= 'directory' then
    return { error = 'neither a file nor a folder: ' .. typed }
  elseif not is_given(first) then
    return mention(path)
  elseif stat.type == 'directory' then
    return { error = 'a folder has no lines: ' .. typed }
  end
  last = is_given(last) and last or first
  local reason = range_error(path, first, last)
  if reason then
    return { error = reason }
  end
  return mention(path, line_number(first), line_number(last))
end

local function listed(entry)
  local ok, path = pcall(path_gate.absolute, entry.path)
  local stat = ok and vim.uv.fs_stat(path)
  if not ok then
    return { error = path }
  elseif not stat or (stat.type ~= 'file' and stat.type ~= 'directory') then
    return { error = (stat and 'neither a file nor a folder: ' or 'no such file: ') .. entry.path }
  end
  local first = stat.type == 'file' and entry.first or nil
  return mention(path, first, first and math.max(first, entry.last or first))
end

--- Mention what the user means in a buffer that lists files.
---@param first? integer the range of the command, if it has one
---@param last? integer
---@return claude_ide.Mention[]? mentions nil if files are not listed in the current buffer
function M.listed(first, last)
  local entries, reason = sources.entries(first, last)
  if reason then
    return { { error = message.shorten(plain.one_line(reason), LONGEST_REASON) } }
  end
  return entries and vim.tbl_map(listed, entries)
end

-- Whether the command line already has a complete path, so that the next argument is a line.
local function has_path(before)
  local ok, command = pcall(vim.api.nvim_parse_cmd, before, {})
  return ok and #command.args > 0
end

--- Complete the path of `:ClaudeAdd`, but no later argument (`:help :command-completion-customlist`).
---@param lead string
---@param cmdline string
---@param cursor integer bytes before the cursor
---@return string[]
function M.complete(lead, cmdline, cursor)
  if has_path(cmdline:sub(1, cursor - #lead)) then
    return {}
  end
  local folder, start = lead:gsub('\\(.)', '%1'):match('^(.-)([^/]*)$')
  local found = {}
  for name in vim.fs.dir(vim.fn.fnamemodify(folder == '' and '.' or folder, ':p')) do
    local is_hidden = start == '' and vim.startswith(name, '.')
    if vim.startswith(name, start) and not is_hidden then
      local path = folder .. name
      -- `isdirectory()` follows links.
      local is_folder = vim.fn.isdirectory(vim.fn.fnamemodify(path, ':p')) == 1
      found[#found + 1] = vim.fn.fnameescape(path) .. (is_folder and '/' or '')
    end
  end
  table.sort(found)
  return found
end

--- Send the lines that an operator or a Visual selection covers; for 'operatorfunc'.
function M.send()
  vim.cmd("'[,']ClaudeSend")
end

--- Start the operator that mentions lines; for an `<expr>` map in Normal or Visual mode.
---@return string keys
function M.operator()
  vim.o.operatorfunc = "v:lua.require'claude_ide.selection.mention'.send"
  return 'g@'
end

return M
