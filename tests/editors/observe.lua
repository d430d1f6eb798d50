--- A snapshot of windows, buffers and messages, and which of them belong to the plugin.
local api = vim.api

local function is_own(bufnr)
  local name = api.nvim_buf_get_name(bufnr)
  -- Texts that are kept for the user belong to the user.
  return name:find('/claude%-%l+/[^/]+$') ~= nil and not name:find('/claude-kept/', 1, true)
end

local function window(win)
  local bufnr = api.nvim_win_get_buf(win)
  return {
    win = win,
    name = api.nvim_buf_get_name(bufnr),
    is_own = is_own(bufnr),
    is_float = api.nvim_win_get_config(win).relative ~= '',
    width = api.nvim_win_get_width(win),
    height = api.nvim_win_get_height(win),
  }
end

local function tabpage(handle)
  return {
    tabpage = handle,
    layout = vim.json.encode(vim.fn.winlayout(api.nvim_tabpage_get_number(handle))),
    windows = vim.tbl_map(window, api.nvim_tabpage_list_wins(handle)),
  }
end

local function buffer(bufnr)
  return {
    bufnr = bufnr,
    name = api.nvim_buf_get_name(bufnr),
    is_own = is_own(bufnr),
    is_file = vim.bo[bufnr].buftype == '',
    is_modified = vim.bo[bufnr].modified,
    text = table.concat(api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n'),
  }
end

local loaded = vim.tbl_filter(api.nvim_buf_is_loaded, api.nvim_list_bufs())
local diffs = package.loaded['claude_ide.diff']
return {
  mode = vim.fn.mode(1),
  is_recording = vim.fn.reg_recording() ~= '',
  in_command_window = vim.fn.getcmdwintype() ~= '',
  cmdheight = vim.o.cmdheight,
  win = api.nvim_get_current_win(),
  tabpage = api.nvim_get_current_tabpage(),
  name = api.nvim_buf_get_name(0),
  in_float = api.nvim_win_get_config(0).relative ~= '',
  text = table.concat(api.nvim_buf_get_lines(0, 0, -1, false), '\n'),
  tabpages = vim.tbl_map(tabpage, api.nvim_list_tabpages()),
  buffers = vim.tbl_map(buffer, loaded),
  messages = vim.fn.execute('messages'),
  diffs = diffs and diffs.list() or {},
}
