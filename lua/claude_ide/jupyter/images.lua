--- Shows the saved images of a buffer, where snacks.nvim or image.nvim is loaded and can. Neither shows an
--- image in a buffer without a window, so such an image waits for one.
local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_jupyter_images', { clear = true })

local HIGHEST = 20 -- lines

local marks = api.nvim_create_namespace('claude_ide_kernel_images')

---@class claude_ide.SavedImage
---@field path string
---@field placement? table of snacks.nvim: it is in all windows
---@field by_window table<integer, table> images of image.nvim

local images = {} ---@type table<integer, table<integer, claude_ide.SavedImage>> by buffer and mark
local is_due = {} ---@type table<integer, true> by buffer: they will be shown soon

local function row_of(bufnr, mark)
  local found = api.nvim_buf_get_extmark_by_id(bufnr, marks, mark, { details = true })
  return found[1] and not found[3].invalid and found[1] or nil
end

local function by_snacks(bufnr, row, image, plugin)
  local options = { inline = true, pos = { row + 1, 0 }, max_height = HIGHEST }
  image.placement = plugin.placement.new(bufnr, image.path, options) or {}
end

local function by_image_nvim(bufnr, row, image, plugin)
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    local options = { buffer = bufnr, window = win, x = 0, y = row }
    options.inline, options.with_virtual_padding = true, true
    image.by_window[win] = image.by_window[win] or plugin.from_file(image.path, options)
    image.by_window[win]:render()
  end
end

-- A plugin that fails leaves the image as the path of a file.
local function show_each(bufnr, show, plugin)
  for mark, image in pairs(images[bufnr] or {}) do
    local row = row_of(bufnr, mark)
    if row and not image.placement then
      pcall(show, bufnr, row, image, plugin)
    end
  end
end

local function show_all(bufnr)
  is_due[bufnr] = nil
  local is_there = api.nvim_buf_is_loaded(bufnr) and #vim.fn.win_findbuf(bufnr) > 0
  local snacks, image_nvim = package.loaded['snacks'], package.loaded['image']
  if is_there and snacks and snacks.image and snacks.image.supports_terminal() then
    show_each(bufnr, by_snacks, snacks.image)
  elseif is_there and image_nvim then
    show_each(bufnr, by_image_nvim, image_nvim)
  end
end

--- Show the images of a buffer that is in a window.
---@param bufnr integer
function M.show(bufnr)
  if not next(images[bufnr] or {}) or #vim.fn.win_findbuf(bufnr) == 0 or is_due[bufnr] then
    return
  end
  is_due[bufnr] = true
  local show = vim.schedule_wrap(function()
    pcall(show_all, bufnr)
  end)
  -- Otherwise snacks.nvim would block Neovim until the terminal has answered what it is. An older one has
  -- no such function.
  if not pcall(function()
    package.loaded['snacks'].image.terminal.detect(show)
  end) then
    show()
  end
end

--- Show an image at a row, as soon as the buffer is in a window and a plugin can.
---@param bufnr integer
---@param row integer 0-based
---@param path string
function M.add(bufnr, row, path)
  if not images[bufnr] then
    images[bufnr] = {}
    api.nvim_create_autocmd('BufWinEnter', {
      group = augroup,
      buffer = bufnr,
      callback = function()
        M.show(bufnr)
      end,
    })
    api.nvim_create_autocmd('BufWipeout', {
      group = augroup,
      buffer = bufnr,
      callback = function()
        images[bufnr] = nil
      end,
    })
  end
  local options = { end_row = row + 1, invalidate = true, undo_restore = false, strict = false }
  local mark = api.nvim_buf_set_extmark(bufnr, marks, row, 0, options)
  images[bufnr][mark] = { path = path, by_window = {} }
end

--- Remove the images whose lines are gone.
---@param bufnr integer
function M.tidy(bufnr)
  for mark, image in pairs(images[bufnr] or {}) do
    if not row_of(bufnr, mark) then
      images[bufnr][mark] = nil
      if image.placement and image.placement.close then
        pcall(image.placement.close, image.placement)
      end
      for _, shown in pairs(image.by_window) do
        pcall(shown.clear, shown)
      end
    end
  end
end

return M
