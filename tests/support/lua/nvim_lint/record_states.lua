local bufnr = ...
_G.states = {}
local timer = assert(vim.uv.new_timer())
timer:start(
  0,
  1,
  vim.schedule_wrap(function()
    -- A slow Neovim is called several times at once, also after the timer has stopped.
    if not timer:is_active() then
      return
    end
    local is_running = require('claude_ide.checking.linters').is_running(bufnr)
    local message = (vim.diagnostic.get(bufnr)[1] or {}).message
    table.insert(_G.states, { is_running, message })
    if not is_running then
      timer:stop()
    end
  end)
)
