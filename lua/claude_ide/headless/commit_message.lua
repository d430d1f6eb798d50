--- `:ClaudeCommit`: a message for the staged changes, which the host inserts where the user writes it.
local answer = require('claude_ide.headless.answer')
local headless = require('claude_ide.headless')

local M = {}

-- The commit message in the current window, else in another one of the tab page.
local function find_buffer()
  local wins = { vim.api.nvim_get_current_win(), unpack(vim.api.nvim_tabpage_list_wins(0)) }
  return vim.iter(wins):map(vim.api.nvim_win_get_buf):find(function(bufnr)
    return vim.bo[bufnr].filetype == 'gitcommit' and vim.bo[bufnr].modifiable
  end)
end

--- Carry out `:ClaudeCommit[!]`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.write(opts)
  if opts.bang then
    return headless.cancel_all('commit', 'nothing to stop')
  end
  local bufnr = find_buffer()
  if not bufnr then
    return answer.show('Commit message', 'commit', { typed = opts.args }, { commits = true })
  end
  local request = { path = vim.api.nvim_buf_get_name(bufnr), bufnr = bufnr, typed = opts.args }
  headless.begin('commit', request, {
    mark = { bufnr = bufnr, row = 0, verb = 'writing' },
  })
end

return M
