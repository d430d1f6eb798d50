--- `:ClaudeFix`: a prompt with the diagnostics of a buffer, or of lines in it.
local addressee = require('claude_ide.addressee')
local message = require('claude_ide.messages.message')
local quotation = require('claude_ide.diff.quotation')
local words_of = require('claude_ide.diagnostics.words')

local M = {}

--- Run `:ClaudeFix`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  local bufnr = vim.api.nvim_get_current_buf()
  local refusal = quotation.refusal(bufnr)
  if refusal then
    return message.show(refusal, 'warn')
  end
  local lines = opts.range > 0 and { opts.line1, opts.line2 } or nil
  local found = words_of.of_lines(bufnr, lines)
  if #found == 0 then
    local where = lines and 'these lines have' or 'this buffer has'
    return message.show(('nothing to fix: %s no diagnostics'):format(where), 'info')
  end
  local order = ('Fix %s:\n%s'):format(#found == 1 and 'this' or 'these', words_of.list(found))
  local words = lines and quotation.of_buffer(bufnr, lines[1], lines[2], order)
    or ('%s:\n%s'):format(quotation.path(bufnr), order)
  if addressee.send(words) then
    local form = #found == 1 and 'Claude is to fix %d diagnostic'
      or 'Claude is to fix %d diagnostics'
    message.show(form:format(#found), 'info')
  end
end

return M
