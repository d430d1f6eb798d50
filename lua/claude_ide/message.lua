--- What the plugin says to the user: one line that fits, so that it never asks for <Enter>.
local M = {}

--- Cut a text that is too wide.
---@param text string
---@param width integer columns
---@return string
function M.fit(text, width)
  width = math.max(width, 1)
  if vim.api.nvim_strwidth(text) <= width then
    return text
  end
  local kept = vim.fn.strcharpart(text, 0, width - 1)
  while vim.api.nvim_strwidth(kept) > width - 1 do
    kept = vim.fn.strcharpart(kept, 0, vim.fn.strchars(kept) - 1)
  end
  return kept .. '…'
end

---@param text string
---@param level 'debug'|'info'|'warn'|'error'
function M.show(text, level)
  vim.schedule(function()
    local line = M.fit('claude-ide: ' .. text:gsub('%s+', ' '), vim.v.echospace)
    -- Two messages between two redraws would scroll, and a scrolled screen is a prompt.
    vim.cmd.redraw()
    vim.notify(line, vim.log.levels[level:upper()])
  end)
end

return M
