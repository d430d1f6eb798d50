--- `:ClaudeKernel`: its buffer, with the code that ran, cell marks, and what came out, as comments, a script
--- that could run again; and what the choice of a kernel depends on.
local autocommands = require('claude_ide.messages.autocommands')
local colouring = require('claude_ide.colouring')
local label = require('claude_ide.window.label')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local editors = require('claude_ide.editors')
local plain = require('claude_ide.messages.plain')
local quiet = require('claude_ide.messages.quiet')

local M = {}

local api = vim.api

local MOST_LINES = 20000
local HIGHEST = 20 -- lines of an image
local MARK, OUT = '# %%', '#>'
local WORDS = { stderr = 'stderr: ', error = '', note = '', image = 'image: ' }
local GROUPS = { error = 'DiagnosticError', note = 'DiagnosticWarn', stderr = 'DiagnosticWarn' }

local on = autocommands.group('claude_ide_jupyter')
local marks = api.nvim_create_namespace('claude_ide_kernel')
local image_marks = api.nvim_create_namespace('claude_ide_kernel_images')
local buffer ---@type integer?

---@type table<integer, integer> by token: the mark of the end of a run's code
local runs = {}

---@class claude_ide.SavedImage
---@field path string
---@field placement? table of snacks.nvim: it is in all windows
---@field by_window table<integer, table> images of image.nvim

local images = {} ---@type table<integer, claude_ide.SavedImage> by mark

---@class claude_ide.RunEntry
---@field title string
---@field filetype string
---@field code string

---@class claude_ide.RunOutput
---@field kind 'stdout'|'stderr'|'value'|'display'|'error'|'image'|'note'
---@field text string the text, or the path of an image

-- The row of an image; nil if it is gone.
local function row_of(mark)
  local options = { details = true }
  local found = api.nvim_buf_get_extmark_by_id(buffer, image_marks, mark, options)
  return found[1] and not found[3].invalid and found[1] or nil
end

local function by_snacks(plugin, image, row)
  local options = { inline = true, pos = { row + 1, 0 }, max_height = HIGHEST }
  image.placement = image.placement or plugin.placement.new(buffer, image.path, options) or {}
end

local function by_image_nvim(plugin, image, row)
  for _, win in ipairs(vim.fn.win_findbuf(buffer)) do
    local options = { buffer = buffer, window = win, x = 0, y = row }
    options.inline, options.with_virtual_padding = true, true
    image.by_window[win] = image.by_window[win] or plugin.from_file(image.path, options)
    image.by_window[win]:render()
  end
end

-- Show the saved images, where snacks.nvim or image.nvim is loaded and can. Neither does so in a buffer
-- without a window. A plugin that fails leaves the image as the path of a file.
local function show_images()
  local snacks, image_nvim = package.loaded['snacks'], package.loaded['image']
  if not next(images) or #vim.fn.win_findbuf(buffer) == 0 then
    return
  end
  local can_snacks = snacks and snacks.image and snacks.image.supports_terminal()
  local show = can_snacks and by_snacks or image_nvim and by_image_nvim
  for mark, image in pairs(show and images or {}) do
    local row = row_of(mark)
    if row then
      pcall(show, can_snacks and snacks.image or image_nvim, image, row)
    end
  end
end

local function show_images_soon()
  local show = vim.schedule_wrap(function()
    pcall(show_images)
  end)
  -- Otherwise snacks.nvim would block Neovim until the terminal has answered what it is. An older one has
  -- no such function.
  if not pcall(function()
    package.loaded['snacks'].image.terminal.detect(show)
  end) then
    show()
  end
end

-- Remove the images whose lines are gone.
local function tidy()
  for mark, image in pairs(images) do
    if not row_of(mark) then
      images[mark] = nil
      pcall(function()
        image.placement:close()
      end)
      for _, shown in pairs(image.by_window) do
        pcall(shown.clear, shown)
      end
    end
  end
end

local function get(filetype)
  if buffer and api.nvim_buf_is_loaded(buffer) then
    return buffer
  end
  buffer = api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden, vim.bo[buffer].modifiable = 'hide', false
  label.give(buffer, 'claude-kernel', 'Claude kernel')
  colouring.set_filetype(buffer, filetype)
  runs, images = {}, {}
  on('BufWinEnter', buffer, show_images_soon)
  return buffer
end

-- Windows whose cursor is on the last line follow the end.
local function change(bufnr, edit)
  local last = api.nvim_buf_line_count(bufnr)
  local following = vim.tbl_filter(function(win)
    return api.nvim_win_get_cursor(win)[1] == last
  end, vim.fn.win_findbuf(bufnr))
  vim.bo[bufnr].modifiable = true
  local ok, err = pcall(edit)
  vim.bo[bufnr].modifiable, vim.bo[bufnr].modified = false, false
  for _, win in ipairs(following) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(bufnr), 0 })
  end
  if not ok then
    error(err, 0)
  end
end

local function insert(bufnr, row, lines)
  local around = api.nvim_buf_get_lines(bufnr, 0, -1, false)
  colouring.prepare(bufnr, vim.list_extend(around, lines))
  api.nvim_buf_set_lines(bufnr, row, row, false, lines)
end

local function forget_beginning(bufnr)
  local over = api.nvim_buf_line_count(bufnr) - MOST_LINES
  if over > 0 then
    api.nvim_buf_set_lines(bufnr, 0, over, false, {})
    tidy()
  end
end

--- Append code that begins to run.
---@type fun(token: integer, entry: claude_ide.RunEntry)
function M.begin(token, entry)
  local bufnr = get(entry.filetype)
  local lines = { ('%s %s'):format(MARK, plain.one_line(entry.title)) }
  vim.list_extend(lines, plain.lines((entry.code:gsub('\n+$', ''))))
  table.insert(lines, '')
  change(bufnr, function()
    local last = api.nvim_buf_line_count(bufnr)
    insert(bufnr, last - 1, lines)
    runs[token] = api.nvim_buf_set_extmark(bufnr, marks, last - 1 + #lines - 1, 0, {
      virt_text = { { 'running…', 'Comment' } },
      right_gravity = false,
    })
    forget_beginning(bufnr)
  end)
end

local function add_output(bufnr, row, output)
  local text = (WORDS[output.kind] or '') .. output.text
  local lines = vim.tbl_map(function(line)
    return line == '' and OUT or ('%s %s'):format(OUT, line)
  end, plain.lines(text))
  insert(bufnr, row, lines)
  if GROUPS[output.kind] then
    api.nvim_buf_set_extmark(bufnr, marks, row, 0, {
      end_row = row + #lines,
      hl_group = GROUPS[output.kind],
    })
  end
  if output.kind == 'image' then
    local at = row + #lines - 1
    local options = { end_row = at + 1, invalidate = true, undo_restore = false, strict = false }
    local mark = api.nvim_buf_set_extmark(bufnr, image_marks, at, 0, options)
    images[mark] = { path = output.text, by_window = {} }
  end
  return row + #lines
end

--- Add what has come out of a run.
---@type fun(token: integer, outputs: claude_ide.RunOutput[])
function M.finish(token, outputs)
  local mark = runs[token]
  runs[token] = nil
  if not (mark and buffer and api.nvim_buf_is_loaded(buffer)) then
    return
  end
  local bufnr = buffer
  local row = api.nvim_buf_get_extmark_by_id(bufnr, marks, mark, {})[1]
  api.nvim_buf_del_extmark(bufnr, marks, mark)
  if row then
    change(bufnr, function()
      for _, output in ipairs(outputs) do
        row = add_output(bufnr, row, output)
      end
      forget_beginning(bufnr)
    end)
    show_images_soon()
  end
end

--- Show the kernel buffer.
function M.open()
  if not (buffer and api.nvim_buf_is_loaded(buffer)) then
    return message.show('no code has run in a Jupyter kernel yet', 'info')
  end
  local bufnr = buffer
  local win = vim.fn.win_findbuf(bufnr)[1]
  if win then
    return api.nvim_set_current_win(win)
  end
  quiet.run(function()
    win = api.nvim_open_win(bufnr, false, { split = 'below', win = -1 })
    location.return_on_close(win, location.current())
    api.nvim_set_current_win(win)
  end)
  vim.wo[win].winfixbuf, vim.wo[win].winbar = false, ''
  api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(bufnr), 0 })
end

-- The kernels that molten-nvim runs for the current buffer. It names a second one of a kind `python3_1`.
-- It is a remote plugin: a call of its function would start its Python, unless that runs already.
local function moltens()
  local is_running = vim.fn.exists('*MoltenRunningKernels') == 1
    and vim.fn['remote#host#IsRunning']('python3') == 1
  local ok, names = pcall(function()
    return is_running and vim.fn.MoltenRunningKernels(true)
  end)
  return vim.tbl_map(function(name)
    return (tostring(name):gsub('_%d+$', ''))
  end, ok and type(names) == 'table' and names or {})
end

--- What the choice of a kernel depends on.
---@return { path?: string, folder: string, molten: string[] }
function M.here()
  return { path = editors.current(), folder = vim.fn.getcwd(), molten = moltens() }
end

return M
