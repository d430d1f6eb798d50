--- Centred floats, and hidden floats that keep a buffer in a window.
local autocommands = require('claude_ide.messages.autocommands')
local plain = require('claude_ide.messages.plain')
local quiet = require('claude_ide.messages.quiet')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_window_float')

-- Of the screen, around a text.
local MARGIN = 4

---@class claude_ide.FloatOptions
---@field title string
---@field keys? string[] close the float, in addition to `q` and <Esc>
---@field filetype? string
---@field zindex? integer
---@field wrap? boolean whether long lines are wrapped, rather than cut

---@class claude_ide.FloatGeometry
---@field relative 'editor'
---@field row integer
---@field col integer
---@field width integer
---@field height integer

--- The geometry of a centred float with a border. It shrinks to fit the screen, and never covers the
--- command line.
---@param width integer wanted columns, without the border
---@param height integer wanted rows, without the border
---@return claude_ide.FloatGeometry
function M.centred(width, height)
  -- The border needs two columns and two rows.
  local columns, lines = vim.o.columns - 2, vim.o.lines - vim.o.cmdheight - 2
  width = math.max(1, math.min(width, columns))
  height = math.max(1, math.min(height, lines))
  return {
    relative = 'editor',
    row = math.max(0, math.floor((lines - height) / 2)),
    col = math.max(0, math.floor((columns - width) / 2)),
    width = width,
    height = height,
  }
end

--- The width of the widest line of a text.
---@param lines string[]
---@return integer columns
function M.widest(lines)
  return vim.iter(lines):fold(0, function(width, line)
    return math.max(width, api.nvim_strwidth(line))
  end)
end

--- The rows that lines need in a window that wraps them.
---@param lines string[]
---@param width integer columns
---@return integer
function M.rows(lines, width)
  return vim.iter(lines):fold(0, function(rows, line)
    return rows + math.max(1, math.ceil(api.nvim_strwidth(line) / width))
  end)
end

--- Open a float with a border, and enter it. Errors in autocommands are silenced.
---@param bufnr integer
---@param config vim.api.keyset.win_config geometry and titles
---@return integer win
function M.open(bufnr, config)
  config = vim.tbl_extend('force', { border = 'rounded', style = 'minimal' }, config)
  return quiet.run(function()
    return api.nvim_open_win(bufnr, true, config)
  end) --[[@as integer]]
end

--- Open a hidden window.
---@param bufnr integer
---@return integer win
function M.hidden(bufnr)
  return api.nvim_open_win(bufnr, false, {
    relative = 'editor',
    row = 0,
    col = 0,
    width = 1,
    height = 1,
    focusable = false,
    hide = true,
    noautocmd = true,
  })
end

--- Call `fit` whenever the screen changes its size, until the window is closed.
---@type fun(win: integer, fit: fun())
function M.follow_screen(win, fit)
  on('VimResized', nil, function()
    if not api.nvim_win_is_valid(win) then
      return true
    end
    fit()
  end)
end

--- Show lines in a centred float, until a key closes it or the user leaves it.
---@param lines string[]
---@param options claude_ide.FloatOptions
---@return integer bufnr
function M.show(lines, options)
  lines = vim.tbl_map(plain.harmless, lines)
  local bufnr = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].modifiable = 'wipe', false
  if options.filetype then
    vim.bo[bufnr].filetype = options.filetype
  end
  local width = math.min(M.widest(lines), vim.o.columns - MARGIN)
  local rows = options.wrap and M.rows(lines, width) or #lines
  local geometry = M.centred(width, math.min(rows, vim.o.lines - MARGIN))
  local title = (' %s '):format(plain.one_line(options.title))
  local about = { title = title, title_pos = 'center', zindex = options.zindex }
  local win = M.open(bufnr, vim.tbl_extend('error', geometry, about))
  vim.wo[win].wrap, vim.wo[win].linebreak = options.wrap == true, false
  local function close()
    pcall(window_close.window, win)
  end
  for _, key in ipairs(vim.list_extend({ 'q', '<Esc>' }, options.keys or {})) do
    vim.keymap.set('n', key, close, { buffer = bufnr, nowait = true })
  end
  on('WinLeave', bufnr, close, { once = true })
  return bufnr
end

return M
