--- Reformats a file with the user's own formatters, without blocking Neovim.
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

---@class claude_ide.ReformatRequest
---@field bufnr integer
---@field path string
---@field finish fun(err?: string, report?: string)

---@class claude_ide.Reformatting : claude_ide.ReformatRequest
---@field start claude_ide.Checkpoint
---@field lines string[] the expected text of the buffer; another one means that it was changed
---@field asked string[] names of the formatters that have answered
---@field changed_by string[]
---@field failures string[]

local function lines_of(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

-- Unload a file that was loaded only for this, unless the user has opened or changed it.
---@param bufnr integer
---@param is_new boolean whether the buffer did not exist before
local function unload(bufnr, is_new)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  elseif vim.bo[bufnr].modified then
    vim.bo[bufnr].buflisted = true
  elseif #vim.fn.win_findbuf(bufnr) == 0 then
    pcall(window_close.temporary, bufnr, not is_new or vim.bo[bufnr].buflisted)
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

-- If the text cannot be saved, the buffer is restored and updated from the disk.
---@param reformatting claude_ide.Reformatting
---@return string? err
local function save(reformatting)
  local refusal, is_damaged = file_write.write(reformatting.bufnr)
  if refusal then
    checkpoint.restore(reformatting.start)
    -- Only the buffer still has the text.
    vim.bo[reformatting.bufnr].modified = vim.bo[reformatting.bufnr].modified or is_damaged == true
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

-- Why no further formatter may be applied to the buffer.
---@param reformatting claude_ide.Reformatting
---@return string?
local function obstacle(reformatting)
  local bufnr, path = reformatting.bufnr, reformatting.path
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return CLOSED:format(path)
  end
  -- After the first change, `save` detects writes to the file and reverts the changes.
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

-- Continues after a formatter has failed, as `vim.lsp.buf.format()` does.
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

---@param request claude_ide.ReformatRequest
---@param formatters claude_ide.Formatter[]
local function begin(request, formatters)
  local bufnr = request.bufnr
  reload.sync_one(bufnr)
  if vim.bo[bufnr].modified and file_write.has_changed(bufnr) then
    return request.finish(CONFLICT:format(request.path))
  end
  local before = checkpoint.new(bufnr)
  ---@type claude_ide.Reformatting
  local reformatting = {
    bufnr = bufnr,
    path = request.path,
    finish = request.finish,
    start = before,
    lines = before.lines,
    asked = {},
    changed_by = {},
    failures = {},
  }
  run(reformatting, formatters, 1)
end

---@param request claude_ide.ReformatRequest
---@param formatters? claude_ide.Formatter[]
local function start(request, formatters)
  if not formatters then
    request.finish(CLOSED:format(request.path))
  elseif #formatters == 0 then
    request.finish(NO_FORMATTER:format(request.path))
  else
    local ok, err = pcall(begin, request, formatters)
    if not ok then
      request.finish(reason.of(err))
    end
  end
end

--- Reformat a file, and save it unless it had unsaved changes before. Then emit `reformatted` with the
--- `token`, `ok`, and either a `report` of the changes or an `error` of one sentence.
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
  local was_loaded = vim.api.nvim_buf_is_loaded(bufnr)
  local function finish(err, text)
    if not was_loaded then
      unload(bufnr, is_new == true)
    end
    answer(err, text)
  end
  local note, err = file_load.hidden(bufnr)
  if err or vim.bo[bufnr].readonly or not vim.bo[bufnr].modifiable then
    return finish(err or table.concat({ path .. ' is read-only.', note }, ' '))
  end
  format_choice.find(bufnr, not was_loaded, function(formatters)
    start({ bufnr = bufnr, path = path, finish = finish }, formatters)
  end)
end

return M
