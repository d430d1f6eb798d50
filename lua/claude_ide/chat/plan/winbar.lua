--- The line above a plan: whose it is, and the keys.
local plain = require('claude_ide.say.plain')
local winbar = require('claude_ide.window.winbar')

local M = {}

local LINKS = { ClaudePlanTitle = 'Title', ClaudePlanKeys = 'Comment' }
local KEYS = ':w approve · gA approve and accept edits · :q keep planning'

--- Show it in the current window.
---@param title string
function M.set(title)
  for name, link in pairs(LINKS) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
  local shown = plain.status_line(title)
  -- Where there is no room for it all, the title is cut.
  local bar = '%%#ClaudePlanTitle# %%<%s %%=%%#ClaudePlanKeys# %s '
  winbar.set(vim.api.nvim_get_current_win(), bar:format(shown, KEYS), {
    chunks = function()
      return { { { (' %s '):format(KEYS), 'ClaudePlanKeys' } } }
    end,
  })
end

return M
