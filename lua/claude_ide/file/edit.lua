--- Replaces a buffer's text with the text on disk as an edit would: in one undo step. Folds and the cursor
--- stay in place where nothing changes, and only removed lines lose their marks.
local colouring = require('claude_ide.colouring')
local file_path = require('claude_ide.file.path')
local rebase = require('claude_ide.file.rebase')
local window_close = require('claude_ide.window.close')

local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_file_edit', { clear = true })

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

-- `:0read` puts the file before the one line that an empty buffer has.
---@return claude_ide.DiskText
local function read_into(scratch, path, like)
  local encoding = like.fileencoding ~= '' and '++enc=' .. like.fileencoding or ''
  local binary = like.binary and '++bin' or ''
  vim.api.nvim_buf_call(scratch, function()
    local command = 'silent noautocmd 0read ++edit %s %s %s'
    vim.cmd(command:format(encoding, binary, vim.fn.fnameescape(path)))
  end)
  local options = vim.bo[scratch]
  return {
    lines = vim.api.nvim_buf_get_lines(scratch, 0, -2, true),
    fileformat = options.fileformat,
    fileencoding = options.fileencoding,
    bomb = options.bomb,
    endofline = options.endofline,
  }
end

--- Whether a plugin makes the text of a buffer from its file, or the file from the text. Only Neovim can then
--- read the file again: the plugin's autocommands have to run.
---@param bufnr integer
---@return boolean
function M.is_translated(bufnr)
  return file_path.reader(vim.api.nvim_buf_get_name(bufnr)) ~= nil
    or #vim.api.nvim_get_autocmds({ event = 'BufWriteCmd', buffer = bufnr }) > 0
end

--- Read a buffer's file as `:edit` would, in the buffer's encoding.
---@param bufnr integer
---@return claude_ide.DiskText? text nil if the file cannot be read, or is translated
function M.read(bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.type ~= 'file' or M.is_translated(bufnr) then
    return nil
  end
  local scratch = vim.api.nvim_create_buf(false, true)
  vim.bo[scratch].undolevels = -1
  local ok, text = pcall(read_into, scratch, path, vim.bo[bufnr])
  window_close.buffer(scratch)
  return ok and text or nil
end

-- Replaces only the part that differs, so that extended marks on the rest of the line stay in place.
local function change_line(bufnr, row, old, new)
  if old ~= new then
    local head, tail = rebase.common_ends(old, new, string.byte)
    local inserted = { new:sub(head + 1, #new - tail) }
    vim.api.nvim_buf_set_text(bufnr, row, head, row, #old - tail, inserted)
  end
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
  change = nil
  if not ok then
    error(err, 0)
  end
end

-- Replace lines with the same number of lines.
local function change_lines(bufnr, row, old, new)
  if #new > MOST_PAIRED then
    return vim.api.nvim_buf_set_lines(bufnr, row, row + #old, true, new)
  end
  for index = #new, 1, -1 do
    change_line(bufnr, row + index - 1, old[index], new[index])
  end
end

local function apply(bufnr, old, new, hunk)
  local first_old, count_old, first_new, count_new = unpack(hunk)
  -- For an insertion, the hunk names the line before it.
  local row = count_old == 0 and first_old or first_old - 1
  local paired = math.min(count_old, count_new)
  if count_old ~= count_new then
    local added = vim.list_slice(new, first_new + paired, first_new + count_new - 1)
    vim.api.nvim_buf_set_lines(bufnr, row + paired, row + count_old, true, added)
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
  local id = vim.api.nvim_create_autocmd('BufWriteCmd', {
    group = augroup,
    buffer = bufnr,
    callback = function()
      vim.bo[bufnr].modified = false
    end,
  })
  local ok, err = pcall(vim.api.nvim_buf_call, bufnr, function()
    vim.cmd('silent write!')
  end)
  pcall(vim.api.nvim_del_autocmd, id)
  if not ok then
    error(err, 0)
  end
end

--- The lines as a buffer holds them: at least one.
---@param lines string[]
---@return string[]
function M.in_buffer(lines)
  return #lines > 0 and lines or { '' }
end

--- Make the next change join the previous undo step. Does nothing after an undo.
---@param bufnr integer
function M.join_undo(bufnr)
  vim.api.nvim_buf_call(bufnr, function()
    vim.cmd('silent! undojoin')
  end)
end

--- Replace a buffer's text in one undo step; only lines that differ are touched.
---@param bufnr integer
---@param lines string[]
---@param joins? boolean join the previous undo step
function M.change(bufnr, lines, joins)
  local begin = joins and M.join_undo or M.break_undo
  begin(bufnr)
  local old = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local new = M.in_buffer(lines)
  colouring.prepare(bufnr, new)
  -- From the end, so that the line numbers of earlier hunks stay valid.
  for _, hunk in vim.iter(rebase.hunks(old, new, { linematch = LINEMATCH })):rev():enumerate() do
    apply(bufnr, old, new, hunk)
  end
  M.break_undo(bufnr)
end

--- Like `change`, but without lines the buffer becomes empty: one empty line would be written as a line end.
---@param bufnr integer
---@param lines string[]
---@param joins? boolean
function M.set_lines(bufnr, lines, joins)
  if #lines > 0 then
    return M.change(bufnr, lines, joins)
  end
  M.break_undo(bufnr)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, {})
  M.break_undo(bufnr)
end

local function replace(bufnr, text, lines)
  M.change(bufnr, lines)
  for _, name in ipairs(FORMAT) do
    vim.bo[bufnr][name] = text[name]
  end
  mark_written(bufnr)
  vim.bo[bufnr].modified = not vim.deep_equal(M.in_buffer(lines), M.in_buffer(text.lines))
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
  options.modifiable, options.readonly = true, false
  local ok, err = pcall(replace, bufnr, text, lines or text.lines)
  options.modifiable, options.readonly = modifiable, readonly
  if not ok then
    error(err, 0)
  end
end

return M
