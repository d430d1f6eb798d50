--- Reverts hunks of a review, and restores reverted ones: through the buffer, one undo step for each
--- file. The file is saved unless its buffer had unsaved changes.
local buffer_text = require('claude_ide.file.text')
local buffers = require('claude_ide.file.buffers')
local current = require('claude_ide.review.current')
local dialogue = require('claude_ide.ui.vim_ui')
local disk = require('claude_ide.file.disk')
local file_edit = require('claude_ide.file.edit')
local file_load = require('claude_ide.file.load')
local file_path = require('claude_ide.file.path')
local open_files = require('claude_ide.file.open')
local reason = require('claude_ide.messages.reason')
local rebase = require('claude_ide.file.rebase')
local review_hunks = require('claude_ide.review.hunks')

local M = {}

local DELETE, KEEP = 1, 2

---@class claude_ide.DeletedText
---@field reviewed claude_ide.FileText what the review says of the file
---@field now claude_ide.FileText what it was
---@field fileencoding? string

---@type table<string, claude_ide.DeletedText> by path
local deleted = {}

---@class claude_ide.RevertResult
---@field done claude_ide.ReviewHunk[]
---@field notes string[] one sentence each: what was not done, or not saved

local function refuse(result, form, ...)
  table.insert(result.notes, form:format(...))
end

-- Where a hunk is, if it is not in the wanted state yet.
local function applicable(result, hunk, file, wanted)
  local found = review_hunks.find(hunk, file)
  if found.state == wanted then
    local form = wanted == 'reverted' and '%s:%d is reverted already' or '%s:%d is not reverted'
    refuse(result, form, hunk.file.name, found.first + 1)
  elseif found.state == 'changed' then
    refuse(result, '%s:%d has changed since: it stays as it is', hunk.file.name, found.first + 1)
  else
    return found
  end
end

local function set_format(bufnr, text)
  for _, name in ipairs(buffer_text.FORMAT) do
    vim.bo[bufnr][name] = text[name]
  end
  -- Otherwise the write would add a line end.
  vim.bo[bufnr].fixendofline = text.endofline and vim.bo[bufnr].fixendofline
end

local function save(result, file, bufnr, was_modified)
  if was_modified then
    return refuse(result, '%s is not saved: it had unsaved changes', file.name)
  end
  local refusal = disk.write(bufnr)
  if refusal then
    refuse(result, '%s', refusal)
  end
end

-- The current text with hunks replaced, from the end, so that earlier rows stay valid.
---@param file claude_ide.ReviewComparison
local function replaced(result, hunks, file, wanted)
  local places = {}
  for _, hunk in ipairs(hunks) do
    local found = applicable(result, hunk, file, wanted)
    if found then
      table.insert(places, { hunk = hunk, found = found })
    end
  end
  table.sort(places, function(a, b)
    return a.found.first > b.found.first
  end)
  local lines, format = assert(file.now).lines, nil
  for _, place in ipairs(places) do
    local hunk, side = place.hunk, wanted == 'reverted' and 'before' or 'after'
    if hunk.kind == 'format' then
      format = hunk.file[side]
    else
      local inserted = side == 'before' and review_hunks.old_lines(hunk)
        or review_hunks.new_lines(hunk)
      lines = rebase.splice(lines, place.found.first, place.found.last, inserted)
    end
    table.insert(result.done, hunk)
  end
  return #places > 0 and lines or nil, format
end

local function load(path)
  local bufnr, refusal = file_load.add(path)
  if not bufnr then
    return nil, refusal
  end
  local _, failure = file_load.hidden(bufnr)
  if failure then
    return nil, failure
  end
  if not vim.bo[bufnr].modifiable then
    return nil, ("%s: 'modifiable' is off"):format(path)
  end
  return bufnr
end

local function change(result, hunks, wanted)
  local file = hunks[1].file
  local bufnr, refusal = load(file.path)
  if not bufnr then
    return refuse(result, '%s', refusal)
  end
  local was_modified = vim.bo[bufnr].modified
  local lines, format = replaced(result, hunks, current.compared(file), wanted)
  if not lines then
    return
  end
  file_edit.change(bufnr, lines)
  if format then
    set_format(bufnr, format)
  end
  save(result, file, bufnr, was_modified)
end

local function write_new(file, text, encoding)
  local path, refusal = file_path.check(file.path)
  if not path then
    return refusal
  end
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local bufnr = vim.fn.bufadd(path)
  local _, failure = file_load.hidden(bufnr)
  if failure then
    return failure
  elseif vim.bo[bufnr].modified then
    return ('%s has unsaved changes; `:w` writes it'):format(file.name)
  end
  file_edit.change(bufnr, text.lines)
  set_format(bufnr, text)
  vim.bo[bufnr].fileencoding = encoding or vim.bo[bufnr].fileencoding
  return disk.write(bufnr)
end

-- What we have deleted is written again with what the user had made of it.
local function write_whole(result, hunk)
  local reviewed, known = review_hunks.whole(hunk), deleted[hunk.file.path]
  local is_ours = known ~= nil and vim.deep_equal(known.reviewed, reviewed)
  local refusal =
    write_new(hunk.file, is_ours and known.now or reviewed, is_ours and known.fileencoding or nil)
  if refusal then
    return refuse(result, '%s', refusal)
  end
  table.insert(result.done, hunk)
end

local function remove(hunk)
  local file = hunk.file
  local turned = file_path.turned(file.path)
  if turned then
    return turned
  end
  local now, bufnr = current.of(file.path)
  local encoding = bufnr and vim.bo[bufnr].fileencoding or nil
  local buffer = buffers.find(file.path)
  if buffer and (buffer.loaded or buffer.listed) then
    local closed = open_files.close_file(file.path)
    if not closed.closed then
      return closed.error
    end
  end
  local ok, failure = os.remove(file.path)
  if ok and now then
    deleted[file.path] = { reviewed = review_hunks.whole(hunk), now = now, fileencoding = encoding }
  end
  return not ok and failure or nil
end

local function question(hunk, now)
  local name, reviewed = hunk.file.name, review_hunks.whole(hunk)
  if not review_hunks.find(hunk, { now = now, before = {}, after = {} }).is_edited then
    return ('Delete %s?'):format(name)
  end
  local removed, added = rebase.count(reviewed.lines, now.lines)
  return ('Delete %s, which has changed since (+%d −%d)?'):format(name, added, removed)
end

local function delete(result, hunk, now, after)
  local items = { [DELETE] = 'Delete it', [KEEP] = 'Keep it' }
  dialogue.select(question(hunk, now), items, function(index)
    local refusal = index == DELETE and remove(hunk)
    if refusal then
      refuse(result, '%s', refusal)
    elseif index == DELETE then
      table.insert(result.done, hunk)
    end
    after()
  end)
end

-- A file that was created or deleted: write all of it, or delete it.
local function change_whole(result, hunk, wanted, after)
  local file = current.compared(hunk.file)
  if not applicable(result, hunk, file, wanted) then
    return after()
  elseif file.now then
    return delete(result, hunk, file.now, after)
  end
  write_whole(result, hunk)
  after()
end

---@return claude_ide.ReviewHunk[][] hunks of one file each, in their order
local function by_file(hunks)
  local groups, found = {}, {}
  for _, hunk in ipairs(hunks) do
    local group = found[hunk.file]
    if not group then
      group = {}
      found[hunk.file] = group
      table.insert(groups, group)
    end
    table.insert(group, hunk)
  end
  return groups
end

local function run(result, hunks, wanted, after)
  local kind, file = hunks[1].kind, hunks[1].file
  -- The path had no link when the agent changed the file.
  local turned = file_path.turned(file.path)
  local absolute, refusal = file_path.check(file.path)
  local obstacle = absolute and file_path.needs_plugin(absolute)
  if turned or refusal then
    refuse(result, '%s', turned or refusal)
    return after()
  elseif obstacle then
    refuse(result, '%s: %s', file.name, obstacle)
    return after()
  elseif kind == 'unknown' then
    refuse(result, '%s: an earlier text is unknown (%s)', file.name, file.obstacle)
    return after()
  elseif kind == 'created' or kind == 'deleted' then
    return change_whole(result, hunks[1], wanted, after)
  end
  change(result, hunks, wanted)
  after()
end

--- Bring hunks into a state. Hunks that no longer fit stay as they are.
---@param hunks claude_ide.ReviewHunk[]
---@param wanted 'reverted'|'present'
---@param callback fun(result: claude_ide.RevertResult) called once; later if a question was asked
function M.bring(hunks, wanted, callback)
  local result = { done = {}, notes = {} }
  local groups = by_file(hunks)
  local function step(index)
    if not groups[index] then
      return callback(result)
    end
    local is_over = false
    local function finish()
      is_over = true
      step(index + 1)
    end
    local ok, failure = pcall(run, result, groups[index], wanted, finish)
    if not ok and is_over then
      error(failure, 0)
    elseif not ok then
      refuse(result, '%s: %s', groups[index][1].file.name, reason.of(failure))
      finish()
    end
  end
  step(1)
end

return M
