--- Checks a loaded file for a client, which waits for its servers and linters between the two functions.
local diagnostics = require('claude_ide.diagnostics')
local disk_change = require('claude_ide.disk.change')
local events = require('claude_ide.checking.events')
local publishing = require('claude_ide.checking.publishing')
local reload = require('claude_ide.disk.reload')

local M = {}

--- Update all buffers whose files have been written; report the state of this one.
---@param bufnr integer
---@return { is_behind: boolean, is_settled: boolean } `is_settled`: no answer to a recent write is pending
function M.begin(bufnr)
  reload.sync()
  return {
    is_behind = disk_change.is_behind(bufnr),
    is_settled = not vim.list_contains(publishing.unsettled(), bufnr),
  }
end

--- Begin to read the file's diagnostics.
---@param path string
---@param bufnr integer
---@return { first: claude_ide.FirstDiagnostics, is_checked: boolean } `is_checked`: something has published
function M.read(path, bufnr)
  return { first = diagnostics.read(path), is_checked = #events.namespaces(bufnr) > 0 }
end

return M
