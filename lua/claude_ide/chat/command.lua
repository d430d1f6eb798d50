--- `:ClaudeChat`: what is done of it before the host gets it, and its completion.
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
  'log',
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

--- Carry out `:[range]ClaudeChat [what] [argument]`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  local host = require('claude_ide.host')
  -- It will lead the user away; what is selected now is what is meant.
  require('claude_ide.selection').hold(opts.range > 0 and { opts.line1, opts.line2 } or nil)
  local begins = opts.args == '' and not require('claude_ide.chat.panel').here()
  local toggles = opts.args == '' and opts.range == 0 and not begins
  if toggles and require('claude_ide.chat.hostless').hide_here() then
    return
  elseif not begins and opts.args ~= 'new' then
    return host.command('ClaudeChat', opts)
  end
  if host.start() then
    -- Before it can answer, for the user types on.
    require('claude_ide.chat.hostless').begin()
    host.command('ClaudeChat', vim.tbl_extend('force', opts, { fargs = { 'new' } }))
  end
end

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
