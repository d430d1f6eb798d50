--- Reports long-running work through the progress messages of Neovim 0.12: the event `Progress`,
--- `vim.ui.progress_status()` and the terminal's progress bar. Nothing reaches the command line or
--- `:messages`.
local plain = require('claude_ide.messages.plain')
local quiet = require('claude_ide.messages.quiet')

local M = {}

local LONGEST = 100 -- characters
local SOURCE = 'claude-ide'

---@alias claude_ide.WorkStatus 'running'|'success'|'failed'|'cancel'

local reported = {} ---@type table<string, string> by id: the last text of running work

local function emit(id, title, text, status)
  -- The default status line only counts progress that starts after this function was called once.
  vim.ui.progress_status()
  -- Not with `:silent`: code that captures the output of a command would get this message.
  pcall(quiet.capture, function()
    local progress = { kind = 'progress', id = id, title = title, source = SOURCE, status = status }
    vim.api.nvim_echo({ { text } }, false, progress)
  end)
  vim.cmd.redrawstatus()
end

--- Report progress. A repeated text, or an end without a beginning, is ignored.
---@param id string
---@param title string
---@param text string shortened to 100 characters
---@param status claude_ide.WorkStatus
function M.report(id, title, text, status)
  if vim.fn.has('nvim-0.12') == 0 then
    return
  end
  id = SOURCE .. '.' .. id
  text = vim.fn.strcharpart(vim.trim(plain.one_line(text)), 0, LONGEST)
  local is_running = status == 'running'
  local has_changed = is_running and reported[id] ~= text or not is_running and reported[id] ~= nil
  reported[id] = is_running and text or nil
  if has_changed then
    emit(id, title, text, status)
  end
end

return M
