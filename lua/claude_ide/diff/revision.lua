--- Another version of a shown proposal, from whoever has proposed the change: one undo step in the same diff.
local buffer_text = require('claude_ide.file.text')
local edit = require('claude_ide.file.edit')
local hunks = require('claude_ide.diff.hunks')
local quiet = require('claude_ide.messages.quiet')

local M = {}

local api = vim.api

-- Otherwise Neovim 0.12 would keep the old folds.
local function update_windows(bufnr)
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    if vim.wo[win].diff then
      api.nvim_win_call(win, vim.cmd.diffupdate)
    end
  end
  vim.cmd.redrawstatus({ bang = true })
end

--- Replace the text of a proposal.
---@param diff claude_ide.Diff
---@param lines string[]
---@return integer version its number (`hunks.version`)
function M.revise(diff, lines)
  quiet.run(function()
    edit.set_lines(diff.bufnr, lines)
    hunks.revise(diff.bufnr)
    update_windows(diff.bufnr)
  end)
  diff.text = buffer_text.get(diff.bufnr)
  return hunks.version(diff.bufnr)
end

return M
