--- A completion menu in a float, as in blink.cmp and nvim-cmp: Insert mode keys are mapped in each
--- buffer, the menu follows the typed text, and it closes when Insert mode ends.
local api = vim.api
local menu ---@type integer?

local function close()
  if menu and api.nvim_win_is_valid(menu) then
    api.nvim_win_close(menu, true)
  end
  menu = nil
end

local function open()
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].filetype = 'wipe', 'menu'
  api.nvim_buf_set_lines(bufnr, 0, -1, false, { 'one', 'two', 'three' })
  menu = api.nvim_open_win(bufnr, false, {
    relative = 'cursor',
    row = 1,
    col = 0,
    width = 12,
    height = 3,
    style = 'minimal',
    focusable = false,
    zindex = 1001,
    noautocmd = true,
  })
end

local function update()
  local before = api.nvim_get_current_line():sub(1, api.nvim_win_get_cursor(0)[2])
  if not before:find('%w%w$') or vim.b.completion == false or vim.fn.mode() ~= 'i' then
    return close()
  elseif not (menu and api.nvim_win_is_valid(menu)) then
    open()
  end
end

-- The key controls the menu while it is open; otherwise it keeps its meaning.
local function map(bufnr, key, in_menu)
  if api.nvim_buf_is_valid(bufnr) and vim.fn.maparg(key, 'i', false, true).buffer ~= 1 then
    vim.keymap.set('i', key, function()
      if menu then
        vim.schedule(close)
        return in_menu
      end
      return key
    end, { buffer = bufnr, expr = true, desc = 'menu' })
  end
end

api.nvim_create_autocmd('InsertEnter', {
  callback = function(event)
    map(event.buf, '<Tab>', 'one')
    map(event.buf, '<C-y>', 'one')
    map(event.buf, '<C-e>', '')
  end,
})
api.nvim_create_autocmd(
  { 'TextChangedI', 'CursorMovedI' },
  { callback = vim.schedule_wrap(update) }
)
api.nvim_create_autocmd({ 'InsertLeave', 'BufLeave' }, { callback = vim.schedule_wrap(close) })
