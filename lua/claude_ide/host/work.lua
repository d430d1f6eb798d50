--- What takes a while, as Neovim 0.12 knows it: the event `Progress`, `vim.ui.progress_status()`,
--- the terminal's own bar. Nothing reaches the command line or `:messages`.
local plain = require('claude_ide.say.plain')
local quiet = require('claude_ide.say.quiet')

local M = {}

local LONGEST = 100 -- letters
local SOURCE = 'claude-ide'

---@alias claude_ide.WorkStatus 'running'|'success'|'failed'|'cancel'

local reported = {} ---@type table<string, string> by id

local function emit(id, title, text, status)
  -- The default status line counts only what it has been asked about before.
  vim.ui.progress_status()
  -- Not `:silent`: a caller that captures the output of a command would get it, too.
  pcall(quiet.capture, function()
    local progress = { kind = 'progress', id = id, title = title, source = SOURCE, status = status }
    vim.api.nvim_echo({ { text } }, false, progress)
  end)
  vim.cmd.redrawstatus()
end

--- Report how far something is. An end without a beginning is not reported, nor the same text twice.
---@param id string
---@param title string
---@param text string cut where it is too long
---@param status claude_ide.WorkStatus
function M.report(id, title, text, status)
  if vim.fn.has('nvim-0.12') == 0 then
    return
  end
  id = SOURCE .. '.' .. id
  text = vim.fn.strcharpart(vim.trim(plain.one_line(text)), 0, LONGEST)
  local is_running = status == 'running'
  local is_news = is_running and reported[id] ~= text or not is_running and reported[id] ~= nil
  reported[id] = is_running and text or nil
  if is_news then
    emit(id, title, text, status)
  end
end

return M
