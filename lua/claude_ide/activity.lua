--- What agents do, for the status line: those in chats, and the CLIs in terminals. It also knows when
--- anything that a status line shows has changed.
local M = {}

---@class claude_ide.Figures of the last agent that has reported some
---@field model? string
---@field context? integer percentage of the context that is used
---@field cost? number dollars

---@class claude_ide.Activity: claude_ide.Figures
---@field is_working boolean

local sources = {} ---@type table<string, claude_ide.Activity>
local latest ---@type string? the source that was last active
local on_change = function() end
local is_due = false
local version = 0

--- Call `fn` soon after something has changed; many changes at once are one.
---@param fn fun()
function M.on_change(fn)
  on_change = fn
end

--- Something that a status line shows may have changed.
function M.changed()
  version = version + 1
  if not is_due then
    is_due = true
    vim.schedule(function()
      is_due = false
      on_change()
    end)
  end
end

--- How often something has changed.
---@return integer
function M.version()
  return version
end

--- Called by the host with what the agent of a source does.
---@param source string the id of a terminal, or "chat." and the chat's number
---@param activity claude_ide.Activity
function M.set(source, activity)
  if vim.deep_equal(sources[source], activity) then
    return
  end
  sources[source] = activity
  if activity.is_working or activity.model then
    latest = source
  end
  M.changed()
end

--- Called by the host when the agent of a source has ended.
---@param source string
function M.remove(source)
  if sources[source] then
    sources[source] = nil
    latest = latest ~= source and latest or next(sources)
    M.changed()
  end
end

--- The host has ended: nobody reports any more.
function M.clear()
  sources, latest = {}, nil
  M.changed()
end

--- Whether any agent is working.
---@return boolean
function M.is_working()
  return vim.iter(sources):any(function(_, activity)
    return activity.is_working
  end)
end

--- The figures of the agent that was last active.
---@return claude_ide.Figures
function M.figures()
  return sources[latest] or {}
end

return M
