--- Which buffers a parser may see: no text from outside gets to one that it would end or stall.
local hazard = require('claude_ide.colouring.hazard')
local message = require('claude_ide.say.message')
local unheard = require('claude_ide.say.unheard')

local M = {}

local api = vim.api
local group = api.nvim_create_augroup('claude_ide_colouring', { clear = true })

---@class claude_ide.GuardedBuffer
---@field reason string
---@field parser? vim.treesitter.LanguageTree
---@field is_announced? boolean

---@type table<integer, claude_ide.GuardedBuffer>
local guarded = {}

local function text_of(bufnr)
  return table.concat(api.nvim_buf_get_lines(bufnr, 0, -1, true), '\n')
end

-- Whatever asks for the buffer's parser gets this one, which sees nothing of the text: a highlighter,
-- 'foldexpr', other plugins. Neovim forgets a parser that nothing refers to.
local function blind(bufnr, language)
  local parser = vim.treesitter.get_parser(bufnr, language, { error = false })
  if parser then
    -- No public function takes text away from a parser that others hold.
    ---@diagnostic disable-next-line: invisible
    parser:set_included_regions({})
    for _, child in ipairs(vim.tbl_keys(parser:children())) do
      ---@diagnostic disable-next-line: invisible
      parser:remove_child(child)
    end
    guarded[bufnr].parser = parser
  end
end

local function let_see(parser)
  parser:set_included_regions({ {} })
  -- Else the region would end where the text ends now.
  parser._regions = nil ---@diagnostic disable-line: invisible
end

local function announce(bufnr)
  local buffer = guarded[bufnr]
  if not buffer.is_announced then
    buffer.is_announced = true
    local name = vim.fs.basename(api.nvim_buf_get_name(bufnr))
    message.show(('%s is shown without treesitter: %s'):format(name, buffer.reason), 'warn')
  end
end

local function keep_off(bufnr, language)
  pcall(blind, bufnr, language)
  if vim.treesitter.highlighter.active[bufnr] then
    vim.treesitter.stop(bufnr)
    announce(bufnr)
  end
end

-- Whatever has started a parser; true ends the watch.
local function look_again(bufnr)
  if guarded[bufnr] and hazard.fatal(text_of(bufnr)) then
    keep_off(bufnr)
    return false
  end
  local parser = guarded[bufnr] and guarded[bufnr].parser
  guarded[bufnr] = nil
  if parser then
    pcall(let_see, parser)
  end
  return true
end

local function watch(bufnr)
  -- `:edit!` takes the parser away, and what comes with the file type gets another.
  api.nvim_create_autocmd('BufReadPre', {
    group = group,
    buffer = bufnr,
    callback = function()
      if not guarded[bufnr] then
        return true
      end
      local parser = guarded[bufnr].parser
      pcall(blind, bufnr, parser and parser:lang())
    end,
  })
  api.nvim_create_autocmd('FileType', {
    group = group,
    buffer = bufnr,
    callback = function()
      return look_again(bufnr)
    end,
  })
  api.nvim_create_autocmd('BufWipeout', {
    group = group,
    buffer = bufnr,
    callback = function()
      guarded[bufnr] = nil
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
  keep_off(bufnr, language)
end

--- Give a buffer of ours its file type, unless its text must not be parsed.
---@param bufnr integer
---@param filetype string
---@return string? reason why it has none
function M.dress(bufnr, filetype)
  local language = vim.treesitter.language.get_lang(filetype)
  -- To get the lines of a large text takes longer than to show them.
  local size = api.nvim_buf_get_offset(bufnr, api.nvim_buf_line_count(bufnr))
  local reason = hazard.find(size > hazard.LARGEST and '' or text_of(bufnr), language, size)
  if reason then
    guard(bufnr, reason, language)
    return reason
  end
  -- An autocommand of the user's may fail. An Ex command raises here what setting the option would
  -- raise later.
  pcall(api.nvim_buf_call, bufnr, function()
    vim.cmd.setlocal('filetype=' .. filetype)
  end)
end

--- Prepare a user's buffer for a text that it is about to hold.
---@param bufnr integer loaded
---@param lines string[]
function M.prepare(bufnr, lines)
  local reason = hazard.fatal(table.concat(lines, '\n'))
  if reason then
    guard(bufnr, reason)
  end
end

local READING = { 'BufReadPost', 'FileType' }

-- Load without a file type: what comes with one may parse at once, 'foldexpr' among it.
local function load_untyped(load)
  local modelines = vim.o.modelines
  vim.o.modelines = 0
  local ok, err = pcall(unheard.run, READING, load)
  vim.o.modelines = modelines
  if not ok then
    error(err, 0)
  end
end

local function language_of(bufnr)
  local filetype = vim.filetype.match({ buf = bufnr })
  return filetype and vim.treesitter.language.get_lang(filetype)
end

--- Load the file of a user's buffer with `load`, if it is not loaded yet.
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
