--- Replaces a buffer's text with the text on disk as an edit would: in one undo step. Folds and the cursor
--- stay in place where nothing changes, and only removed lines lose their marks.
local autocommands = require('claude_ide.messages.autocommands')
local buffer_text = require('claude_ide.file.text')
local colouring = require('claude_ide.colouring')
local file_path = require('claude_ide.file.path')
local rebase = require('claude_ide.file.rebase')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_file_edit')

local LINEMATCH = 60
-- Lines of one hunk. Replacing more of them one by one takes too long.
local MOST_PAIRED = 1000
local FORMAT = { 'fileformat', 'fileencoding', 'bomb', 'endofline' }

---@class claude_ide.DiskText
---@field lines string[]
---@field fileformat string
---@field fileencoding string
---@field bomb boolean
---@field endofline boolean

--- Whether a plugin makes the text of a buffer from its file, or the file from the text. Only Neovim can then
--- read the file again: the plugin's autocommands have to run.
---@type fun(bufnr: integer): boolean
function M.is_translated(bufnr)
  return file_path.reader(api.nvim_buf_get_name(bufnr)) ~= nil
    or #api.nvim_get_autocmds({ event = 'BufWriteCmd', buffer = bufnr }) > 0
end

--- Read a buffer's file as `:edit` would, in the buffer's encoding.
---@param bufnr integer
---@return claude_ide.DiskText? text nil if the file cannot be read, or is translated
function M.read(bufnr)
  local path, like = api.nvim_buf_get_name(bufnr), vim.bo[bufnr]
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.type ~= 'file' or M.is_translated(bufnr) then
    return nil
  end
  local encoding = like.fileencoding ~= '' and '++enc=' .. like.fileencoding or ''
  local command = ('silent noautocmd 0read ++edit %s %s %s'):format(
    encoding,
    like.binary and '++bin' or '',
    vim.fn.fnameescape(path)
  )
  local scratch, text = api.nvim_create_buf(false, true), {}
  vim.bo[scratch].undolevels = -1
  local ok = pcall(function()
    api.nvim_buf_call(scratch, function()
      vim.cmd(command)
    end)
    -- The file is before the one line that an empty buffer has.
    text.lines = api.nvim_buf_get_lines(scratch, 0, -2, true)
    for _, name in ipairs(FORMAT) do
      text[name] = vim.bo[scratch][name]
    end
  end)
  window_close.buffer(scratch)
  return ok and text or nil
end

local change ---@type fun()?

--- Only for this module: lets an Ex command call the function.
function M._change()
  assert(change)()
end

-- Without `:lockmarks`, replaced lines lose their marks and their quickfix entries, although their
-- number stays the same.
local function with_marks(fn)
  local ok, err
  change = function()
    ok, err = pcall(fn)
  end
  vim.cmd("lockmarks lua require('claude_ide.file.edit')._change()")
  if not ok then
    error(err, 0)
  end
end

-- Replace lines with the same number of lines: only the part that differs, so that extended marks on the rest
-- of the line stay in place.
local function change_lines(bufnr, row, old, new)
  if #new > MOST_PAIRED then
    return api.nvim_buf_set_lines(bufnr, row, row + #old, true, new)
  end
  for index = #new, 1, -1 do
    local before, after = old[index], new[index]
    if before ~= after then
      local head, tail = rebase.common_ends(before, after, string.byte)
      local at, inserted = row + index - 1, { after:sub(head + 1, #after - tail) }
      api.nvim_buf_set_text(bufnr, at, head, at, #before - tail, inserted)
    end
  end
end

local function apply(bufnr, old, new, hunk)
  local first_old, count_old, first_new, count_new = unpack(hunk)
  local row = rebase.rows(first_old, count_old)
  local paired = math.min(count_old, count_new)
  if count_old ~= count_new then
    local added = vim.list_slice(new, first_new + paired, first_new + count_new - 1)
    api.nvim_buf_set_lines(bufnr, row + paired, row + count_old, true, added)
  end
  local before = vim.list_slice(old, first_old, first_old + paired - 1)
  local after = vim.list_slice(new, first_new, first_new + paired - 1)
  with_marks(function()
    change_lines(bufnr, row, before, after)
  end)
end

--- Make the next change start a new undo step (`:help undo-break`).
---@param bufnr integer
function M.break_undo(bufnr)
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
end

-- Make Neovim treat the buffer as equal to its file: store the file's time, and mark every other undo
-- state as modified. A `:write` does that even if an autocommand replaces the actual writing. Without
-- it, an undo would leave the buffer unmodified, and `:write` would ask about the changed file.
local function mark_written(bufnr)
  vim.bo[bufnr].modified = true
  local id = on('BufWriteCmd', bufnr, function()
    vim.bo[bufnr].modified = false
  end)
  local ok, err = pcall(api.nvim_buf_call, bufnr, function()
    vim.cmd('silent write!')
  end)
  pcall(api.nvim_del_autocmd, id)
  vim.fn['claude_ide#own_writes#Adopted'](bufnr)
  if not ok then
    error(err, 0)
  end
end

--- Make Neovim treat the text of a buffer as unsaved changes to the present text of its file.
---@param bufnr integer
function M.acknowledge(bufnr)
  local readonly = vim.bo[bufnr].readonly
  vim.bo[bufnr].readonly = false
  local ok, err = pcall(mark_written, bufnr)
  vim.bo[bufnr].modified, vim.bo[bufnr].readonly = true, readonly
  if not ok then
    error(err, 0)
  end
end

--- The lines as a buffer holds them: at least one.
---@type fun(lines: string[]): string[]
function M.in_buffer(lines)
  return #lines > 0 and lines or { '' }
end

--- Make the next change join the previous undo step. Does nothing after an undo.
---@param bufnr integer
function M.join_undo(bufnr)
  api.nvim_buf_call(bufnr, function()
    vim.cmd('silent! undojoin')
  end)
end

--- Replace a buffer's text in one undo step; only lines that differ are touched.
---@param bufnr integer
---@param lines string[] without any, the buffer becomes empty: one empty line would be written as a line end
---@param joins? boolean join the previous undo step
function M.change(bufnr, lines, joins)
  local begin = joins and M.join_undo or M.break_undo
  begin(bufnr)
  local old = api.nvim_buf_get_lines(bufnr, 0, -1, true)
  colouring.prepare(bufnr, lines)
  if #lines == 0 then
    api.nvim_buf_set_lines(bufnr, 0, -1, false, {})
  else
    local hunks = rebase.hunks(old, lines, { linematch = LINEMATCH })
    -- From the end, so that the line numbers of earlier hunks stay valid.
    for _, hunk in vim.iter(hunks):rev():enumerate() do
      apply(bufnr, old, lines, hunk)
    end
  end
  M.break_undo(bufnr)
end

--- Replace a buffer's text with `text`, just read from its file, and its options with those of the file.
--- The buffer is unmodified afterwards. If `lines` are given, the buffer holds these as unsaved changes
--- to `text`.
---
--- Raises an error if the buffer cannot be changed now.
---@param bufnr integer loaded
---@param text claude_ide.DiskText
---@param lines? string[]
function M.adopt(bufnr, text, lines)
  local options = vim.bo[bufnr]
  local modifiable, readonly = options.modifiable, options.readonly
  lines = lines or text.lines
  options.modifiable, options.readonly = true, false
  local ok, err = pcall(function()
    M.change(bufnr, lines)
    buffer_text.set_options(bufnr, FORMAT, text)
    mark_written(bufnr)
    options.modified = not vim.deep_equal(M.in_buffer(lines), M.in_buffer(text.lines))
  end)
  options.modifiable, options.readonly = modifiable, readonly
  if not ok then
    error(err, 0)
  end
end

return M
