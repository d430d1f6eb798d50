--- The buffer that holds a proposed text: writing it accepts, wiping it out rejects.
local buffer_text = require('claude_ide.buffer_text')
local colouring = require('claude_ide.colouring')
local decision = require('claude_ide.decision')
local message = require('claude_ide.message')
local plain = require('claude_ide.plain')

local M = {}

local LAYOUT_OPTIONS = { 'tabstop', 'shiftwidth', 'softtabstop', 'expandtab', 'vartabstop' }

--- Make a new buffer, `diff.bufnr`, the proposal of a diff; it is not modifiable yet.
---@param diff claude_ide.Diff
---@param decide fun(accepted: boolean) may be called more than once
function M.fill(diff, decide)
  local tail = vim.fs.basename(diff.path)
  decision.fill(diff.bufnr, ('claude-ide://%d/%s'):format(diff.bufnr, tail), diff.text, {
    written = function()
      decide(true)
    end,
    wiped = function()
      decide(false)
    end,
  })
end

local function filetype_of(diff, original)
  local filetype = vim.bo[original].filetype
  return filetype ~= '' and filetype
    or vim.filetype.match({ buf = diff.bufnr, filename = diff.path })
    or ''
end

--- Give a proposal the looks of the file that it is for.
---@param diff claude_ide.Diff
---@param original integer the buffer beside it
function M.dress(diff, original)
  local options = vim.bo[diff.bufnr]
  colouring.dress(diff.bufnr, filetype_of(diff, original))
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

--- Keep what the user has made of a proposal that is taken away, if they have edited it.
---@param diff claude_ide.Diff
function M.keep_edits(diff)
  local ok, text = pcall(buffer_text.get, diff.bufnr)
  if not ok or text == diff.text then
    return
  end
  local kept = vim.api.nvim_create_buf(true, true)
  local tail = plain.one_line(vim.fs.basename(diff.path))
  vim.api.nvim_buf_set_name(kept, ('edited proposal %d for %s'):format(kept, tail))
  buffer_text.put(kept, text)
  colouring.dress(kept, vim.bo[diff.bufnr].filetype)
  message.show(('%s: your edits are kept in buffer %d'):format(tail, kept), 'warn')
end

return M
