--- Formats buffers with the user's own formatters, without blocking Neovim. The host chooses among them and
--- decides what becomes of the new text (`editor/formatting.py`).
local channel = require('claude_ide.channel')
local checkpoint = require('claude_ide.format.checkpoint')
local conform = require('claude_ide.format.conform')
local expression = require('claude_ide.format.expression')
local file_edit = require('claude_ide.file.edit')
local file_load = require('claude_ide.file.load')
local disk = require('claude_ide.file.disk')
local filter = require('claude_ide.format.filter')
local file = require('claude_ide.file.path')
local private_api = require('claude_ide.private_api')
local reason = require('claude_ide.messages.reason')
local rebase = require('claude_ide.file.rebase')
local reload = require('claude_ide.disk_changes.reload')
local server = require('claude_ide.format.server')
local window_close = require('claude_ide.window.close')

local M = {}

---@class claude_ide.Formatter
---@field kind 'conform'|'expression'|'program'|'server'
---@field name string
---@field is_own? boolean whether the user has set it for this buffer
---@field order? string when language servers format, too
---@field id? integer of a client

---@alias claude_ide.FormatDone fun(outcome: table, lines: string[]) `outcome`: `Formatted` of the host

---@class claude_ide.FormatRun
---@field bufnr integer
---@field start claude_ide.Checkpoint
---@field lines string[] the expected text of the buffer; another one means that it was changed
---@field result? string[] the text of the last formatter
---@field is_changed? boolean whether a result was applied

local BY_KIND = { conform = conform, expression = expression, program = filter, server = server }

---@type table<integer, claude_ide.FormatRun>
local runs = {}
---@type table<integer, fun()> by token: what ends the formatter that runs
local running = {}

-- Whether the option was set by one of Neovim's own scripts, such as a filetype plugin. Neovim uses the same
-- criterion before it sets 'formatexpr' for a language server.
local function is_default(bufnr, name)
  local info = vim.api.nvim_get_option_info2(name, { buf = bufnr })
  local script = vim.iter(vim.fn.getscriptinfo()):find(function(script)
    return script.sid == info.last_set_sid
  end)
  return script ~= nil and vim.startswith(script.name, vim.env.VIMRUNTIME)
end

local function is_own(bufnr, name)
  return vim.bo[bufnr][name] ~= '' and not is_default(bufnr, name)
end

---@return claude_ide.Formatter[]
local function candidates(bufnr)
  local found = { conform.find(bufnr) }
  -- Most default expressions fill paragraphs.
  if is_own(bufnr, 'formatexpr') and expression.is_usable(bufnr) then
    found[#found + 1] = { kind = 'expression', name = "'formatexpr'", is_own = true }
  end
  vim.list_extend(found, server.find(bufnr))
  for _, option in ipairs({ 'formatprg', 'equalprg' }) do
    local program = filter.program(bufnr, option)
    if program ~= '' then
      local is_first = option == 'formatprg' and is_own(bufnr, option)
      found[#found + 1] = { kind = 'program', name = program, is_own = is_first }
    end
  end
  return found
end

--- What can format a buffer now, in the order in which `gq` looks; nil if it is not loaded.
---@param bufnr integer
---@return { candidates: claude_ide.Formatter[], is_starting: boolean, may_attach: boolean }?
function M.formatters(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return nil
  end
  local is_starting = #private_api.starting(bufnr) > 0
  return { candidates = candidates(bufnr), is_starting = is_starting, may_attach = true }
end

--- Load a file unseen. `is_new`: it was not loaded; `is_made`: there was no buffer of it.
---@param path string
---@return { path: string, bufnr?: integer, is_new?: boolean, is_made?: boolean, error?: string }
function M.open(path)
  local absolute, _, is_missing = file.check(path)
  path = absolute or path
  local bufnr, refusal, is_made = file_load.add(path)
  if not bufnr then
    return { path = path, error = is_missing and 'File not found' or refusal }
  end
  local is_new = not vim.api.nvim_buf_is_loaded(bufnr)
  local note, err = file_load.hidden(bufnr)
  if not err and (vim.bo[bufnr].readonly or not vim.bo[bufnr].modifiable) then
    err = table.concat({ path .. ' is read-only.', note }, ' ')
  end
  if err and is_new then
    M.close(bufnr, is_made)
  end
  return { path = path, bufnr = bufnr, is_new = is_new, is_made = is_made, error = err }
end

--- Unload a file that was loaded only for this, unless the user has opened or changed it.
---@param bufnr integer
---@param is_made boolean
function M.close(bufnr, is_made)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  elseif vim.bo[bufnr].modified then
    vim.bo[bufnr].buflisted = true
  elseif #vim.fn.win_findbuf(bufnr) == 0 then
    pcall(window_close.temporary, bufnr, not is_made or vim.bo[bufnr].buflisted)
  end
end

--- Begin a run of formatters, unless unsaved changes are to an older text.
---@param run integer number of the run
---@param bufnr integer
---@return boolean has_begun
function M.begin(run, bufnr)
  reload.sync_one(bufnr)
  if vim.bo[bufnr].modified and disk.has_changed(bufnr) then
    return false
  end
  local start = checkpoint.new(bufnr)
  runs[run] = { bufnr = bufnr, start = start, lines = start.lines }
  return true
end

--- Have a formatter compute a text. Then emit `answered` with the `token` and what became of it.
---@param token any
---@param run integer
---@param formatter claude_ide.Formatter
function M.start(token, run, formatter)
  local one, is_over = runs[run], false
  local function done(outcome, lines)
    if not is_over and runs[run] == one then
      one.result = lines
      channel.emit('answered', vim.tbl_extend('error', outcome, { token = token }))
    end
    is_over, running[token] = true, nil
  end
  local ok, stop = pcall(BY_KIND[formatter.kind].format, one.bufnr, formatter, done)
  if not ok then
    return done({ error = reason.of(stop) }, one.lines)
  elseif not is_over then
    running[token] = function()
      is_over = true
      return stop and stop()
    end
  end
end

--- Give up on a formatter.
---@param token any
function M.stop(token)
  if running[token] then
    running[token]()
    running[token] = nil
  end
end

-- Why nothing can be done with the result of a run: the buffer was closed or changed.
local function obstacle(one)
  if not vim.api.nvim_buf_is_loaded(one.bufnr) then
    return 'closed'
  -- After the first change, `save` detects writes to the file and reverts the changes.
  elseif not one.is_changed then
    reload.sync_one(one.bufnr)
  end
  return not vim.deep_equal(checkpoint.lines(one.bufnr), one.lines) and 'changed' or nil
end

--- What stands in the way of using the result of the last formatter; otherwise whether it differs.
---@param run integer
---@param is_applied boolean apply it, as part of one undo step
---@return 'closed'|'changed'|'same'|'differs'
function M.take(run, is_applied)
  local one = runs[run]
  local why = obstacle(one)
  if why then
    return why
  end
  local lines = file_edit.in_buffer(one.result or one.lines)
  if vim.deep_equal(lines, one.lines) then
    return 'same'
  elseif is_applied then
    file_edit.change(one.bufnr, lines, one.is_changed)
    one.is_changed, one.lines = true, checkpoint.lines(one.bufnr)
  end
  return 'differs'
end

--- The buffer of a run, and the text that the last formatter has made of it.
---@param run integer
---@return integer bufnr
---@return string[] lines
function M.result(run)
  return runs[run].bufnr, file_edit.in_buffer(runs[run].result)
end

--- Write the buffer, unless it had unsaved changes before. If it cannot be written, it is restored, and
--- updated from the disk.
---@param run integer
---@return { refusal?: string, is_saved: boolean, lines: integer } `lines`: how many have changed
function M.save(run)
  local one = runs[run]
  local bufnr, start = one.bufnr, one.start
  if not start.modified then
    local refusal, is_damaged = disk.write(bufnr)
    if refusal then
      checkpoint.restore(start)
      -- Only the buffer still has the text.
      vim.bo[bufnr].modified = vim.bo[bufnr].modified or is_damaged == true
      reload.sync_one(bufnr)
      return { refusal = refusal }
    end
  end
  local lines = math.max(rebase.count(start.lines, checkpoint.lines(bufnr)))
  return { is_saved = not start.modified, lines = lines }
end

--- Forget a run.
---@param run integer
function M.finish(run)
  runs[run] = nil
end

return M
