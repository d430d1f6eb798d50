--- What a client asks just before it writes a file; it waits for the answer.
local buffers = require('claude_ide.file.buffers')
local diagnostics = require('claude_ide.diagnostics')
local named_files = require('claude_ide.disk.named_files')
local unopened = require('claude_ide.diagnostics.unopened')

local M = {}

--- The write is the client's own. Of a file that is loaded the diagnostics are read, another is
--- loaded.
---@param path string
---@return { first?: claude_ide.FirstDiagnostics, loaded?: claude_ide.LoadedFile, error?: string }
function M.read(path)
  named_files.add(path)
  local bufnr = buffers.loaded(path)
  if bufnr then
    unopened.prolong(bufnr)
    return { first = diagnostics.read(path) }
  end
  local loaded = unopened.load(path)
  return { loaded = loaded, error = loaded.error }
end

return M
