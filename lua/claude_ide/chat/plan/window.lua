--- The tab page of a plan.
local filling = require('claude_ide.window.filling')
local visit = require('claude_ide.window.visit')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

---@class claude_ide.PlanView: claude_ide.ApprovalView

local OPTIONS = {
  breakindent = true,
  conceallevel = 0,
  cursorbind = false,
  diff = false,
  foldenable = false,
  linebreak = true,
  scrollbind = false,
  smoothscroll = true,
  winfixbuf = true,
  wrap = true,
}

---@class claude_ide.PlanGuest: claude_ide.Guest
local guest = { kin = 'proposal' }

---@param view claude_ide.PlanView
function guest.open(view)
  local win = visit.new_tabpage(view)
  vim.wo[win].winfixbuf = false
  filling.run(function()
    api.nvim_win_set_buf(win, view.bufnr)
    return nil
  end)
  for name, value in pairs(OPTIONS) do
    vim.wo[win][0][name] = value
  end
  -- Otherwise CTRL-O would go to the tab page's first, empty buffer.
  api.nvim_win_call(win, vim.cmd.clearjumps)
end

---@param view claude_ide.PlanView
function guest.close(view)
  vim.iter(vim.fn.win_findbuf(view.bufnr)):each(window_close.window)
  window_close.buffer(view.bufnr)
end

---@param view claude_ide.PlanView
function guest.has(view, win)
  return api.nvim_win_get_buf(win) == view.bufnr
end

--- Show a plan's buffer, and enter it.
---
--- Raises an error if it cannot be shown; then no window remains.
---@param bufnr integer
---@return claude_ide.PlanView
function M.open(bufnr)
  local view = visit.open(guest, { bufnr = bufnr })
  return view --[[@as claude_ide.PlanView]]
end

return M
