--- `:ClaudeFix`: a prompt with the diagnostics of a buffer, or of lines in it.
local addressee = require('claude_ide.addressee')
local message = require('claude_ide.say.message')
local plain = require('claude_ide.say.plain')
local quotation = require('claude_ide.diff.quotation')

local M = {}

local MOST = 50 -- diagnostics of a prompt; the agent can ask for the others
local SEVERITIES = { 'error', 'warning', 'info', 'hint' }

-- Those that begin in the lines or extend into them, in the order of the lines.
---@param bufnr integer
---@param lines? [integer, integer] 1-based
---@return vim.Diagnostic[]
local function diagnostics_in(bufnr, lines)
  local found = vim.tbl_filter(function(diagnostic)
    local last = math.max(diagnostic.end_lnum or 0, diagnostic.lnum)
    return not lines or diagnostic.lnum < lines[2] and last + 1 >= lines[1]
  end, vim.diagnostic.get(bufnr))
  table.sort(found, function(a, b)
    if a.lnum ~= b.lnum then
      return a.lnum < b.lnum
    end
    return a.severity < b.severity
  end)
  return found
end

---@param diagnostic vim.Diagnostic
local function in_words(diagnostic)
  local origin = vim
    .iter({ diagnostic.source or false, diagnostic.code or false })
    :filter(function(part)
      return type(part) == 'string' or type(part) == 'number'
    end)
  local from = origin:join(' ')
  return ('- line %d, %s: %s%s'):format(
    diagnostic.lnum + 1,
    SEVERITIES[diagnostic.severity],
    plain.one_line(diagnostic.message),
    from ~= '' and (' (%s)'):format(from) or ''
  )
end

---@param found vim.Diagnostic[]
local function list_of(found)
  local rows = vim.tbl_map(in_words, vim.list_slice(found, 1, MOST))
  if #found > MOST then
    table.insert(rows, ('- and %d more'):format(#found - MOST))
  end
  return table.concat(rows, '\n')
end

--- Run `:ClaudeFix`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  local bufnr = vim.api.nvim_get_current_buf()
  local refusal = quotation.refusal(bufnr)
  if refusal then
    return message.show(refusal, 'warn')
  end
  local lines = opts.range > 0 and { opts.line1, opts.line2 } or nil
  local found = diagnostics_in(bufnr, lines)
  if #found == 0 then
    local where = lines and 'these lines have' or 'this buffer has'
    return message.show(('nothing to fix: %s no diagnostics'):format(where), 'info')
  end
  local order = ('Fix %s:\n%s'):format(#found == 1 and 'this' or 'these', list_of(found))
  local words = lines and quotation.of_buffer(bufnr, lines[1], lines[2], order)
    or ('%s:\n%s'):format(quotation.path(bufnr), order)
  if addressee.send(words) then
    local form = #found == 1 and 'Claude is to fix %d diagnostic'
      or 'Claude is to fix %d diagnostics'
    message.show(form:format(#found), 'info')
  end
end

return M
