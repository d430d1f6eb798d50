--- Checks a loaded file for a client, which waits for its servers and linters between the two functions.
local diagnostics = require('claude_ide.diagnostics')
local events = require('claude_ide.checking.events')
local reload = require('claude_ide.disk_changes.reload')
local texts = require('claude_ide.checking.texts')

local M = {}

--- Update all buffers whose files have been written; report the state of this one.
---@param bufnr integer
---@return { is_behind: boolean, checks: claude_ide.Checks } `checks`: of recent texts
function M.begin(bufnr)
  reload.sync()
  return { is_behind = reload.is_behind(bufnr), checks = texts.recent() }
end

--- Begin to read the file's diagnostics.
---@param path string
---@param bufnr integer
---@return { first: claude_ide.FirstDiagnostics, is_checked: boolean } `is_checked`: something has published
function M.read(path, bufnr)
  return { first = diagnostics.read(path), is_checked = #events.namespaces(bufnr) > 0 }
end

return M
