--- `:checkhealth claude_ide`.
local requirement = require('claude_ide.requirement')

local refusal = requirement.refusal()
if refusal then
  return {
    check = function()
      -- Neovim 0.7 to 0.9 have other names for both.
      local health = vim.health or require('health')
      local report = health.error or health.report_error
      report(refusal, 'Install a newer Neovim')
    end,
  }
end

local M = {}

--- Run all checks (`autoload/claude_ide/health.vim`); called by `:checkhealth`.
function M.check()
  vim.health.start('claude_ide')
  for _, finding in ipairs(vim.fn['claude_ide#health#Findings']()) do
    local level, line, advice = unpack(finding)
    vim.health[level](line, advice ~= '' and advice or nil)
  end
end

return M
