--- The buffer that holds a proposed text: writing it accepts, wiping it out rejects.
local colouring = require('claude_ide.colouring')
local decision = require('claude_ide.diff.decision')
local label = require('claude_ide.window.label')
local plain = require('claude_ide.messages.plain')

local M = {}

local LAYOUT_OPTIONS = { 'tabstop', 'shiftwidth', 'softtabstop', 'expandtab', 'vartabstop' }

-- We set its start and its end. Named `x.gpg` or `tarfile::x`, the proposal would trigger another plugin's
-- autocommands, which would write it.
local function label_of(diff)
  local name = diff.agent or 'Claude'
  return ('%s (%s)'):format(plain.one_line(name), plain.one_line(vim.fs.basename(diff.where.path)))
end

--- Fill the buffer `diff.bufnr` with the proposed text. It stays 'nomodifiable' until the caller unlocks it.
---@param diff claude_ide.Diff
---@param decide fun(accepted: boolean) may be called more than once
function M.fill(diff, decide)
  label.give(diff.bufnr, 'claude-diff', label_of(diff))
  decision.fill(diff.bufnr, diff.text, {
    written = function()
      decide(true)
    end,
    wiped = function()
      decide(false)
    end,
    text = function()
      return diff.text
    end,
  })
end

--- Give a buffer the filetype of a diff's file.
---@param bufnr integer
---@param diff claude_ide.Diff
---@param original integer the file's own buffer
function M.set_filetype(bufnr, diff, original)
  local filetype = vim.bo[original].filetype
  if filetype == '' then
    filetype = vim.filetype.match({ buf = bufnr, filename = diff.path }) or ''
  end
  colouring.set_filetype(bufnr, filetype)
end

--- Set the filetype and indentation of a proposal to those of its file.
---@param diff claude_ide.Diff
---@param original integer the file's own buffer, or the one shown in its place
function M.match_file(diff, original)
  local options = vim.bo[diff.bufnr]
  M.set_filetype(diff.bufnr, diff, original)
  if vim.bo[original].buftype == '' then
    for _, name in ipairs(LAYOUT_OPTIONS) do
      options[name] = vim.bo[original][name]
    end
  end
  -- A filetype plugin may have set these.
  options.bufhidden = 'wipe'
  options.swapfile = false
  options.modified = false
end

return M
