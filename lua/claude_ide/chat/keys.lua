--- Keys of a chat's buffers: each has a `<Plug>` map, and `g?` shows them.
local M = {}

---@class claude_ide.ChatKey
---@field modes string one letter each
---@field keys string[] what is typed
---@field name string of `<Plug>(claude-chat-name)`
---@field desc string
---@field run string|fun() keys, or what is done at once
---@field expr? boolean whether `run` gives keys
---@field shown? string[] what `g?` shows instead of `keys`; none for nothing

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
    end
  end
end

--- Keys from one window of the panel to the other: `CTRL-W k` and `j` know nothing of floats.
---@param letter 'j'|'k'
---@param arrow string
---@param find fun(): integer? window
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
    desc = "To the panel's other window",
    run = run,
    expr = true,
    shown = { '<C-w>' .. letter },
  }
end

local function lines_of(keys)
  local width, rows = 0, {}
  for _, key in ipairs(keys) do
    local typed = table.concat(key.shown or key.keys, ' ')
    if typed ~= '' then
      width = math.max(width, vim.api.nvim_strwidth(typed))
      table.insert(rows, { typed, key.desc })
    end
  end
  return vim.tbl_map(function(row)
    local blank = (' '):rep(width - vim.api.nvim_strwidth(row[1]))
    return (' %s%s  %s '):format(row[1], blank, row[2])
  end, rows),
    width
end

--- Show keys in a float that `q`, <Esc> or leaving it closes.
---@param keys claude_ide.ChatKey[]
function M.show(keys)
  local lines, key_width = lines_of(keys)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].modifiable = 'wipe', false
  for row = 0, #lines - 1 do
    local mark = { end_col = key_width + 1, hl_group = 'ClaudeChatKey', strict = false }
    local namespace = vim.api.nvim_create_namespace('claude_ide_chat_keys')
    vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, mark)
  end
  local width = 1
  for _, line in ipairs(lines) do
    width = math.max(width, vim.api.nvim_strwidth(line))
  end
  width = math.max(1, math.min(width, vim.o.columns - 4))
  local height = math.max(1, math.min(#lines, vim.o.lines - 4))
  local window = vim.api.nvim_open_win(bufnr, true, {
    relative = 'editor',
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = height,
    style = 'minimal',
    border = 'rounded',
    title = ' Keys ',
    title_pos = 'center',
    -- Above the panel in its float.
    zindex = 80,
  })
  vim.wo[window].wrap = false
  local function close()
    pcall(vim.api.nvim_win_close, window, true)
  end
  for _, key in ipairs({ 'q', '<Esc>', 'g?' }) do
    vim.keymap.set('n', key, close, { buffer = bufnr, nowait = true })
  end
  vim.api.nvim_create_autocmd('WinLeave', { buffer = bufnr, once = true, callback = close })
end

return M
