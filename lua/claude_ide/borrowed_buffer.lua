--- Buffers loaded only to be looked at: afterwards they are as they were.
local buffers = require('claude_ide.buffers')
local loading = require('claude_ide.loading')

local M = {}

---@class claude_ide.BorrowedBuffer
---@field bufnr integer
---@field holders integer
---@field known boolean whether it existed
---@field loaded boolean
---@field listed boolean
---@field last_position integer[] the mark '"'
---@field changedtick integer once loaded

---@type table<integer, claude_ide.BorrowedBuffer>
local borrowed = {}

local function empty()
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].modifiable = false
  return bufnr
end

--- The buffer of a file, to be shown by `show`; an empty one for a file that does not exist.
---@param path string
---@param show fun(bufnr: integer) puts the buffer into a window, which loads it
---@return integer bufnr
function M.take(path, show)
  local found = buffers.find(path)
  if not (found and found.loaded) and not vim.uv.fs_stat(path) then
    local bufnr = empty()
    show(bufnr)
    return bufnr
  end
  local bufnr = found and found.bufnr or vim.fn.bufadd(vim.fn.fnamemodify(path, ':.'))
  local _, reason = loading.without_dialog(function()
    show(bufnr)
  end)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    error(reason or 'the file cannot be loaded', 0)
  end
  if borrowed[bufnr] then
    borrowed[bufnr].holders = borrowed[bufnr].holders + 1
    return bufnr
  end
  borrowed[bufnr] = {
    bufnr = bufnr,
    holders = 1,
    known = found ~= nil,
    loaded = found ~= nil and found.loaded,
    listed = found ~= nil and found.listed,
    last_position = vim.api.nvim_buf_get_mark(bufnr, '"'),
    changedtick = vim.api.nvim_buf_get_changedtick(bufnr),
  }
  return bufnr
end

-- Changed or shown by the user, it is theirs.
local function is_adopted(buffer)
  local bufnr = buffer.bufnr
  return #vim.fn.win_findbuf(bufnr) > 0
    or vim.bo[bufnr].modified
    or vim.api.nvim_buf_get_changedtick(bufnr) ~= buffer.changedtick
end

--- Give a buffer back, once no window of ours shows it any more.
---@param bufnr integer
function M.give_back(bufnr)
  local buffer = borrowed[bufnr]
  if not buffer then
    return
  end
  buffer.holders = buffer.holders - 1
  if buffer.holders > 0 then
    return
  end
  borrowed[bufnr] = nil
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  elseif buffer.loaded then
    local line, column = unpack(buffer.last_position)
    pcall(vim.api.nvim_buf_set_mark, bufnr, '"', line, column, {})
  elseif is_adopted(buffer) then
    vim.bo[bufnr].buflisted = true
  else
    vim.api.nvim_buf_delete(bufnr, { unload = buffer.known })
    if buffer.known then
      vim.bo[bufnr].buflisted = buffer.listed
    end
  end
end

return M
