--- The keys of a chat's buffers. Each has a `<Plug>` mapping, and `g?` shows them.
local chat_page = require('claude_ide.chat.page')
local ctrl_c = require('claude_ide.timing.ctrl_c')
local float = require('claude_ide.window.float')

local M = {}

---@class claude_ide.ChatKey
---@field modes string one letter each
---@field keys string[] the left-hand sides
---@field name string as in `<Plug>(claude-chat-name)`
---@field desc string
---@field run string|function the right-hand side
---@field expr? boolean whether `run` returns keys
---@field shown? string[] what `g?` shows instead of `keys`; empty to hide the key

--- Return an empty list, and a function that adds a key to it. Its arguments are `modes`, `keys`, `name`,
--- `desc` and `run`, then a table of the other fields.
---@return claude_ide.ChatKey[] keys
---@return fun(modes: string, keys: string[], name: string, desc: string, run: string|function, rest?: table)
function M.list()
  local keys = {}
  return keys,
    function(modes, typed, name, desc, run, rest)
      local key = { modes = modes, keys = typed, name = name, desc = desc, run = run }
      table.insert(keys, vim.tbl_extend('error', key, rest or {}))
    end
end

--- Define keys in a buffer.
---@param bufnr integer
---@param keys claude_ide.ChatKey[]
function M.define(bufnr, keys)
  for _, key in ipairs(keys) do
    local modes = vim.split(key.modes, '')
    local plug = ('<Plug>(claude-chat-%s)'):format(key.name)
    local options =
      { buffer = bufnr, desc = key.desc, expr = key.expr, replace_keycodes = key.expr }
    vim.keymap.set(modes, plug, key.run, options)
    for _, typed in ipairs(key.keys) do
      options = { buffer = bufnr, desc = key.desc, remap = true, nowait = true }
      vim.keymap.set(modes, typed, plug, options)
      if typed == '<C-c>' then
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
  local function run()
    local is_float = vim.api.nvim_win_get_config(0).relative ~= ''
    local win = is_float and vim.v.count == 0 and find()
    return win and ('<Cmd>call win_gotoid(%d)<CR>'):format(win) or '<C-w>' .. letter
  end
  return {
    modes = 'n',
    keys = { '<C-w>' .. letter, ('<C-w><C-%s>'):format(letter), ('<C-w><%s>'):format(arrow) },
    name = 'other-window',
    desc = "Go to the panel's other window",
    run = run,
    expr = true,
    shown = { '<C-w>' .. letter },
  }
end

--- Show keys in a float, which `q`, <Esc> or leaving it closes.
---@param keys claude_ide.ChatKey[]
---@param lacks string[] names of keys to leave out
function M.show(keys, lacks)
  local width, rows, lines, marks = 0, {}, {}, {}
  for _, key in ipairs(keys) do
    local typed = table.concat(key.shown or key.keys, ' ')
    if typed ~= '' and not vim.list_contains(lacks, key.name) then
      width = math.max(width, vim.api.nvim_strwidth(typed))
      table.insert(rows, { typed, key.desc })
    end
  end
  for row, each in ipairs(rows) do
    local blank = (' '):rep(width - vim.api.nvim_strwidth(each[1]))
    lines[row] = (' %s%s  %s '):format(each[1], blank, each[2])
    marks[row] = { row - 1, 0, #each[1] + 1, 'ClaudeChatKey' }
  end
  -- Above a panel that floats.
  chat_page.draw(float.show(lines, { title = 'Keys', keys = { 'g?' }, zindex = 80 }), lines, marks)
end

return M
