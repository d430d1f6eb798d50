--- Why an agent wants an edit, in its own words. The CLI in a terminal does not say so with its edit: its
--- hooks report it for the file, often only after the diff has opened.
local M = {}

local told = {} ---@type table<string, string> by path

--- Note what a CLI has said before it edits a file.
---@param path string
---@param words string empty if it has said nothing, or if the edit is over
function M.tell(path, words)
  told[path] = words ~= '' and words or nil
  vim.cmd.redrawstatus({ bang = true })
end

--- What the agent has said before it has proposed a diff; empty if that is unknown.
---@param diff claude_ide.Diff
---@return string
function M.of(diff)
  if diff.why or diff.on_decided or diff.agent then
    return diff.why or ''
  end
  return told[diff.path] or ''
end

return M
