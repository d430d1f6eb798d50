--- Prepares for a write by a client, which waits for the file's current diagnostics first.
local announced = require('claude_ide.disk_changes.announced')
local buffers = require('claude_ide.file.buffers')
local diagnostics = require('claude_ide.diagnostics')
local unopened = require('claude_ide.diagnostics.unopened')

local M = {}

--- Record that the client is about to write a file. Read its diagnostics if it is loaded, otherwise load it.
---@param path string
---@return { first?: claude_ide.FirstDiagnostics, loaded: claude_ide.LoadedFile, error?: string }
function M.read(path)
  announced.add(path)
  local bufnr = buffers.loaded(path)
  if bufnr then
    return { first = diagnostics.read(path), loaded = unopened.extend(bufnr) }
  end
  local loaded = unopened.load(path)
  return { loaded = loaded, error = loaded.error }
end

return M
