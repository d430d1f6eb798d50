--- The winbar of a plan: its title, and the keys.
local highlights = require('claude_ide.highlights')
local plain = require('claude_ide.say.plain')
local winbar = require('claude_ide.window.winbar')

local M = {}

local KEYS = ':w approve · gA approve and accept edits · :q keep planning'

--- Set it in the current window.
---@param title string
function M.set(title)
  highlights.define()
  local shown = plain.status_line(title)
  -- If there is no room for both, Neovim cuts the title.
  local bar = '%%#ClaudePlanTitle# %%<%s %%=%%#ClaudePlanKeys# %s '
  winbar.set(vim.api.nvim_get_current_win(), bar:format(shown, KEYS), {
    chunks = function()
      return { { { (' %s '):format(KEYS), 'ClaudePlanKeys' } } }
    end,
  })
end

return M
