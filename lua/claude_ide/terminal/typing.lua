--- What the host needs to type prompts into terminals (`editor/typing.py`).
local M = {}

local api = vim.api

local RESIZED_MS = 200 -- for which a CLI sees another size

local function is_running(bufnr)
  return api.nvim_buf_is_valid(bufnr) and vim.fn.jobwait({ vim.bo[bufnr].channel }, 0)[1] == -1
end

--- The lowest rows of a terminal, without empty ones below; none once its program has ended.
---@type fun(bufnr: integer, most: integer): string[]
function M.read(bufnr, most)
  local rows = is_running(bufnr) and api.nvim_buf_get_lines(bufnr, 0, -1, false) or {}
  local lowest = #rows
  while rows[lowest] == '' and lowest > 1 do
    lowest = lowest - 1
  end
  return vim.list_slice(rows, math.max(1, lowest - most + 1), lowest)
end

--- Send keys to a terminal if it still shows these rows. Otherwise a dialog could get them.
---@param bufnr integer
---@param keys string
---@param seen string[] what `read` has returned
---@return boolean is_sent
function M.press(bufnr, keys, seen)
  local is_unchanged = vim.deep_equal(M.read(bufnr, #seen), seen)
  return is_unchanged and pcall(api.nvim_chan_send, vim.bo[bufnr].channel, keys)
end

--- Have a CLI draw its whole screen again. It does not if its terminal is resized and gets its old size at
--- once: it finds the size that it knows. So another size has to stay for a moment.
---@param bufnr integer
function M.redraw(bufnr)
  local function resize(by)
    local win = vim.fn.bufwinid(bufnr)
    local info = win > 0 and vim.fn.getwininfo(win)[1]
    if info then
      local columns, rows = info.width - info.textoff, math.max(1, info.height + by)
      pcall(vim.fn.jobresize, vim.bo[bufnr].channel, columns, rows)
    end
  end
  resize(-1)
  vim.defer_fn(function()
    resize(0)
  end, RESIZED_MS)
end

return M
