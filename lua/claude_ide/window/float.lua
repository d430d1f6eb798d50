--- A float in the middle of the screen, to be read.
local plain = require('claude_ide.say.plain')
local quiet = require('claude_ide.say.quiet')
local window_close = require('claude_ide.window.close')

local M = {}

---@class claude_ide.FloatOptions
---@field title string
---@field keys? string[] what closes it besides `q` and <Esc>
---@field filetype? string
---@field zindex? integer

-- Quietly: an autocommand may fail.
local function open(bufnr, config)
  return quiet.run(function()
    return vim.api.nvim_open_win(bufnr, true, config)
  end)
end

--- Show lines until a key closes it, or the user leaves it.
---@param lines string[]
---@param options claude_ide.FloatOptions
---@return integer bufnr
function M.show(lines, options)
  lines = vim.tbl_map(plain.harmless, lines)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].modifiable = 'wipe', false
  if options.filetype then
    vim.bo[bufnr].filetype = options.filetype
  end
  local width = 0
  for _, line in ipairs(lines) do
    width = math.max(width, vim.api.nvim_strwidth(line))
  end
  width = math.max(1, math.min(width, vim.o.columns - 4))
  local height = math.max(1, math.min(#lines, vim.o.lines - 4))
  local window = open(bufnr, {
    relative = 'editor',
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = height,
    style = 'minimal',
    border = 'rounded',
    title = (' %s '):format(plain.one_line(options.title)),
    title_pos = 'center',
    zindex = options.zindex,
  })
  vim.wo[window].wrap = false
  local function close()
    pcall(window_close.window, window)
  end
  for _, key in ipairs(vim.list_extend({ 'q', '<Esc>' }, options.keys or {})) do
    vim.keymap.set('n', key, close, { buffer = bufnr, nowait = true })
  end
  vim.api.nvim_create_autocmd('WinLeave', { buffer = bufnr, once = true, callback = close })
  return bufnr
end

return M
