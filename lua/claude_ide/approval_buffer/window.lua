--- The window of a text that waits for approval.
local filling = require('claude_ide.window.filling')
local highlights = require('claude_ide.highlights')
local looks = require('claude_ide.window.looks')
local plain = require('claude_ide.messages.plain')
local visit = require('claude_ide.window.visit')
local winbar = require('claude_ide.window.winbar')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

local OPTIONS = {
  conceallevel = 0,
  cursorbind = false,
  diff = false,
  foldenable = false,
  scrollbind = false,
  smoothscroll = true,
  winfixbuf = true,
  wrap = true,
}

--- Open a tab page with the text.
---@param view claude_ide.ApprovalView
---@return integer win
function M.tabpage(view)
  local win = visit.new_tabpage(view)
  vim.wo[win].winfixbuf = false
  filling.run(function()
    api.nvim_win_set_buf(win, view.bufnr)
    return nil
  end)
  return win
end

--- What visits the user with such texts.
---@param open fun(view: claude_ide.ApprovalView): integer opens the window
---@param options? table<string, any> of the window, beside the usual ones
---@return claude_ide.Guest
function M.guest(open, options)
  local guest = { kin = 'proposal' }

  function guest.open(view)
    local win = open(view)
    looks.set(win, vim.tbl_extend('error', OPTIONS, options or {}))
    -- Otherwise CTRL-O would go to another buffer, such as the tab page's first, empty one.
    api.nvim_win_call(win, vim.cmd.clearjumps)
  end

  function guest.close(view)
    vim.iter(vim.fn.win_findbuf(view.bufnr)):each(window_close.window)
    window_close.buffer(view.bufnr)
  end

  function guest.has(view, win)
    return api.nvim_win_get_buf(win) == view.bufnr
  end

  return guest
end

--- Set the winbar of the current window: the title, and the keys.
---@param title string
---@param keys string
function M.set_winbar(title, keys)
  highlights.define()
  -- If there is no room for both, Neovim cuts the title.
  local bar = '%%#ClaudePlanTitle# %%<%s %%=%%#ClaudePlanKeys# %s '
  winbar.set(api.nvim_get_current_win(), bar:format(plain.status_line(title), keys), {
    chunks = function()
      return { { { (' %s '):format(keys), 'ClaudePlanKeys' } } }
    end,
  })
end

return M
