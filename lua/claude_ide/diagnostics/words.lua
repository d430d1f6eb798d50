--- Diagnostics in words, for a prompt.
local plain = require('claude_ide.messages.plain')

local M = {}

local MOST = 50 -- diagnostics of a prompt; the agent can ask for the others
local SEVERITIES = { 'error', 'warning', 'info', 'hint' }

--- Those of a buffer that begin in the lines or extend into them, in the order of the lines.
---@param bufnr integer
---@param lines? [integer, integer] 1-based
---@return vim.Diagnostic[]
function M.of_lines(bufnr, lines)
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

--- A list of diagnostics.
---@param found vim.Diagnostic[]
---@return string
function M.list(found)
  local rows = vim.tbl_map(in_words, vim.list_slice(found, 1, MOST))
  if #found > MOST then
    table.insert(rows, ('- and %d more'):format(#found - MOST))
  end
  return table.concat(rows, '\n')
end

return M
