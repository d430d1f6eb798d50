--- Virtual lines of a file, such as those of diagnostics, are hidden while it is compared: they take rows,
--- and the two sides would no longer line up. Their extmarks stay, as plugins know them by their ids.
local M = {}

local api = vim.api

local PERIOD = 200 -- milliseconds: no event follows when a plugin has drawn
local FIELDS = { 'virt_lines', 'virt_lines_above', 'virt_lines_leftcol', 'virt_lines_overflow' }

---@class claude_ide.HiddenLines
---@field holders integer
---@field marks table<integer, table<integer, table>> the fields of each mark, by namespace and id

---@type table<integer, claude_ide.HiddenLines> by buffer
local hidden = {}
local timer ---@type uv.uv_timer_t?

-- Set an extmark again, where it is.
local function set(bufnr, mark, details)
  local id, row, column, before = unpack(mark)
  local options = vim.tbl_extend('force', details, { id = id })
  options.ns_id = nil
  api.nvim_buf_set_extmark(bufnr, before.ns_id, row, column, options)
end

local function hide_mark(bufnr, mark)
  local id, details = mark[1], vim.deepcopy(mark[4])
  local known = vim.tbl_get(hidden, bufnr, 'marks', details.ns_id) or {}
  hidden[bufnr].marks[details.ns_id], known[id] = known, {}
  for _, field in ipairs(FIELDS) do
    known[id][field], details[field] = details[field], nil
  end
  set(bufnr, mark, details)
end

-- Hide those between two positions as of `nvim_buf_get_extmarks()`.
local function hide_between(bufnr, first, last)
  local options = { details = true, type = 'virt_lines' }
  local marks = api.nvim_buf_get_extmarks(bufnr, -1, first, last, options)
  for _, mark in ipairs(marks) do
    -- One with a field that can only be read stays.
    pcall(hide_mark, bufnr, mark)
  end
end

-- Only those on the screen: a file may have very many marks.
local function hide_new()
  for bufnr in pairs(hidden) do
    for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
      local info = vim.fn.getwininfo(win)[1]
      hide_between(bufnr, { info.topline - 1, 0 }, { info.botline - 1, -1 })
    end
  end
end

-- The plugin may have removed the mark, or drawn it again.
local function restore(bufnr, namespace, id, fields)
  local row, column, details =
    unpack(api.nvim_buf_get_extmark_by_id(bufnr, namespace, id, { details = true }))
  if row and not details.virt_lines then
    set(bufnr, { id, row, column, details }, vim.tbl_extend('force', details, fields))
  end
end

--- Hide the virtual lines of a buffer, until `show` is called as often.
---@param bufnr integer loaded
function M.hide(bufnr)
  hidden[bufnr] = hidden[bufnr] or { holders = 0, marks = {} }
  hidden[bufnr].holders = hidden[bufnr].holders + 1
  hide_between(bufnr, 0, -1)
  if not timer then
    timer = assert(vim.uv.new_timer())
    timer:start(PERIOD, PERIOD, vim.schedule_wrap(hide_new))
  end
end

--- Show them again.
---@param bufnr integer
function M.show(bufnr)
  local record = hidden[bufnr]
  record.holders = record.holders - 1
  if record.holders > 0 then
    return
  end
  hidden[bufnr] = nil
  if timer and not next(hidden) then
    timer:close()
    timer = nil
  end
  if not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  for namespace, marks in pairs(record.marks) do
    for id, fields in pairs(marks) do
      restore(bufnr, namespace, id, fields)
    end
  end
end

return M
