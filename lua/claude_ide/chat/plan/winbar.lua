--- The winbar of a plan: its title, and the keys.
local highlights = require('claude_ide.highlights')
local message = require('claude_ide.say.message')
local plain = require('claude_ide.say.plain')
local winbar = require('claude_ide.window.winbar')

local M = {}

local LONGEST = 40

local function keys_of(more)
  local another = more and (' · gA %s'):format(plain.status_line(message.fit(more, LONGEST)))
  return (':w approve%s · :q keep planning'):format(another or '')
end

--- Set it in the current window.
---@param title string
---@param more? string the other way to approve it
function M.set(title, more)
  highlights.define()
  local keys = keys_of(more)
  local shown = plain.status_line(title)
  -- If there is no room for both, Neovim cuts the title.
  local bar = '%%#ClaudePlanTitle# %%<%s %%=%%#ClaudePlanKeys# %s '
  winbar.set(vim.api.nvim_get_current_win(), bar:format(shown, keys), {
    chunks = function()
      return { { { (' %s '):format(keys), 'ClaudePlanKeys' } } }
    end,
  })
end

return M
