--- Keeps private files (`privacy`) from the model: every tool's arguments and answers pass here.
---
--- A tool that is called about such a file is refused. Entries about one are left out of an answer. A change
--- that concerns one is refused as a whole: a part of it would be wrong.
local path_gate = require('claude_ide.file.gate')
local privacy = require('claude_ide.privacy')

local M = {}

-- Keys under which tools are given a file, or name one.
local PATHS = { file = true, path = true }
-- Of a window or a buffer; of a symbol it is no path.
local NAME = 'name'
-- All keys that say what a table is about.
local KEYS = { 'file', 'path', NAME, 'bufnr' }
-- What the user has added decides for itself. From answers of language servers the host leaves out what is
-- private.
local OWN, RAW = 'tools.own.', 'tools.language_servers.'
-- Tools whose answers are changes.
local CHANGES = { 'tools.edits.', 'tools.formatting.' }
-- Tools that answer what Neovim has printed, by the key of the lines.
local PRINTED = {
  ['tools.ex_output.show'] = 'lines',
  ['tools.messages.recent'] = 'lines',
  ['tools.make.run'] = 'output',
}
local CHANGES_ONE = 'the change concerns a file that the user keeps private; nothing was changed'
local CONCERNS_ONE = 'this concerns a file that the user keeps private'

local function begins_with_one(tool, prefixes)
  return vim.iter(prefixes):any(function(prefix)
    return vim.startswith(tool, prefix)
  end)
end

-- A function that says why a file is private. An answer names the same files again and again.
---@return fun(given: string): string?
local function checker()
  local check, known = privacy.reason, {}
  return function(given)
    if known[given] == nil then
      local ok, path = pcall(path_gate.absolute, given)
      known[given] = ok and check(path) or false
    end
    return known[given] or nil
  end
end

-- Why a value under a key is about a private file.
local function reason_of(key, value, check)
  if key == 'bufnr' and type(value) == 'number' then
    return vim.api.nvim_buf_is_valid(value) and privacy.of_buffer(value) or nil
  elseif
    type(value) ~= 'string' or not (PATHS[key] or key == NAME and vim.startswith(value, '/'))
  then
    return nil
  end
  return check(value)
end

-- The first private file that a table is about, anywhere in it: its path, or a number, and the reason.
local function find(given, check)
  for key, value in pairs(given) do
    local reason = reason_of(key, value, check)
    if reason then
      return value, reason
    elseif type(value) == 'table' then
      local found, why = find(value, check)
      if why then
        return found, why
      end
    end
  end
end

--- Why a tool must not run with these arguments; nil if it may.
---@param tool string
---@param arguments table
---@return string?
function M.refusal(tool, arguments)
  if vim.startswith(tool, OWN) then
    return nil
  end
  local value, reason = find(arguments, checker())
  if reason then
    return type(value) == 'string' and privacy.sentence(value, reason)
      or ('this buffer stays in Neovim: %s'):format(reason)
  end
end

local function is_about_one(given, check)
  for _, key in ipairs(KEYS) do
    if given[key] and reason_of(key, given[key], check) then
      return true
    end
  end
  return false
end

-- Leave out the entries about private files in all lists of an answer; the number of those left out.
local function prune(answer, check)
  local count = 0
  for key, value in pairs(answer) do
    if type(value) == 'table' then
      if type(value[1]) == 'table' and vim.islist(value) then
        local kept = vim.tbl_filter(function(entry)
          local is_private = type(entry) == 'table' and is_about_one(entry, check)
          count = count + (is_private and 1 or 0)
          return not is_private
        end, value)
        answer[key], value = kept, kept
      end
      count = count + prune(value, check)
    end
  end
  return count
end

local function names_none(text)
  return not privacy.is_named(text)
end

local function without_printed(answer, key)
  local printed = answer[key]
  if type(printed) == 'table' then
    answer[key] = vim.tbl_filter(names_none, printed)
  elseif type(printed) == 'string' then
    local lines = vim.split(printed, '\n', { plain = true })
    answer[key] = table.concat(vim.tbl_filter(names_none, lines), '\n')
  end
end

--- An answer without private files.
---@param tool string
---@param answer table
---@return table
function M.cleaned(tool, answer)
  if begins_with_one(tool, { OWN, RAW }) then
    return answer
  elseif type(answer.error) == 'string' then
    return privacy.is_named(answer.error) and { error = CONCERNS_ONE } or answer
  end
  local check = checker()
  if begins_with_one(tool, CHANGES) then
    return select(2, find(answer, check)) and { error = CHANGES_ONE } or answer
  elseif is_about_one(answer, check) then
    return { error = CONCERNS_ONE }
  end
  local omitted = prune(answer, check)
  if omitted > 0 and type(answer.total) == 'number' then
    answer.total = answer.total - omitted
  end
  if PRINTED[tool] then
    without_printed(answer, PRINTED[tool])
  end
  return answer
end

return M
