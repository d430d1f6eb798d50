--- When Neovim has drawn a window: what its buffer contains is not yet what the user sees. Changes of a text
--- are drawn when all waiting keys are handled, not when they are made.
local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_drawn')

---@alias claude_ide.OnDrawn fun(win: integer, has_appeared: boolean)

---@type table<integer, claude_ide.OnDrawn> by buffer
local watched = {}
---@type table<integer, integer> the watched buffers in the windows that are on the screen
local on_screen = {}
---@type table<integer, integer> the same for the windows that are being drawn
local drawing = {}

local function on_win(_, win, bufnr)
  drawing[win] = watched[bufnr] and bufnr or nil
  if not drawing[win] then
    on_screen[win] = nil
  end
  return false
end

local function on_end()
  local drawn = drawing
  drawing = {}
  for win, bufnr in pairs(drawn) do
    local has_appeared = on_screen[win] ~= bufnr
    on_screen[win] = bufnr
    if watched[bufnr] then
      watched[bufnr](win, has_appeared)
    end
  end
end

local function start()
  api.nvim_set_decoration_provider(namespace, { on_win = on_win, on_end = on_end })
  api.nvim_create_autocmd('TabLeave', {
    group = api.nvim_create_augroup('claude_ide_drawn', { clear = true }),
    callback = function()
      on_screen = {}
    end,
  })
end

local function forget_wiped()
  for bufnr in pairs(watched) do
    if not api.nvim_buf_is_valid(bufnr) then
      watched[bufnr] = nil
    end
  end
end

--- Call `fn` whenever a window with this buffer has been drawn. It must not change anything. `has_appeared`
--- says whether the buffer was not on the screen in that window before.
---@param bufnr integer
---@param fn claude_ide.OnDrawn
function M.watch(bufnr, fn)
  if next(watched) == nil then
    start()
  end
  forget_wiped()
  watched[bufnr] = fn
end

return M
