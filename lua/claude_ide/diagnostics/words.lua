--- Diagnostics in words, for a prompt.
local plain = require('claude_ide.messages.plain')

local M = {}

local SEVERITIES = { 'error', 'warning', 'info', 'hint' }

---@param diagnostic vim.Diagnostic
local function in_words(diagnostic)
  local origin = vim
    .iter({ diagnostic.source or false, diagnostic.code or false })
    :filter(function(part)
      return type(part) == 'string' or type(part) == 'number'
    end)
  local from = origin:join(' ')
  return ('line %d, %s: %s%s'):format(
    diagnostic.lnum + 1,
    SEVERITIES[diagnostic.severity],
    plain.one_line(diagnostic.message),
    from ~= '' and (' (%s)'):format(from) or ''
  )
end

--- Those of a buffer that begin in the lines or extend into them, one a row, in the order of the lines.
---@param bufnr integer
---@param lines? [integer, integer] 1-based
---@return string[]
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
  return vim.tbl_map(in_words, found)
end

return M
