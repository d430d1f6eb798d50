--- What the plugin says to the user: one line that fits, so that it never asks for <Enter>.
local plain = require('claude_ide.plain')

local M = {}

local SETTLING = 50 -- milliseconds

--- A text as one line, cut if it is too wide.
---@param text string
---@param width integer columns
---@return string
function M.fit(text, width)
  text = plain.one_line(text)
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

-- Without a command line Neovim's own error is a prompt, whatever its length.
local function notify(line, level)
  local is_own = vim.startswith(debug.getinfo(vim.notify, 'S').source, '@vim/')
  if level == 'error' and vim.o.cmdheight == 0 and is_own then
    return vim.api.nvim_echo({ { line, 'ErrorMsg' } }, true, {})
  end
  vim.notify(line, vim.log.levels[level:upper()])
end

local function show(text, level)
  local line = M.fit('claude-ide: ' .. text, vim.v.echospace)
  -- Two messages between two redraws would scroll, and a scrolled screen is a prompt.
  vim.cmd.redraw()
  notify(line, level)
end

---@param text string
---@param level 'debug'|'info'|'warn'|'error'
function M.show(text, level)
  vim.schedule(function()
    if level == 'error' and vim.fn.mode():find('^[iR]') then
      -- An error in the instant in which Insert mode is ended would be a prompt.
      vim.defer_fn(function()
        show(text, level)
      end, SETTLING)
    else
      show(text, level)
    end
  end)
end

return M
