local function fields(source, names)
  local found = {}
  for _, name in ipairs(names) do
    found[name] = source[name]
  end
  return found
end

local options = { win = {}, global = {} }
for name, info in pairs(vim.api.nvim_get_all_options_info()) do
  if info.scope == 'win' then
    table.insert(options.win, name)
  elseif info.scope == 'global' then
    table.insert(options.global, name)
  end
end

local function folds()
  local found = {}
  for line = 1, vim.fn.line('$') do
    found[line] = ('%d %d'):format(vim.fn.foldlevel(line), vim.fn.foldclosed(line))
  end
  return found
end

local function window(win)
  local state = {
    win = win,
    buffer = vim.api.nvim_win_get_buf(win),
    size = { vim.api.nvim_win_get_width(win), vim.api.nvim_win_get_height(win) },
    position = vim.api.nvim_win_get_position(win),
    options = {},
  }
  for _, name in ipairs(options.win) do
    state.options[name] = vim.api.nvim_get_option_value(name, { win = win, scope = 'local' })
  end
  vim.api.nvim_win_call(win, function()
    state.view = vim.bo.buftype ~= 'terminal' and vim.fn.winsaveview() or nil
    state.folds = folds()
    state.alternate = vim.fn.bufnr('#')
    state.jumps = vim.fn.getjumplist()
    state.directory = vim.fn.getcwd()
  end)
  return state
end

local state = {
  tabpages = {},
  buffers = {},
  options = {},
  tabpage = vim.api.nvim_get_current_tabpage(),
  last_tabpage = vim.fn.tabpagenr('#'),
  win = vim.api.nvim_get_current_win(),
  -- Without a previous window, CTRL-W p stays in the current one.
  previous_win = vim.fn.winnr('#') > 0 and vim.fn.winnr('#') or vim.fn.winnr(),
  mode = vim.fn.mode(1),
  registers = {},
}
for number, tabpage in ipairs(vim.api.nvim_list_tabpages()) do
  state.tabpages[number] = {
    tabpage = tabpage,
    layout = vim.fn.winlayout(number),
    windows = vim.tbl_map(window, vim.api.nvim_tabpage_list_wins(tabpage)),
  }
end
for _, buffer in ipairs(vim.fn.getbufinfo()) do
  local found = fields(buffer, { 'bufnr', 'name', 'listed', 'loaded', 'changed', 'changedtick' })
  found.marks = vim.fn.getmarklist(buffer.bufnr)
  found.windows = buffer.windows
  if vim.bo[buffer.bufnr].buftype == 'terminal' then
    found.changedtick, found.marks = nil, nil
  elseif buffer.loaded == 0 then
    -- Set when the buffer is loaded.
    found.changedtick = nil
    found.marks = vim.tbl_filter(function(mark)
      return mark.mark ~= "'[" and mark.mark ~= "']" and mark.mark ~= "''"
    end, found.marks)
  end
  table.insert(state.buffers, found)
end
for _, name in ipairs(options.global) do
  state.options[name] = vim.api.nvim_get_option_value(name, { scope = 'global' })
end
for name in ('"/0-#'):gmatch('.') do
  state.registers[name] = vim.fn.getreg(name)
end
return state
