--- `vim.ui.select` and `vim.ui.input` in floats, as in dressing and snacks: the float takes the focus
--- and closes when it loses it.
local api = vim.api

local function open(lines, done)
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].filetype = 'wipe', 'prompts'
  api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  local float = api.nvim_open_win(bufnr, true, {
    relative = 'editor',
    row = 5,
    col = 10,
    width = 40,
    height = math.max(1, #lines),
    border = 'rounded',
    style = 'minimal',
  })
  local is_done = false
  local function finish(...)
    if not is_done then
      is_done = true
      vim.cmd.stopinsert()
      pcall(api.nvim_win_close, float, true)
      done(...)
    end
  end
  api.nvim_create_autocmd('WinLeave', {
    buffer = bufnr,
    callback = vim.schedule_wrap(function()
      finish(nil)
    end),
  })
  vim.keymap.set({ 'n', 'i' }, '<Esc>', function()
    finish(nil)
  end, { buffer = bufnr })
  return bufnr, finish
end

function vim.ui.select(items, options, on_choice)
  local lines = vim.tbl_map(options.format_item or tostring, items)
  local bufnr, finish = open(lines, on_choice)
  vim.keymap.set('n', '<CR>', function()
    local row = api.nvim_win_get_cursor(0)[1]
    finish(items[row], row)
  end, { buffer = bufnr })
end

function vim.ui.input(options, on_confirm)
  local bufnr, finish = open({ options.default or '' }, on_confirm)
  vim.keymap.set({ 'n', 'i' }, '<CR>', function()
    finish(api.nvim_get_current_line())
  end, { buffer = bufnr })
  vim.cmd('startinsert!')
end
