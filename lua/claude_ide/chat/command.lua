--- Completion of `:ClaudeChat`.
local M = {}

local WORDS = {
  'answer',
  'aside',
  'context',
  'continue',
  'effort',
  'end',
  'export',
  'fork',
  'mode',
  'model',
  'new',
  'rename',
  'resume',
  'rewind',
  'stop',
  'thinking',
}
local ARGUMENTS = {
  effort = { 'low', 'medium', 'high', 'xhigh', 'max' },
  mode = { 'default', 'acceptEdits', 'plan' },
  thinking = { '0', 'unlimited' },
}

---@param lead string
---@param line string
---@param pos integer
---@return string[]
function M.complete(lead, line, pos)
  local words = vim.split(line:sub(1, pos), '%s+')
  local candidates = #words > 2 and (ARGUMENTS[words[#words - 1]] or {}) or WORDS
  if words[#words - 1] == 'export' then
    return vim.fn.getcompletion(lead, 'file')
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, candidates)
end

return M
