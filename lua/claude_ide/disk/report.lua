--- Reports writes to open files without a diff, in one line for all that occur together.
local flash = require('claude_ide.disk.flash')
local message = require('claude_ide.say.message')
local moment = require('claude_ide.when.moment')
local named_files = require('claude_ide.disk.named_files')
local rebase = require('claude_ide.file.rebase')
local unseen = require('claude_ide.unseen')

local M = {}

-- Milliseconds.
local PAUSE = 150
local PATIENCE = 5000
local QUIET = 10000
local MOST_NAMED = 3 -- files
local HINT = '; for diffs :help claude-ide-mode'
local MOST_REPEATED = 3 -- reports of a file that is written without a pause

---@class claude_ide.WrittenFile
---@field name string
---@field agent? string the name of the agent that has written it
---@field added integer lines
---@field removed integer
---@field before string[]
---@field after string[]
---@field steps integer undo steps back to `before`; 0 if the user has changed the file in between

local followed = {} ---@type table<string, claude_ide.WrittenFile>
local kept = {} ---@type table<string, string> names of files whose buffers have unsaved changes
local repeats = {} ---@type table<string, { count: integer, at: number }>
local is_hinted = false
local latest = 0
local since ---@type number? when the first unreported write was added

local function counts(file)
  return ('(+%d −%d)'):format(file.added, file.removed)
end

local function sum(files)
  local total = { added = 0, removed = 0 }
  for _, file in ipairs(files) do
    total.added, total.removed = total.added + file.added, total.removed + file.removed
  end
  return total
end

local function listed(files)
  return table.concat(
    vim.tbl_map(function(file)
      return ('%s %s'):format(file.name, counts(file))
    end, files),
    ', '
  )
end

local function theirs(files)
  if #files == 1 then
    return ('%s changed on disk %s'):format(files[1].name, counts(files[1]))
  end
  return listed(files) .. ' changed on disk'
end

local function many(files, agent)
  local written = ('%d files'):format(#files)
  local form = agent and agent .. ' changed %s %s' or '%s changed on disk %s'
  return form:format(written, counts(sum(files)))
end

local function sorted(files)
  table.sort(files, function(a, b)
    return a.name < b.name
  end)
  return files
end

-- The files of each agent, in the order of the files' names; those of other programs at the end.
local function by_agent(files)
  local groups, others, found = {}, {}, {}
  for _, file in ipairs(files) do
    local group = file.agent and found[file.agent] or others
    if file.agent and not found[file.agent] then
      group = {}
      found[file.agent] = group
      table.insert(groups, group)
    end
    table.insert(group, file)
  end
  return groups, others
end

-- The keys that undo what is reported.
local function remedy(files)
  if #files > 1 then
    local is_plain = vim.iter(files):all(function(file)
      return file.steps == 1
    end)
    return is_plain and 'u undoes each' or 'u undoes each write'
  end
  local steps = files[1].steps
  return steps == 0 and 'u undoes the last write'
    or ('%su undoes'):format(steps > 1 and steps or '')
end

local function of_followed()
  local files = sorted(vim.tbl_values(followed))
  local groups, others = by_agent(files)
  if #files > MOST_NAMED then
    local is_one = #groups == 1 and #others == 0
    return { many(files, is_one and files[1].agent or nil), remedy(files) }
  end
  local parts = {}
  for _, group in ipairs(groups) do
    table.insert(parts, ('%s changed %s'):format(group[1].agent, listed(group)))
  end
  if #others > 0 then
    table.insert(parts, theirs(others))
  end
  return #files > 0 and vim.list_extend(parts, { remedy(files) }) or {}
end

local function of_kept()
  local names = vim.tbl_values(kept)
  table.sort(names)
  if #names > MOST_NAMED then
    return { ('%d files changed on disk; unsaved changes kept'):format(#names) }
  elseif #names > 0 then
    local form = '%s changed on disk; unsaved changes kept'
    return { form:format(table.concat(names, ', ')) }
  end
  return {}
end

local function has_claudes()
  return vim.iter(followed):any(function(_, file)
    return file.agent == named_files.CLAUDE
  end)
end

-- Once, a user who would rather review the edits is told how. On a narrow screen, the message itself is more
-- important.
local function with_hint(text)
  local longer = text .. HINT
  if is_hinted or not has_claudes() or not message.fits(longer) then
    return text
  end
  is_hinted = true
  return longer
end

local function report()
  local level = next(kept) and 'warn' or 'info'
  local parts = vim.list_extend(of_kept(), of_followed())
  local text = with_hint(table.concat(parts, '; '))
  followed, kept, since = {}, {}, nil
  if #parts > 0 then
    message.show(text, level)
  end
end

-- Wait for a pause between the writes, but not longer than PATIENCE.
local function report_soon()
  latest = latest + 1
  since = since or vim.uv.now()
  local this = latest
  local remaining = math.max(since + PATIENCE - vim.uv.now(), 0)
  vim.defer_fn(function()
    if this == latest then
      moment.when_notifiable(report)
    end
  end, math.min(PAUSE, remaining))
end

-- Without this limit, a growing log would be reported constantly.
local function is_repeated(path)
  local now, last = vim.uv.now(), repeats[path]
  if not last or now - last.at > QUIET then
    last = { count = 0 }
  end
  repeats[path] = { count = last.count + 1, at = now }
  return repeats[path].count > MOST_REPEATED
end

---@return integer added
---@return integer removed
local function difference(before, after)
  local removed, added = rebase.count(before, after)
  local was_empty = #before == 1 and before[1] == ''
  local is_empty = #after == 1 and after[1] == ''
  return is_empty and 0 or added, was_empty and 0 or removed
end

-- All writes to a file since the last report count as one.
local function add(path, before, after, agent, added, removed)
  local last, steps = followed[path], 1
  if last then
    steps = last.steps > 0 and vim.deep_equal(last.after, before) and last.steps + 1 or 0
    before = last.before
    added, removed = difference(before, after)
  end
  kept[path] = nil
  followed[path] = added + removed > 0
      and {
        name = vim.fs.basename(path),
        agent = agent or (last and last.agent),
        added = added,
        removed = removed,
        before = before,
        after = after,
        steps = steps,
      }
    or nil
  report_soon()
end

--- Report that a buffer has been updated from its file. Buffers that are not listed are not reported.
---@param bufnr integer
---@param before string[]
---@param after string[]
---@return boolean is_changed whether the texts differ
function M.followed(bufnr, before, after)
  local added, removed = difference(before, after)
  if added == 0 and removed == 0 then
    return false
  end
  local path = vim.api.nvim_buf_get_name(bufnr)
  local agent = named_files.agent(path)
  named_files.forget(path)
  if agent then
    flash.show(bufnr, before, after)
    unseen.wrote(bufnr, before, after)
  end
  unseen.updated(bufnr)
  if vim.bo[bufnr].buflisted and not is_repeated(path) then
    add(path, before, after, agent, added, removed)
  end
  return true
end

--- Report that a buffer keeps its unsaved changes and is not updated.
---@param path string
function M.kept(path)
  named_files.forget(path)
  kept[path], followed[path] = vim.fs.basename(path), nil
  report_soon()
end

return M
