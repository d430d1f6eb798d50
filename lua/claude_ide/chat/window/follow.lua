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

--- The views of the windows with a buffer.
---@param bufnr integer
---@return table<integer, vim.fn.winsaveview.ret> by window
function M.views(bufnr)
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    views[win] = vim.api.nvim_win_call(win, vim.fn.winsaveview)
  end
  return views
end

-- Where a line is after edits.
local function moved(line, edits)
  for _, edit in ipairs(edits) do
    if edit.first < line then
      line = math.max(line + #edit.lines - (edit.last - edit.first), edit.first + 1)
    end
  end
  return line
end

--- Show the same lines again, after edits above them. Neovim itself keeps a window at the first line if lines
--- are inserted above it.
---@param views table<integer, vim.fn.winsaveview.ret> by window
---@param edits claude_ide.ChatEdit[]
function M.restore(views, edits)
  for win, view in pairs(views) do
    view.lnum, view.topline = moved(view.lnum, edits), moved(view.topline, edits)
    vim.api.nvim_win_call(win, function()
      vim.fn.winrestview(view)
    end)
  end
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
