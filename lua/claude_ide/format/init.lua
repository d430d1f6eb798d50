--- A file is reformatted by the user's own formatters, while Neovim goes on.
local channel = require('claude_ide.channel')
local checkpoint = require('claude_ide.format.checkpoint')
local file_edit = require('claude_ide.file.edit')
local file_load = require('claude_ide.file.load')
local file_write = require('claude_ide.file.write')
local format_choice = require('claude_ide.format.choice')
local path_gate = require('claude_ide.file.gate')
local reason = require('claude_ide.say.reason')
local rebase = require('claude_ide.file.rebase')
local reload = require('claude_ide.disk.reload')
local window_close = require('claude_ide.window.close')

local M = {}

local CLOSED = '%s was closed while it was being reformatted.'
local CHANGED = '%s was changed while it was being reformatted; the changes were kept.'
local CONFLICT =
  '%s has unsaved changes in Neovim and has changed on disk, too; it was not reformatted.'
local NO_FORMATTER = '%s has no formatter: no conform.nvim, language server, '
  .. "'formatexpr', 'formatprg' or 'equalprg' formats it."

---@class claude_ide.Reformatting
---@field bufnr integer
---@field path string
---@field was_loaded boolean
---@field is_new boolean there was no buffer before
---@field finish fun(err?: string, report?: string)
---@field start claude_ide.Checkpoint
---@field lines string[] what the buffer holds unless somebody else has changed it
---@field asked string[] names of the formatters that have answered
---@field changed_by string[]
---@field failures string[]

local function lines_of(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

-- A file that was loaded for this only goes again, unless the user has come across it.
---@param reformatting claude_ide.Reformatting
local function unload(reformatting)
  local bufnr = reformatting.bufnr
  if reformatting.was_loaded or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  elseif vim.bo[bufnr].modified then
    vim.bo[bufnr].buflisted = true
  elseif #vim.fn.win_findbuf(bufnr) == 0 then
    pcall(window_close.temporary, bufnr, not reformatting.is_new or vim.bo[bufnr].buflisted)
  end
end

local function changed_lines(before, after)
  local count = math.max(rebase.count(before, after))
  return ('%d %s changed'):format(count, count == 1 and 'line' or 'lines')
end

---@param reformatting claude_ide.Reformatting
---@param text string
---@return string
local function with_failures(reformatting, text)
  local failures = vim.tbl_map(function(failure)
    return (' %s.'):format(failure)
  end, reformatting.failures)
  return text .. table.concat(failures)
end

---@param reformatting claude_ide.Reformatting
---@return string
local function report(reformatting)
  if #reformatting.changed_by == 0 then
    local names = table.concat(reformatting.asked, ' and ')
    return with_failures(reformatting, ('Nothing to change (asked %s).'):format(names))
  end
  local saved = reformatting.start.modified and 'not saved, as the file had unsaved changes before'
    or 'saved'
  return with_failures(
    reformatting,
    ('Reformatted with %s: %s, %s.'):format(
      table.concat(reformatting.changed_by, ' and '),
      changed_lines(reformatting.start.lines, lines_of(reformatting.bufnr)),
      saved
    )
  )
end

-- Without the text that could not be saved, the buffer follows what is on disk.
---@param reformatting claude_ide.Reformatting
---@return string? err
local function save(reformatting)
  local refusal = file_write.write(reformatting.bufnr)
  if refusal then
    checkpoint.restore(reformatting.start)
    reload.sync_one(reformatting.bufnr)
    return ('%s was not reformatted, as it could not be saved: %s'):format(
      reformatting.path,
      refusal
    )
  end
end

---@param reformatting claude_ide.Reformatting
local function conclude(reformatting)
  if #reformatting.asked == 0 then
    return reformatting.finish(table.concat(reformatting.failures, '; '))
  end
  local is_to_save = #reformatting.changed_by > 0 and not reformatting.start.modified
  local err = is_to_save and save(reformatting) or nil
  reformatting.finish(err, not err and report(reformatting) or nil)
end

-- Why no formatter may go on with the buffer.
---@param reformatting claude_ide.Reformatting
---@return string?
local function obstacle(reformatting)
  local bufnr, path = reformatting.bufnr, reformatting.path
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return CLOSED:format(path)
  end
  -- Later, `save` finds out, and can take the changes back.
  if #reformatting.changed_by == 0 then
    reload.sync_one(bufnr)
  end
  return not vim.deep_equal(lines_of(bufnr), reformatting.lines) and CHANGED:format(path) or nil
end

---@param reformatting claude_ide.Reformatting
---@param name string
---@param lines string[]
local function apply(reformatting, name, lines)
  table.insert(reformatting.asked, name)
  lines = file_edit.in_buffer(lines)
  if not vim.deep_equal(lines, reformatting.lines) then
    file_edit.change(reformatting.bufnr, lines, #reformatting.changed_by > 0)
    table.insert(reformatting.changed_by, name)
    reformatting.lines = lines_of(reformatting.bufnr)
  end
end

---@param reformatting claude_ide.Reformatting
---@param formatter claude_ide.Formatter
---@param err? string
---@param lines? fun(): string[]
local function handle_answer(reformatting, formatter, err, lines)
  local ok, why = err == nil, err
  if lines and not err then
    ok, why = pcall(function()
      apply(reformatting, formatter.name, lines())
    end)
  end
  if not ok then
    local failure = '%s could not reformat %s: %s'
    table.insert(
      reformatting.failures,
      failure:format(formatter.name, reformatting.path, reason.of(why))
    )
  end
end

-- As `vim.lsp.buf.format()` does, go on where one has failed.
---@param reformatting claude_ide.Reformatting
---@param formatters claude_ide.Formatter[]
---@param index integer
local function run(reformatting, formatters, index)
  local formatter = formatters[index]
  if not formatter then
    return conclude(reformatting)
  end
  local function done(err, lines)
    local hindrance = obstacle(reformatting)
    if hindrance then
      return reformatting.finish(hindrance)
    end
    handle_answer(reformatting, formatter, err, lines)
    run(reformatting, formatters, index + 1)
  end
  local ok, why = pcall(formatter.format, done)
  if not ok then
    done(reason.of(why))
  end
end

---@param reformatting claude_ide.Reformatting
---@param formatters claude_ide.Formatter[]
local function begin(reformatting, formatters)
  local bufnr = reformatting.bufnr
  reload.sync_one(bufnr)
  if vim.bo[bufnr].modified and file_write.has_changed(bufnr) then
    return reformatting.finish(CONFLICT:format(reformatting.path))
  end
  reformatting.start = checkpoint.new(bufnr)
  reformatting.lines = reformatting.start.lines
  reformatting.asked, reformatting.changed_by, reformatting.failures = {}, {}, {}
  run(reformatting, formatters, 1)
end

---@param reformatting claude_ide.Reformatting
---@param formatters? claude_ide.Formatter[]
local function start(reformatting, formatters)
  if not formatters then
    reformatting.finish(CLOSED:format(reformatting.path))
  elseif #formatters == 0 then
    reformatting.finish(NO_FORMATTER:format(reformatting.path))
  else
    local ok, err = pcall(begin, reformatting, formatters)
    if not ok then
      reformatting.finish(reason.of(err))
    end
  end
end

--- Reformat a file, and save it unless it had unsaved changes before; then emit `reformatted` with
--- the `token`, `ok`, and a `report` of what was changed, or an `error` of one sentence.
---@param token any
---@param path string
function M.reformat(token, path)
  local absolute, _, is_missing = path_gate.check(path)
  path = absolute or path
  local function answer(err, text)
    channel.emit('reformatted', { token = token, ok = err == nil, error = err, report = text })
  end
  local bufnr, refusal, is_new = file_load.add(path)
  if not bufnr then
    return answer(is_missing and 'File not found' or refusal)
  end
  local reformatting = { bufnr = bufnr, path = path, is_new = is_new == true }
  reformatting.was_loaded = vim.api.nvim_buf_is_loaded(bufnr)
  function reformatting.finish(err, text)
    unload(reformatting)
    answer(err, text)
  end
  local note, err = file_load.hidden(bufnr)
  if err or vim.bo[bufnr].readonly or not vim.bo[bufnr].modifiable then
    return reformatting.finish(err or table.concat({ path .. ' is read-only.', note }, ' '))
  end
  format_choice.find(bufnr, not reformatting.was_loaded, function(formatters)
    start(reformatting, formatters)
  end)
end

return M
