--- The float of a form: centred, and as high as its text.
local float = require('claude_ide.window.float')
local highlights = require('claude_ide.highlights')
local message = require('claude_ide.say.message')
local window_looks = require('claude_ide.window.looks')

local M = {}

local WIDEST = 90
local KEYS = ' <Space> pick · i type · <C-s> submit · q later · <C-c> decline · g? keys '
local INSTANT = ' <CR> or a letter answers · q later · g? keys '
local OPTIONS = {
  wrap = true,
  linebreak = true,
  breakindent = true,
  breakindentopt = 'list:-1',
  cursorline = true,
  winfixbuf = true,
}

-- Lets the wrapped lines of a choice align with its label ('formatlistpat').
local SIGN = [[^\s*[\[(].[\])] . ]]

local api = vim.api
local marks = api.nvim_create_namespace('claude_ide_chat_form')

---@param form claude_ide.Form
local function config(bufnr, form, height)
  local lines = api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local keys = form.is_instant and INSTANT or KEYS
  local widest = math.max(api.nvim_strwidth(keys), float.widest(lines) + 1)
  local geometry = float.centred(math.min(widest, WIDEST), height)
  return vim.tbl_extend('error', geometry, {
    title = message.fit((' %s '):format(form.title), geometry.width),
    footer = message.fit(keys, geometry.width),
  })
end

--- Fit the float to its text and to the screen.
---@param win integer
---@param form claude_ide.Form
function M.fit(win, form)
  local bufnr = api.nvim_win_get_buf(win)
  -- Twice: the first pass sets the width, on which the height of the text depends.
  for _ = 1, 2 do
    local height = api.nvim_win_text_height(win, {}).all
    api.nvim_win_set_config(win, config(bufnr, form, height))
  end
end

--- Draw a page in a form's buffer. The cursor keeps its position.
---@param bufnr integer
---@param page claude_ide.FormPage
function M.draw(bufnr, page)
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_set_lines(bufnr, 0, -1, false, page.lines)
  vim.bo[bufnr].modifiable = false
  api.nvim_buf_clear_namespace(bufnr, marks, 0, -1)
  for _, mark in ipairs(page.marks) do
    local row, first, last, group = unpack(mark)
    local options = { end_col = last, hl_group = group, strict = false }
    api.nvim_buf_set_extmark(bufnr, marks, row, first, options)
  end
end

--- Open the float for a buffer, and enter it.
---@param bufnr integer
---@param form claude_ide.Form
---@return integer win
function M.open(bufnr, form)
  highlights.define()
  local win = float.open(
    bufnr,
    vim.tbl_extend('error', config(bufnr, form, 1), {
      footer_pos = 'center',
      title_pos = 'center',
      -- Above a chat that floats, below a float that asks for text.
      zindex = 45,
    })
  )
  window_looks.set(win, OPTIONS)
  vim.bo[bufnr].formatlistpat = SIGN
  M.fit(win, form)
  float.follow_screen(win, function()
    M.fit(win, form)
  end)
  return win
end

return M
