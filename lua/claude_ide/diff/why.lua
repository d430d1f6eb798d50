--- Why an agent wants an edit, in its own words. The CLI in a terminal does not say so with its edit: its
--- hooks report it for the file, often only after the diff has opened.
local M = {}

local told = {} ---@type table<string, string> by launch and path
local finder ---@type (fun(pid: integer): string?)?

local function key_of(launch, path)
  return launch .. ' ' .. path
end

--- Have `fn` find the launch of the terminal in which a process runs.
---@param fn fun(pid: integer): string?
function M.find_by(fn)
  finder = fn
end

--- The launch of the CLI that proposes a diff; nil if it runs in no terminal of ours.
---@param diff claude_ide.Diff
---@return string?
function M.launch_of(diff)
  return diff.pid and finder and finder(diff.pid)
end

--- Note what a CLI has said before it edits a file.
---@param launch string its id
---@param path string
---@param words string empty if the edit is over
function M.tell(launch, path, words)
  told[key_of(launch, path)] = words ~= '' and words or nil
  vim.cmd.redrawstatus({ bang = true })
end

--- What the agent has said before it has proposed a diff; empty if that is unknown.
---@param diff claude_ide.Diff
---@param launch? string
---@return string
function M.of(diff, launch)
  return diff.why or launch and told[key_of(launch, diff.path)] or ''
end

return M
