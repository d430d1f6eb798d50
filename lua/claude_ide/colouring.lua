--- Keeps texts that would crash Neovim, keep it busy, or write to the terminal away from parsers.
local autocommands = require('claude_ide.messages.autocommands')
local message = require('claude_ide.messages.message')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_colouring')

-- Bytes.
local LARGEST = { file = 2e6, ours = 5e5, markdown = 1e5 }
local LONGEST_LINE = 5000
local LONGEST_PARAGRAPH = 8000 -- in Markdown, whose inline parser needs quadratic time
-- Markdown's parser overflows a buffer when more than 254 blocks are open. Each block needs a column at
-- least, before the first word of a line or of a string or comment in it.
local MOST_COLUMNS = 100
local TAB = 4 -- columns
-- Neovim sends a link's address to the terminal unchanged. These are the control characters of ASCII.
local CONTROLS = '[%z\1-\8\11\14-\31\127]'
local TABULATOR, LINE_FEED = 9, 10

local before_word, controls = {}, {} ---@type table<integer, boolean>, table<integer, boolean>
for byte = 0, 127 do
  before_word[byte] = string.char(byte):find('[ \t0-9*+.)>-]') ~= nil
  controls[byte] = string.char(byte):find(CONTROLS) ~= nil
end

---@class claude_ide.Guarded
---@field reason string why the text of the buffer must not be parsed
---@field parser? vim.treesitter.LanguageTree that sees nothing
---@field is_announced? boolean

local guarded = {} ---@type table<integer, claude_ide.Guarded> by buffer

-- Why a text would crash Neovim, would write to the terminal, or is too large to examine. This is one pass
-- over the bytes, which LuaJIT compiles: patterns take ten times as long.
local function fatal(text)
  if #text > LARGEST.file then
    return 'its size'
  end
  local columns, first, previous, has_control = 0, 1, 0, false
  for at = 1, #text + 1 do
    local byte = text:byte(at) or LINE_FEED
    if before_word[byte] then
      columns = columns + (byte == TABULATOR and TAB or 1)
    else
      local row = columns >= MOST_COLUMNS and (' %s\n'):format(text:sub(first, at))
      if row and (row:find('>', 1, true) or row:find('[%s%d][-*+.)]%s')) then
        return 'deeply nested blocks'
      end
      columns, first = 0, at + 1
      local is_high = byte >= 128 and byte < 160 and (previous < 128 or previous == 194)
      has_control = has_control or is_high or controls[byte]
    end
    previous = byte
  end
  return has_control and 'control characters' or nil
end

-- Whether a line, or a paragraph in Markdown, is very long.
local function is_long(text, is_markdown)
  local paragraph = 0
  for line in text:gmatch('[^\n]*\n?') do
    local begins = is_markdown and (not line:find('%S') or line:find('^ ? ? ?[-*+] +%S'))
    paragraph = (begins and 0 or paragraph) + #line
    if #line > LONGEST_LINE then
      return 'a very long line'
    elseif is_markdown and paragraph > LONGEST_PARAGRAPH then
      return 'a very long paragraph'
    end
  end
end

--- Why a text must not be parsed; nil if it may.
---@param text string
---@param language? string the parser's
---@return string? reason
---@return boolean? is_fatal false if parsing it would only take too long
function M.obstacle(text, language)
  local is_markdown = language == 'markdown'
  if #text > (is_markdown and LARGEST.markdown or LARGEST.ours) then
    return 'its size', #text > LARGEST.ours
  end
  local reason = fatal(text)
  return reason or is_long(text, is_markdown), reason ~= nil
end

-- Highlighters, and plugins that read syntax trees, get a parser that sees nothing.
local function stop_parsing(bufnr, language)
  local this = guarded[bufnr]
  local ok, parser = pcall(require('claude_ide.private_api').blind, bufnr, language)
  this.parser = ok and parser or this.parser
  if vim.treesitter.highlighter.active[bufnr] then
    vim.treesitter.stop(bufnr)
    if not this.is_announced then
      this.is_announced = true
      local name = vim.fs.basename(api.nvim_buf_get_name(bufnr))
      message.show(('%s is shown without treesitter: %s'):format(name, this.reason), 'warn')
    end
  end
end

-- Why the file of a buffer must not be parsed; nil if it may, or cannot be read.
local function obstacle_on_disk(bufnr)
  local path = api.nvim_buf_get_name(bufnr)
  local stat = vim.uv.fs_stat(path)
  local file = stat and stat.type == 'file' and io.open(path, 'rb')
  if not file then
    return nil
  end
  local text = file:read(LARGEST.file + 1) or ''
  file:close()
  return fatal(text)
end

-- Keep parsers away from a buffer until its file is harmless and is read again: `:edit!` discards the parser,
-- and plugins for the file type would create another one.
local function guard(bufnr, reason, language)
  if not guarded[bufnr] then
    local this = { reason = reason } ---@type claude_ide.Guarded
    guarded[bufnr] = this
    on({ 'BufReadPre', 'FileType', 'BufWipeout' }, bufnr, function(event)
      local is_reading = event.event == 'BufReadPre'
      if event.event == 'BufWipeout' or is_reading and not obstacle_on_disk(bufnr) then
        guarded[bufnr], this.parser = nil, nil
      end
      if guarded[bufnr] ~= this then
        return true
      end
      stop_parsing(bufnr, is_reading and this.parser and this.parser:lang() or nil)
    end)
  end
  stop_parsing(bufnr, language)
end

--- Set the file type of one of our buffers, unless its text must not be parsed.
---@param bufnr integer
---@param filetype string
---@return string? reason why it has not been set
function M.set_filetype(bufnr, filetype)
  -- Not by `vim.treesitter`, which would load all of it.
  local language = require('vim.treesitter.language').get_lang(filetype)
  local text = table.concat(api.nvim_buf_get_lines(bufnr, 0, -1, true), '\n')
  local reason, is_fatal = M.obstacle(text, language)
  if reason then
    -- Without a file type, nothing parses a text that would only take too long.
    if is_fatal then
      guard(bufnr, reason, language)
    end
    return reason
  end
  -- An autocommand may fail. The Ex command raises its error here, where `pcall` catches it; setting the
  -- option would raise it later.
  pcall(api.nvim_buf_call, bufnr, function()
    vim.cmd.setlocal('filetype=' .. filetype)
  end)
end

--- Guard a user's buffer, if necessary, against a text that is about to be put into it.
---@param bufnr integer loaded
---@param lines string[]
function M.prepare(bufnr, lines)
  local reason = fatal(table.concat(lines, '\n'))
  if reason then
    guard(bufnr, reason)
  end
end

--- Call `load`, which loads the file of a user's buffer, and guard the buffer if necessary.
---@type fun(bufnr: integer, load: fun())
function M.load(bufnr, load)
  local reason = not api.nvim_buf_is_loaded(bufnr) and obstacle_on_disk(bufnr)
  if not reason then
    return load()
  end
  -- Without setting a file type: its plugins and 'foldexpr' may parse immediately.
  local modelines = vim.o.modelines
  vim.o.modelines = 0
  local ok, err = pcall(without_events.run, { 'BufReadPost', 'FileType' }, load)
  vim.o.modelines = modelines
  if not ok then
    error(err, 0)
  elseif api.nvim_buf_is_loaded(bufnr) then
    local filetype = vim.filetype.match({ buf = bufnr })
    guard(bufnr, reason, filetype and vim.treesitter.language.get_lang(filetype))
    api.nvim_buf_call(bufnr, function()
      api.nvim_exec_autocmds('BufReadPost', { buffer = bufnr })
    end)
  end
end

return M
