--- The buffer that holds a proposed text: writing it accepts, wiping it out rejects.
local colouring = require('claude_ide.colouring')
local decision = require('claude_ide.diff.decision')

local M = {}

local LAYOUT_OPTIONS = { 'tabstop', 'shiftwidth', 'softtabstop', 'expandtab', 'vartabstop' }

-- The beginning and the end are ours: by a name such as `x.gpg` or `tarfile::x` another plugin would take the
-- proposal for its own, and write it.
local function name_of(diff)
  local folder, name = diff.where.path:match('^(.*/)([^/]*)$')
  return ('claude-ide://%d/%sproposal (%s)'):format(
    diff.bufnr,
    folder or '',
    name or diff.where.path
  )
end

--- Fill the buffer `diff.bufnr` with the proposed text, which cannot be modified yet.
---@param diff claude_ide.Diff
---@param decide fun(accepted: boolean) may be called more than once
function M.fill(diff, decide)
  decision.fill(diff.bufnr, name_of(diff), diff.text, {
    written = function()
      decide(true)
    end,
    wiped = function()
      decide(false)
    end,
  })
end

--- Give a buffer the filetype of the file that it shows a state of.
---@param bufnr integer
---@param diff claude_ide.Diff
---@param original integer the file's own buffer
function M.colour(bufnr, diff, original)
  local filetype = vim.bo[original].filetype
  if filetype == '' then
    filetype = vim.filetype.match({ buf = bufnr, filename = diff.path }) or ''
  end
  colouring.set_filetype(bufnr, filetype)
end

--- Give a proposal the looks of the file that it is for.
---@param diff claude_ide.Diff
---@param original integer the file's own buffer, or the one beside it
function M.dress(diff, original)
  local options = vim.bo[diff.bufnr]
  M.colour(diff.bufnr, diff, original)
  if vim.bo[original].buftype == '' then
    for _, name in ipairs(LAYOUT_OPTIONS) do
      options[name] = vim.bo[original][name]
    end
  end
  -- What a filetype plugin sets for itself must not outlive the proposal's own ways.
  options.bufhidden = 'wipe'
  options.swapfile = false
  options.modified = false
end

return M
