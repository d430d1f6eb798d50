--- The prompts of the option `prompts`, which the user chooses by their names: `/explain`.
local message = require('claude_ide.messages.message')
local own_options = require('claude_ide.own_options')
local quotation = require('claude_ide.diff.quotation')
local ui = require('claude_ide.ui.vim_ui')
local words_of = require('claude_ide.diagnostics.words')

local M = {}

local BUILT_IN = {
  explain = 'Explain this:\n{selection}',
  tests = 'Write tests for this:\n{selection}',
}

---@return table<string, string> by name
local function all()
  local own = own_options.get('prompts')
  local both = vim.tbl_extend('force', BUILT_IN, type(own) == 'table' and own or {})
  for name, text in pairs(both) do
    both[name] = type(text) == 'string' and text or nil
  end
  return both
end

local function names()
  local list = vim.tbl_keys(all())
  table.sort(list)
  return list
end

local function mention(bufnr)
  local path = quotation.path(bufnr)
  return path:find('%s') and ('@"%s"'):format(path) or '@' .. path
end

---@type table<string, fun(bufnr: integer, lines?: [integer, integer], is_attached: boolean): string>
local PLACEHOLDERS = {}

function PLACEHOLDERS.file(bufnr)
  return mention(bufnr)
end

function PLACEHOLDERS.selection(bufnr, lines, is_attached)
  if not lines then
    return mention(bufnr)
  elseif is_attached then
    return ('%s, %s'):format(quotation.path(bufnr), quotation.lines(lines))
  end
  return vim.trim(quotation.of_buffer(bufnr, lines[1], lines[2], ''))
end

function PLACEHOLDERS.diagnostics(bufnr, lines)
  local found = words_of.of_lines(bufnr, lines)
  return #found > 0 and words_of.list(found) or 'no diagnostics'
end

-- Braces around other words belong to the text.
local function filled(text, bufnr, lines, is_attached)
  return (
    text:gsub('{(%l+)}', function(name)
      local fill = PLACEHOLDERS[name]
      if not fill then
        return nil
      end
      local refusal = quotation.refusal(bufnr)
      if refusal then
        error(refusal, 0)
      end
      return fill(bufnr, lines, is_attached)
    end)
  )
end

--- A text in which placeholders mean the buffer, or a range in it; nil if the buffer must not be named, which
--- a message says.
---@param text string
---@param opts vim.api.keyset.create_user_command.command_args
---@return string?
function M.fill(text, opts)
  local lines = opts.range > 0 and { opts.line1, opts.line2 } or nil
  local ok, words = pcall(filled, text, vim.api.nvim_get_current_buf(), lines, false)
  if ok then
    return words
  end
  message.show(words, 'warn')
end

--- The text of a named prompt about a buffer, or about a range in it.
---
--- Calls `use` unless the user chooses none, or the buffer must not be named, which a message says.
---@param name string may be empty: the user chooses
---@param opts vim.api.keyset.create_user_command.command_args
---@param is_attached boolean whether the lines of the range are sent with the prompt anyway
---@param use fun(words: string)
function M.choose(name, opts, is_attached, use)
  local bufnr = vim.api.nvim_get_current_buf()
  local lines = opts.range > 0 and { opts.line1, opts.line2 } or nil
  local function choose(chosen)
    if not chosen or not vim.api.nvim_buf_is_loaded(bufnr) then
      return
    end
    local ok, words = pcall(filled, all()[chosen], bufnr, lines, is_attached)
    if not ok then
      return message.show(words, 'warn')
    end
    use(words)
  end
  if name ~= '' then
    return choose(name)
  end
  local list = names()
  if #list == 0 then
    return message.show('there are no prompts (:help claude-ide-prompts)', 'warn')
  end
  ui.select('Prompt', list, function(index)
    choose(index and list[index])
  end)
end

--- The name in `/name`; empty if it is left out. Nil if the words are not the name of a prompt.
---@param words string
---@return string?
function M.name_in(words)
  local name = vim.trim(words):match('^/([%w_-]*)$')
  return name and (name == '' or all()[name]) and name or nil
end

--- Complete `/name` as the first word of a command.
---@param lead string
---@param line string
---@param pos integer bytes
---@return string[] candidates
function M.complete(lead, line, pos)
  if not line:sub(1, pos):find('Claude%a+%s+%S*$') then
    return {}
  end
  return vim
    .iter(names())
    :map(function(name)
      return '/' .. name
    end)
    :filter(function(word)
      return vim.startswith(word, lead)
    end)
    :totable()
end

return M
