--- Pages that the host writes: lines with highlights in a buffer that the user cannot change; and the keys of
--- buffers, as data. Each key has a `<Plug>` mapping, and `g?` shows them.
local ctrl_c = require('claude_ide.timing.ctrl_c')
local float = require('claude_ide.window.float')
local plain = require('claude_ide.messages.plain')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_chat_page')

--- Replace the text of a buffer.
---@param bufnr integer
---@param lines string[]
---@param marks any[] `{ row, column, end_column, group }`
function M.draw(bufnr, lines, marks)
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.tbl_map(plain.harmless, lines))
  vim.bo[bufnr].modifiable = false
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  for _, mark in ipairs(marks) do
    local row, first, last, group = unpack(mark)
    local options = { end_col = last, hl_group = group ~= '' and group or nil, strict = false }
    api.nvim_buf_set_extmark(bufnr, namespace, row, first, options)
  end
end

--- Create a buffer for a float, which is wiped out with it.
---@return integer bufnr
function M.buffer()
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].undolevels = 'wipe', -1
  return bufnr
end

--- Open the window of a list (`lists.vim`), and enter it.
---@param name string not the title, which changes while the list is open
function M.open_list(name)
  require('claude_ide.highlights').define()
  require('claude_ide.window.scratch').open('Chat', name, '')
  local looks = require('claude_ide.window.looks')
  looks.set(api.nvim_get_current_win(), looks.OF_LISTS)
end

---@class claude_ide.ChatKey `{ modes, keys, name, desc, run }`
---@field [1] string modes, one letter each
---@field [2] string[] the left-hand sides
---@field [3] string as in `<Plug>(claude-chat-name)`
---@field [4] string
---@field [5] string|fun(): string|function|nil the right-hand side
---@field expr? boolean whether `run` returns keys, or a function to call
---@field shown? string[] what `g?` shows instead of the left-hand sides; empty to hide the key

local pending ---@type function?

--- Only for the keys: call the function that an `<expr>` mapping has returned, which may change windows.
function M._call()
  local fn = pending
  pending = nil
  if fn then
    fn()
  end
end

local function expression(run)
  return function()
    local result = run()
    if type(result) ~= 'function' then
      return result or '<Ignore>'
    end
    pending = result
    return '<Cmd>lua require("claude_ide.chat.page")._call()<CR>'
  end
end

--- Show rows with keys in a float, above a panel that floats.
---@param lines string[]
---@param marks any[] as for `draw`
function M.show_rows(lines, marks)
  M.draw(float.show(lines, { title = 'Keys', keys = { 'g?' }, zindex = 80 }), lines, marks)
end

---@param keys claude_ide.ChatKey[]
---@param lacks string[] names of keys to leave out
local function show(keys, lacks)
  local width, rows, lines, marks = 0, {}, {}, {}
  for _, key in ipairs(keys) do
    local typed = table.concat(key.shown or key[2], ' ')
    if typed ~= '' and not vim.list_contains(lacks, key[3]) then
      width = math.max(width, api.nvim_strwidth(typed))
      table.insert(rows, { typed, key[4] })
    end
  end
  for row, each in ipairs(rows) do
    local blank = (' '):rep(width - api.nvim_strwidth(each[1]))
    lines[row] = (' %s%s  %s '):format(each[1], blank, each[2])
    marks[row] = { row - 1, 0, #each[1] + 1, 'ClaudeChatKey' }
  end
  M.show_rows(lines, marks)
end

--- Define keys in a buffer.
---@param bufnr integer
---@param keys claude_ide.ChatKey[]
---@param help? string the name of the key `g?`, which shows them; nil for none
---@param lacks? fun(): string[] names of keys that it leaves out
function M.define(bufnr, keys, help, lacks)
  if help then
    local function show_keys()
      show(keys, lacks and lacks() or {})
    end
    table.insert(keys, { 'n', { 'g?' }, help, 'Show these keys', show_keys })
  end
  for _, key in ipairs(keys) do
    local modes, typed, name, desc, run = vim.split(key[1], ''), key[2], key[3], key[4], key[5]
    local plug = ('<Plug>(claude-chat-%s)'):format(name)
    local options = { buffer = bufnr, desc = desc, expr = key.expr, replace_keycodes = key.expr }
    vim.keymap.set(modes, plug, key.expr and expression(run) or run, options)
    for _, lhs in ipairs(typed) do
      options = { buffer = bufnr, desc = desc, remap = true, nowait = true }
      vim.keymap.set(modes, lhs, plug, options)
      if lhs == '<C-c>' then
        ctrl_c.keep(bufnr)
      end
    end
  end
end

--- The keys from one window of the panel to the other, because `CTRL-W k` and `j` do not reach floats.
---@param letter 'j'|'k'
---@param arrow string
---@param find fun(): integer? returns the other window
---@return claude_ide.ChatKey
function M.to_window(letter, arrow, find)
  local lhs = { '<C-w>' .. letter, ('<C-w><C-%s>'):format(letter), ('<C-w><%s>'):format(arrow) }
  local function go()
    local is_float = api.nvim_win_get_config(0).relative ~= ''
    local win = is_float and vim.v.count == 0 and find()
    return win and function()
      vim.fn.win_gotoid(win)
    end or lhs[1]
  end
  local desc, shown = "Go to the panel's other window", { lhs[1] }
  return { 'n', lhs, 'other-window', desc, go, expr = true, shown = shown }
end

return M
