--- Decides which buffers may be parsed, and keeps text that would crash or stall a parser away from
--- it.
local hazard = require('claude_ide.colouring.hazard')
local message = require('claude_ide.messages.message')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local api = vim.api
local group = api.nvim_create_augroup('claude_ide_colouring', { clear = true })

---@class claude_ide.GuardedBuffer
---@field reason string why its text must not be parsed
---@field parser? vim.treesitter.LanguageTree
---@field is_announced? boolean

---@type table<integer, claude_ide.GuardedBuffer>
local guarded = {}

local function size_of(bufnr)
  return api.nvim_buf_get_offset(bufnr, api.nvim_buf_line_count(bufnr))
end

-- Not by `vim.treesitter`, which would load all of it.
local function language_for(filetype)
  return require('vim.treesitter.language').get_lang(filetype)
end

local function text_of(bufnr)
  return table.concat(api.nvim_buf_get_lines(bufnr, 0, -1, true), '\n')
end

-- Give the buffer a parser without regions, which sees nothing of the text. Highlighters, 'foldexpr'
-- and other plugins all get this parser. It is stored because Neovim discards a parser without
-- references.
local function blind(bufnr, language)
  local parser = vim.treesitter.get_parser(bufnr, language, { error = false })
  if parser then
    -- There is no public function for this.
    ---@diagnostic disable-next-line: invisible
    parser:set_included_regions({})
    for _, child in ipairs(vim.tbl_keys(parser:children())) do
      ---@diagnostic disable-next-line: invisible
      parser:remove_child(child)
    end
    guarded[bufnr].parser = parser
  end
end

local function announce(bufnr)
  local buffer = guarded[bufnr]
  if not buffer.is_announced then
    buffer.is_announced = true
    local name = vim.fs.basename(api.nvim_buf_get_name(bufnr))
    message.show(('%s is shown without treesitter: %s'):format(name, buffer.reason), 'warn')
  end
end

local function stop_parsing(bufnr, language)
  pcall(blind, bufnr, language)
  if vim.treesitter.highlighter.active[bufnr] then
    vim.treesitter.stop(bufnr)
    announce(bufnr)
  end
end

-- Keep a parser away from a guarded buffer, until its file is harmless and is read again.
local function watch(bufnr)
  api.nvim_create_autocmd({ 'BufReadPre', 'FileType', 'BufWipeout' }, {
    group = group,
    buffer = bufnr,
    callback = function(event)
      local is_reading = event.event == 'BufReadPre'
      local is_safe = is_reading and not hazard.of_file(api.nvim_buf_get_name(bufnr))
      if is_safe or event.event == 'BufWipeout' then
        guarded[bufnr] = nil
      end
      if not guarded[bufnr] then
        return true
      elseif is_reading then
        -- `:edit!` discards the parser, and plugins for the file type would create another one.
        local parser = guarded[bufnr].parser
        pcall(blind, bufnr, parser and parser:lang())
      else
        stop_parsing(bufnr)
      end
    end,
  })
end

---@param bufnr integer
---@param reason string
---@param language? string default: the file type's
local function guard(bufnr, reason, language)
  if not guarded[bufnr] then
    guarded[bufnr] = { reason = reason }
    watch(bufnr)
  end
  stop_parsing(bufnr, language)
end

--- Set the file type of one of our buffers, unless its text must not be parsed.
---@param bufnr integer
---@param filetype string
---@return string? reason why it has not been set
function M.set_filetype(bufnr, filetype)
  local language = language_for(filetype)
  -- Reading the lines of a large text takes longer than showing them.
  local size = size_of(bufnr)
  local text = size > hazard.LARGEST and '' or text_of(bufnr)
  local reason = hazard.find(text, language, size)
  if reason then
    -- Without a file type, nothing parses a text that would only take too long.
    if text == '' or hazard.fatal(text) then
      guard(bufnr, reason, language)
    end
    return reason
  end
  -- An autocommand may fail. The Ex command raises its error here, where `pcall` catches it; setting
  -- the option would raise it later.
  pcall(api.nvim_buf_call, bufnr, function()
    vim.cmd.setlocal('filetype=' .. filetype)
  end)
end

--- Guard a user's buffer, if necessary, against a text that is about to be put into it.
---@param bufnr integer loaded
---@param lines string[]
function M.prepare(bufnr, lines)
  local reason = hazard.fatal(table.concat(lines, '\n'))
  if reason then
    guard(bufnr, reason)
  end
end

local READING = { 'BufReadPost', 'FileType' }

-- Load without setting a file type: its plugins and 'foldexpr' may parse immediately.
local function load_untyped(load)
  local modelines = vim.o.modelines
  vim.o.modelines = 0
  local ok, err = pcall(without_events.run, READING, load)
  vim.o.modelines = modelines
  if not ok then
    error(err, 0)
  end
end

local function language_of(bufnr)
  local filetype = vim.filetype.match({ buf = bufnr })
  return filetype and language_for(filetype)
end

--- Call `load`, which loads the file of a user's buffer, and guard the buffer if necessary.
---@param bufnr integer
---@param load fun()
function M.load(bufnr, load)
  local reason = not api.nvim_buf_is_loaded(bufnr) and hazard.of_file(api.nvim_buf_get_name(bufnr))
  if not reason then
    return load()
  end
  load_untyped(load)
  if api.nvim_buf_is_loaded(bufnr) then
    guard(bufnr, reason, language_of(bufnr))
    api.nvim_buf_call(bufnr, function()
      api.nvim_exec_autocmds('BufReadPost', { buffer = bufnr })
    end)
  end
end

return M
