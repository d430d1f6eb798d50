local before
local jobstart = vim.fn.jobstart
vim.fn.jobstart = function(...)
  before = vim.tbl_filter(function(name)
    return vim.startswith(name, 'claude_ide.')
  end, vim.tbl_keys(package.loaded))
  vim.fn.jobstart = jobstart
  return jobstart(...)
end
vim.cmd('ClaudeStart!')
table.sort(before)
return before
