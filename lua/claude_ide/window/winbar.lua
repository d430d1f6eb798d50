--- The plugin's winbars. Some other plugins keep setting the winbar of every window. If one replaces
--- ours, we let it, and show the same text as virtual text in the window.
local plain = require('claude_ide.messages.plain')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_winbar')

---@class claude_ide.OwnWinbar
---@field bufnr integer the winbar is meant for this buffer only
---@field value string our 'winbar'
---@field substitute claude_ide.WinbarSubstitute
---@field shown? { bufnr: integer, row: integer, text: table } the current virtual text

---@class claude_ide.WinbarSubstitute
---@field chunks fun(columns: integer): claude_ide.Chunks[] rows of text; may be empty
---@field below? integer show the text below the last line of this buffer; default: at the end of a
---  line

---@type table<integer, claude_ide.OwnWinbar> by window
local bars = {}
local is_update_scheduled = false

local function is_replaced(win, bar)
  return api.nvim_win_is_valid(win)
    and api.nvim_win_get_buf(win) == bar.bufnr
    and vim.wo[win].winbar ~= bar.value
end

--- A highlight group as a winbar can name it.
---@type fun(name?: string): string
function M.group(name)
  return ((name or 'WinBar'):gsub('[^%w_.@-]', ''))
end

--- The width of a row of text, in columns.
---@type fun(chunks: claude_ide.Chunks): integer
function M.width(chunks)
  local width = 0
  for _, chunk in ipairs(chunks) do
    width = width + api.nvim_strwidth(chunk[1])
  end
  return width
end

--- A chunk of text for 'statusline' or 'winbar', escaped so that nothing in it is evaluated.
---@type fun(text: string, group?: string): string
function M.part(text, group)
  return ('%%#%s#%s'):format(M.group(group), plain.status_line(text))
end

-- In a window: the first visible line with that much room at its end, else the one with the most room.
---@return integer line
---@return integer room columns
local function roomiest(columns, width)
  local best, most = vim.fn.line('w0'), -math.huge
  for line = best, vim.fn.line('w$') do
    local room = columns - vim.fn.virtcol({ line, '$' })
    if most < width and room > most and vim.fn.foldclosed(line) == -1 then
      best, most = line, room
    end
  end
  return best, most
end

local function draw(win, bar)
  local info, below = vim.fn.getwininfo(win)[1], bar.substitute.below
  local columns = info.width - info.textoff
  local rows = bar.substitute.chunks(columns)
  if #rows == 0 or (below and not api.nvim_buf_is_valid(below)) then
    return nil
  elseif below then
    return { bufnr = below, row = api.nvim_buf_line_count(below) - 1, text = { virt_lines = rows } }
  end
  local line, room = unpack(api.nvim_win_call(win, function()
    return { roomiest(columns, M.width(rows[1])) }
  end))
  if room < M.width(rows[1]) then
    rows = bar.substitute.chunks(math.max(room, 0))
  end
  local text = { virt_text = rows[1], virt_text_pos = 'right_align' }
  return { bufnr = bar.bufnr, row = line - 1, text = text }
end

local function update(win, bar)
  local shown, wanted = bar.shown, is_replaced(win, bar) and draw(win, bar) or nil
  if vim.deep_equal(wanted, shown) then
    return
  elseif shown and api.nvim_buf_is_valid(shown.bufnr) then
    api.nvim_buf_del_extmark(shown.bufnr, namespace, win)
  end
  bar.shown = wanted
  if wanted then
    local options = vim.tbl_extend('error', wanted.text, { id = win, priority = 300 })
    api.nvim_buf_set_extmark(wanted.bufnr, namespace, wanted.row, 0, options)
  end
end

local function update_all()
  is_update_scheduled = false
  for win, bar in pairs(bars) do
    -- A winbar that fails is dropped: the error would recur with every redraw, and cause the next one.
    if not (pcall(update, win, bar) and api.nvim_win_is_valid(win)) then
      bars[win] = nil
    end
  end
  if next(bars) == nil then
    api.nvim_set_decoration_provider(namespace, {})
  end
end

-- Not every way of setting an option triggers an event, but every replaced winbar is drawn.
local function on_redraw()
  if is_update_scheduled then
    return
  end
  for win, bar in pairs(bars) do
    if bar.shown or not api.nvim_win_is_valid(win) or is_replaced(win, bar) then
      is_update_scheduled = true
      return vim.schedule(update_all)
    end
  end
end

--- Set a window's winbar for as long as it shows its current buffer. A winbar of ours that another
--- plugin has replaced is not set again: the plugin would only replace it once more.
---@param win integer
---@param value string
---@param substitute claude_ide.WinbarSubstitute shown while the winbar is replaced
function M.set(win, value, substitute)
  local bar, bufnr = bars[win], api.nvim_win_get_buf(win)
  local is_theirs = bar ~= nil and bar.bufnr == bufnr and is_replaced(win, bar)
  local shown = bar and bar.shown
  bars[win] = { bufnr = bufnr, value = value, substitute = substitute, shown = shown }
  if not is_theirs and vim.wo[win].winbar ~= value then
    -- The local scope covers the current buffer only; another buffer in this window gets no winbar
    -- of ours.
    api.nvim_set_option_value('winbar', value, { win = win, scope = 'local' })
  end
  api.nvim_set_decoration_provider(namespace, { on_start = on_redraw })
end

return M
