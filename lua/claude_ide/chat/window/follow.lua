--- Windows that follow the end of a transcript: those whose cursor is on its last line.
local M = {}

-- In Visual mode and during a search the cursor marks what the user looks at, so it must not move.
local function is_held(win)
  if win ~= vim.api.nvim_get_current_win() then
    return false
  end
  local mode = vim.fn.mode(1)
  if mode:find('^c') then
    return vim.fn.getcmdtype():find('[/?]') ~= nil
  end
  return mode:find('^[vVsS\22\19]') ~= nil
end

--- The windows that follow the end now.
---@param bufnr integer
---@return integer[] wins
function M.windows(bufnr)
  local last = vim.api.nvim_buf_line_count(bufnr)
  return vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_cursor(win)[1] == last and not is_held(win)
  end, vim.fn.win_findbuf(bufnr))
end

local namespace = vim.api.nvim_create_namespace('claude_ide_chat_follow')

---@class claude_ide.HeldView
---@field win integer
---@field cursor integer mark
---@field below_top? integer mark of the second line, because the first one may be removed

--- Mark the lines that windows show. Neovim itself keeps a window at the first line if lines are inserted
--- above it.
---@param bufnr integer
---@return claude_ide.HeldView[]
function M.hold(bufnr)
  local function mark(row)
    local is_there = row < vim.api.nvim_buf_line_count(bufnr)
    return is_there and vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {}) or nil
  end
  return vim.tbl_map(function(win)
    return {
      win = win,
      cursor = mark(vim.api.nvim_win_get_cursor(win)[1] - 1),
      below_top = mark(vim.fn.line('w0', win)),
    }
  end, vim.fn.win_findbuf(bufnr))
end

--- Show the lines again that `hold` has marked.
---@param bufnr integer
---@param views claude_ide.HeldView[]
function M.restore(bufnr, views)
  local function line(id)
    return id and vim.api.nvim_buf_get_extmark_by_id(bufnr, namespace, id, {})[1] + 1
  end
  for _, view in ipairs(views) do
    local lnum, below = line(view.cursor), line(view.below_top)
    vim.api.nvim_win_call(view.win, function()
      vim.fn.winrestview({ lnum = lnum, topline = below and below - 1 or nil })
    end)
  end
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
end

-- By how many rows the end of the text is below a window, because Neovim has shown the beginning of a
-- paragraph that is higher than the window, or because virtual lines have appeared. Negative if there is a
-- gap below it that lines above could fill.
local function distance(win)
  local view = vim.api.nvim_win_call(win, vim.fn.winsaveview)
  local start = { start_row = view.topline - 1, start_vcol = view.skipcol }
  local height = vim.api.nvim_win_get_height(win) - (vim.wo[win].winbar ~= '' and 1 or 0)
  local rows = vim.api.nvim_win_text_height(win, start).all - height
  return (rows < 0 and view.topline == 1 and view.skipcol == 0) and 0 or rows
end

--- Show the end of a buffer in a window.
---@param win integer
function M.go_to_end(win)
  local bufnr = vim.api.nvim_win_get_buf(win)
  local last = vim.api.nvim_buf_line_count(bufnr)
  local text = vim.api.nvim_buf_get_lines(bufnr, last - 1, last, false)[1]
  local far = last - vim.api.nvim_win_get_cursor(win)[1] >= vim.api.nvim_win_get_height(win) / 2
  -- To the last column: the end of a paragraph that wraps is what is new.
  vim.api.nvim_win_set_cursor(win, { last, #text })
  if not far and distance(win) == 0 then
    return
  end
  vim.api.nvim_win_call(win, function()
    -- Otherwise the end would be in the middle of the window. With 'smoothscroll', `zb` alone leaves the
    -- cursor below the visible lines of a window that is not the current one.
    vim.cmd('keepjumps normal! ztzb')
    for _ = 1, distance(win) do
      vim.cmd('keepjumps normal! \5')
    end
  end)
  -- If the last line is higher than the window, `zt` and `zb` leave the cursor in it, but not at its end.
  vim.api.nvim_win_set_cursor(win, { last, #text })
end

--- Show the end of a buffer in its windows, which then follow it, unless the cursor must not move there.
---@param bufnr integer
function M.follow(bufnr)
  vim.iter(vim.fn.win_findbuf(bufnr)):each(function(win)
    if not is_held(win) then
      M.go_to_end(win)
    end
  end)
end

return M
