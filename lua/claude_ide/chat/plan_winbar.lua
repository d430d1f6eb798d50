--- The line above a plan: whose it is, and the keys.
local plain = require('claude_ide.plain')

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
  -- Local to the buffer, too: another one that is shown here gets no winbar of ours.
  -- Where there is no room for it all, the title is cut.
  vim.wo[0][0].winbar = ('%%#ClaudePlanTitle# %%<%s %%=%%#ClaudePlanKeys# %s '):format(shown, KEYS)
end

return M
