--- Lines of a file, quoted for an agent above what the user says about them.
local file = require('claude_ide.file.path')
local privacy = require('claude_ide.privacy')

local M = {}

local MOST = 20 -- lines of a quotation; the agent can read the file

-- A path with which a text can begin: `!sh x/a.py` and `/clear x.py` would be commands of the agent.
local function not_a_command(path)
  if path:find('^[%w_.]') or path:find('^/[^%s/]+/') then
    return path
  end
  return (path:sub(1, 1) == '/' and '/.' or './') .. path
end

--- Lines in words.
---@param lines [integer, integer] first and last, 1-based
---@return string
function M.lines(lines)
  local form = lines[1] == lines[2] and 'line %d' or 'lines %d-%d'
  return form:format(lines[1], lines[2])
end

--- What the user says about lines of a file.
---@param path string as the agent knows it
---@param lines [integer, integer] first and last, 1-based
---@param quoted string[]
---@param prefix string of each quoted line
---@param words string
---@return string
function M.of(path, lines, quoted, prefix, words)
  local shown = vim.tbl_map(function(line)
    return prefix .. line
  end, vim.list_slice(quoted, 1, MOST))
  if #quoted > MOST then
    table.insert(shown, '> …')
  end
  table.insert(shown, 1, ('%s, %s:'):format(not_a_command(path), M.lines(lines)))
  table.insert(shown, words)
  return table.concat(shown, '\n')
end

--- Why the lines of a buffer cannot be quoted; nil if they can.
---@param bufnr integer
---@return string?
function M.refusal(bufnr)
  local path = file.path(bufnr)
  if not path then
    return 'this buffer has no file'
  end
  return privacy.refusal(bufnr)
end

--- The path of a buffer's file, as an agent in the current folder knows it.
---@param bufnr integer
---@return string
function M.path(bufnr)
  return not_a_command(vim.fn.fnamemodify(file.path(bufnr) --[[@as string]], ':.'))
end

--- What the user says about lines of a buffer that holds a file.
---@param bufnr integer
---@param first integer 1-based
---@param last integer
---@param words string
---@return string
function M.of_buffer(bufnr, first, last, words)
  local quoted = vim.api.nvim_buf_get_lines(bufnr, first - 1, last, false)
  return M.of(M.path(bufnr), { first, last }, quoted, '> ', words)
end

return M
