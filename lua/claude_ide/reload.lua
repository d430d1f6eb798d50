--- Buffers follow what Claude writes to their files, without a question or a warning.
local buffers = require('claude_ide.buffers')
local disk = require('claude_ide.disk')
local disk_edit = require('claude_ide.disk_edit')
local file = require('claude_ide.file')
local message = require('claude_ide.message')
local moment = require('claude_ide.moment')
local rebase = require('claude_ide.rebase')
local written = require('claude_ide.written')

local M = {}

-- Milliseconds.
local POLL = 50
local PATIENCE = 10000

local MISSING = 'missing'

--- What a file held before a write.
---@class claude_ide.SavedText
---@field stamp string of the file
---@field lines? string[] what its buffer's unsaved changes were made to, where that is known

---@class claude_ide.ExpectedWrite
---@field bufnr integer
---@field saved claude_ide.SavedText
---@field deadline number
---@field seen? string the stamp at the last look
---@field autoread? boolean the buffer's own value
---@field autocmds integer[]

---@type table<integer, claude_ide.ExpectedWrite>
local expected = {}
local is_polling = false

--- The state of a buffer's file in which Neovim was found to know it.
---@type table<integer, string>
local known = {}

--- What tells two states of a file apart.
---@param path string
---@return string
function M.stamp(path)
  local stat = vim.uv.fs_stat(path)
  return stat and ('%d.%d %d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size, stat.ino)
    or MISSING
end

local function lines_of(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

-- What the unsaved changes of a buffer were made to, where Neovim knows the file as it is.
local function saved_lines(bufnr)
  if not moment.is_possible() or disk.has_changed(bufnr) then
    return nil
  end
  local text = disk_edit.read(bufnr)
  return disk_edit.in_buffer(text and text.lines or {})
end

-- An earlier text will do, since both the buffer and the file have come from that.
local function saved_text(bufnr, earlier)
  local lines
  if not vim.bo[bufnr].modified then
    lines = lines_of(bufnr)
  elseif earlier then
    lines = earlier.lines
  else
    lines = saved_lines(bufnr)
  end
  return { stamp = M.stamp(vim.api.nvim_buf_get_name(bufnr)), lines = lines }
end

-- There is no buffer for a path that no file can have.
local function loaded(path)
  local ok, buffer = pcall(buffers.find, path)
  return ok and buffer and buffer.loaded and buffer.bufnr or nil
end

--- What a file holds now, for a write that is expected later.
---@param path string
---@return claude_ide.SavedText
function M.saved(path)
  local bufnr = loaded(path)
  return bufnr and saved_text(bufnr) or { stamp = M.stamp(path) }
end

-- The file's stamp when it is another than before.
local function news(write)
  local stamp = M.stamp(vim.api.nvim_buf_get_name(write.bufnr))
  return stamp ~= write.saved.stamp and stamp ~= MISSING and stamp or nil
end

-- What Neovim would do by itself about a write that is not the one expected.
local function usual_choice(write)
  local autoread = write.autoread
  if autoread == nil then
    autoread = vim.go.autoread
  end
  return autoread and not vim.bo[write.bufnr].modified and 'reload' or 'ask'
end

local function choose(write)
  if news(write) or M.stamp(vim.api.nvim_buf_get_name(write.bufnr)) == MISSING then
    return write.saved.lines and '' or 'ask'
  end
  return vim.v.fcs_choice ~= '' and vim.v.fcs_choice or usual_choice(write)
end

-- While a write is expected, whoever notices it first leaves it to us: an autocommand of the user's
-- or the focus coming back may run `:checktime` at any time.
local function keep_quiet(write)
  local options = vim.bo[write.bufnr]
  write.autoread = vim.api.nvim_get_option_value('autoread', { buf = write.bufnr, scope = 'local' })
  options.autoread = false
  write.autocmds = {
    vim.api.nvim_create_autocmd('FileChangedShell', {
      buffer = write.bufnr,
      callback = function()
        vim.v.fcs_choice = choose(write)
      end,
    }),
    vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufWritePost' }, {
      buffer = write.bufnr,
      callback = function(event)
        -- `:write other.txt` writes another file.
        if vim.fn.fnamemodify(event.match, ':p') == vim.api.nvim_buf_get_name(write.bufnr) then
          write.saved, write.seen = saved_text(write.bufnr, write.saved), nil
        end
      end,
    }),
  }
end

local function forget(write)
  expected[write.bufnr] = nil
  if vim.api.nvim_buf_is_valid(write.bufnr) then
    vim.iter(write.autocmds):each(vim.api.nvim_del_autocmd)
    vim.bo[write.bufnr].autoread = write.autoread
  end
end

-- In the buffer that the user types in, the next key may act on what is there.
local function is_in_use(bufnr)
  return bufnr == vim.api.nvim_get_current_buf() and not vim.fn.mode(1):find('^n?t?$')
end

local function may_change(bufnr)
  return moment.is_possible() and not is_in_use(bufnr)
end

-- What is on disk, with the user's unsaved changes on top of it.
local function apply(write, text)
  local bufnr, saved = write.bufnr, write.saved.lines
  if not vim.bo[bufnr].modified then
    return disk_edit.adopt(bufnr, text)
  elseif not saved then
    return 'has unsaved changes to an older text, which are kept as they are'
  end
  local theirs = disk_edit.in_buffer(text.lines)
  local lines, conflicts = rebase.merge(saved, lines_of(bufnr), theirs)
  disk_edit.adopt(bufnr, text, lines)
  return conflicts > 0 and 'your unsaved changes to the same lines are one undo away' or nil
end

local function reload(write, text)
  local ok, notice = pcall(apply, write, text)
  forget(write)
  if not ok then
    notice = ('cannot be reloaded: %s'):format(notice)
  end
  if notice then
    local name = vim.fs.basename(vim.api.nvim_buf_get_name(write.bufnr))
    message.show(('%s: %s'):format(name, notice), 'warn')
  end
  return ok and write.saved.lines ~= nil
end

-- Make the buffer hold what is on disk, and return whether it does.
local function take(write)
  local path = vim.api.nvim_buf_get_name(write.bufnr)
  local stamp = M.stamp(path)
  local text = may_change(write.bufnr) and disk_edit.read(write.bufnr)
  if not text or not reload(write, text) then
    return false
  elseif M.stamp(path) ~= stamp then
    M.follow(path, { stamp = stamp, lines = text.lines })
  else
    disk.has_read(write.bufnr)
  end
  written.report(write.bufnr)
  return true
end

-- Half a file is not taken: its stamp has to be the same at two looks.
local function look(write)
  if not vim.api.nvim_buf_is_loaded(write.bufnr) then
    return forget(write)
  end
  local stamp = news(write)
  local is_settled = stamp == write.seen
  if stamp and is_settled and take(write) then
    return
  end
  write.seen = stamp
  if is_settled and vim.uv.now() > write.deadline and may_change(write.bufnr) then
    forget(write)
  end
end

-- Timed from this look on: at a fixed rate, those of a busy Neovim would come without a pause between
-- them, and take half a file.
local function poll()
  is_polling = next(expected) ~= nil
  if is_polling then
    vim.defer_fn(poll, POLL)
  end
  for _, write in ipairs(vim.tbl_values(expected)) do
    look(write)
  end
end

local function wait_for(bufnr, saved)
  local write = { bufnr = bufnr, saved = saved, deadline = vim.uv.now() + PATIENCE }
  expected[bufnr] = write
  keep_quiet(write)
  if not is_polling then
    is_polling = true
    vim.defer_fn(poll, POLL)
  end
  return write
end

-- What a file held, if it holds something else now. An unmodified buffer still holds it.
local function written_since(bufnr, saved)
  if saved.stamp == M.stamp(vim.api.nvim_buf_get_name(bufnr)) then
    return nil
  end
  local lines = saved.lines or not vim.bo[bufnr].modified and lines_of(bufnr) or nil
  return { stamp = saved.stamp, lines = lines }
end

--- Somebody is about to write a file: its buffer, if loaded, is to show it, with what is unsaved
--- in the buffer on top.
---@param path string
---@param earlier? claude_ide.SavedText what the file held at some time before
function M.expect(path, earlier)
  local bufnr = loaded(path)
  if bufnr then
    local write = expected[bufnr] or wait_for(bufnr, saved_text(bufnr, earlier))
    write.deadline = vim.uv.now() + PATIENCE
  end
end

--- Somebody may have written a file by now, or is about to.
---@param path string
---@param saved claude_ide.SavedText what the file held before
function M.follow(path, saved)
  M.expect(path, saved)
  local bufnr = loaded(path)
  local before = bufnr and written_since(bufnr, saved)
  if before then
    expected[bufnr].saved = before
  end
end

-- Whether a file has changed since Neovim last looked. Without a line, the buffer may be one of a
-- file that did not exist: Neovim asks about that and tells no autocommand.
local function has_changed(bufnr)
  local stat = vim.uv.fs_stat(vim.api.nvim_buf_get_name(bufnr))
  if not stat or stat.type ~= 'file' then
    return false
  elseif vim.deep_equal(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), { '' }) then
    return stat.size > 0
  end
  local changed = false
  local autocmd = vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = bufnr,
    callback = function()
      changed = true
    end,
  })
  vim.cmd.checktime({ args = { tostring(bufnr) }, mods = { silent = true } })
  vim.api.nvim_del_autocmd(autocmd)
  return changed
end

-- A write that nobody has announced, to the file of a buffer that holds nothing else.
local function notice(bufnr)
  local path = file.path(bufnr)
  local stamp = path and M.stamp(path)
  if not path or known[bufnr] == stamp or vim.bo[bufnr].modified or is_in_use(bufnr) then
    return nil
  end
  local write = wait_for(bufnr, { stamp = '', lines = lines_of(bufnr) })
  if has_changed(bufnr) then
    return write
  end
  known[bufnr] = stamp
  forget(write)
end

local function sync(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return false
  end
  local write = expected[bufnr] or notice(bufnr)
  return write ~= nil and news(write) ~= nil and take(write)
end

--- Have loaded buffers show now what has been written to their files.
---@return integer[] bufnrs of those that did
function M.sync()
  return moment.is_possible() and vim.tbl_filter(sync, vim.api.nvim_list_bufs()) or {}
end

return M
