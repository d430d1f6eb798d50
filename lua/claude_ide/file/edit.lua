--- What is on disk becomes a buffer's text as by an edit of the user: one step to undo. Folds and the
--- cursor stay where nothing changes, and only lines that are removed lose their marks.
local colouring = require('claude_ide.colouring')
local rebase = require('claude_ide.file.rebase')
local window_close = require('claude_ide.window.close')

local M = {}

local LINEMATCH = 60
-- Of one hunk; replacing more lines one by one takes too long.
local MOST_PAIRED = 1000
local FORMAT = { 'fileformat', 'fileencoding', 'bomb', 'endofline' }

---@class claude_ide.DiskText
---@field lines string[]
---@field fileformat string
---@field fileencoding string
---@field bomb boolean
---@field endofline boolean

-- `:read` puts the file before the one line that an empty buffer has.
local function read_into(scratch, path, like)
  local encoding = like.fileencoding ~= '' and '++enc=' .. like.fileencoding or ''
  local binary = like.binary and '++bin' or ''
  vim.api.nvim_buf_call(scratch, function()
    local command = 'silent noautocmd 0read ++edit %s %s %s'
    vim.cmd(command:format(encoding, binary, vim.fn.fnameescape(path)))
  end)
  local text = { lines = vim.api.nvim_buf_get_lines(scratch, 0, -2, true) }
  for _, name in ipairs(FORMAT) do
    text[name] = vim.bo[scratch][name]
  end
  return text
end

--- Read a buffer's file as `:edit` would, in the buffer's encoding.
---@param bufnr integer
---@return claude_ide.DiskText? text nil when the file cannot be read
function M.read(bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.type ~= 'file' then
    return nil
  end
  local scratch = vim.api.nvim_create_buf(false, true)
  vim.bo[scratch].undolevels = -1
  local ok, text = pcall(read_into, scratch, path, vim.bo[bufnr])
  window_close.buffer(scratch)
  return ok and text or nil
end

-- Only what differs, so that extended marks on the rest of the line stay where they are.
local function change_line(bufnr, row, old, new)
  if old ~= new then
    local head, tail = rebase.common_ends(old, new, string.byte)
    local inserted = { new:sub(head + 1, #new - tail) }
    vim.api.nvim_buf_set_text(bufnr, row, head, row, #old - tail, inserted)
  end
end

local change ---@type fun()?

--- Only for this module: how an Ex command gets at a function.
function M._change()
  change()
end

-- Neovim drops the marks of lines that are replaced, though their number stays the same, and entries
-- of the quickfix list with them.
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

-- As many lines as before.
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
  -- An insertion comes after the line that it names.
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

--- The next change begins a step of its own in the undo history (`:help undo-break`).
---@param bufnr integer
function M.break_undo(bufnr)
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
end

-- Tell Neovim that buffer and file are the same: the file's time, and that every other state of the
-- undo history differs from it. A `:write` does so, also one that an autocommand carries out.
local function mark_written(bufnr)
  vim.bo[bufnr].modified = true
  local id = vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = bufnr,
    callback = function()
      vim.bo[bufnr].modified = false
    end,
  })
  local ok, err = pcall(vim.api.nvim_buf_call, bufnr, function()
    vim.cmd('silent write!')
  end)
  vim.api.nvim_del_autocmd(id)
  if not ok then
    error(err, 0)
  end
end

--- The lines as a buffer has them: one at least.
---@param lines string[]
---@return string[]
function M.in_buffer(lines)
  return #lines > 0 and lines or { '' }
end

-- After an undo there is nothing to join.
local function join_undo(bufnr)
  vim.api.nvim_buf_call(bufnr, function()
    vim.cmd('silent! undojoin')
  end)
end

local listeners = {} ---@type table<fun(bufnr: integer), true>

--- Call `fn` with each buffer whose text is about to be replaced.
---@param fn fun(bufnr: integer)
function M.subscribe(fn)
  listeners[fn] = true
end

---@param fn fun(bufnr: integer)
function M.unsubscribe(fn)
  listeners[fn] = nil
end

--- Make these lines the buffer's, as one step to undo.
---@param bufnr integer
---@param lines string[]
---@param joins? boolean the step before goes on
function M.change(bufnr, lines, joins)
  for fn in pairs(listeners) do
    fn(bufnr)
  end
  local begin = joins and join_undo or M.break_undo
  begin(bufnr)
  local old = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local new = M.in_buffer(lines)
  colouring.prepare(bufnr, new)
  -- From the end, so that the line numbers before stay true.
  for _, hunk in vim.iter(rebase.hunks(old, new, { linematch = LINEMATCH })):rev():enumerate() do
    apply(bufnr, old, new, hunk)
  end
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

--- Make `text`, just read from the buffer's file, the buffer's own; unmodified afterwards. With
--- `lines` the buffer holds these instead, as unsaved changes to that text.
---
--- Raises an error when the buffer cannot be changed now.
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
