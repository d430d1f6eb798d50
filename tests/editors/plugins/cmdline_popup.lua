--- Shows the command line and messages in floats, as noice does: `vim.ui_attach` takes both over from
--- Neovim, a queue passes them to floats, and the "Press ENTER" prompt is answered automatically.
local api = vim.api
local namespace = api.nvim_create_namespace('editors_cmdline_popup')
local popup ---@type integer?
local LASTING = 120 -- milliseconds

local function open(text, config)
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  api.nvim_buf_set_lines(bufnr, 0, -1, false, { (text:gsub('\n', ' ')) })
  local common = { relative = 'editor', style = 'minimal', border = 'rounded', noautocmd = true }
  return api.nvim_open_win(bufnr, false, vim.tbl_extend('force', common, config))
end

-- Without autocommands: an error in one of them would raise another message, and so on.
local function close(float)
  if float and api.nvim_win_is_valid(float) then
    local eventignore = vim.o.eventignore
    vim.o.eventignore = 'all'
    api.nvim_win_close(float, true)
    vim.o.eventignore = eventignore
  end
end

local function text_of(chunks)
  return vim.iter(chunks):fold('', function(text, chunk)
    return text .. chunk[2]
  end)
end

local function show_line(chunks, _, first)
  local text = first .. text_of(chunks)
  if popup and api.nvim_win_is_valid(popup) then
    api.nvim_buf_set_lines(api.nvim_win_get_buf(popup), 0, -1, false, { (text:gsub('\n', ' ')) })
  else
    local size = { row = 3, col = 10, width = 50, height = 1, zindex = 200 }
    popup = open(text, size)
  end
  api.nvim__redraw({ flush = true })
end

-- The popup closes after the command has been executed, sometimes much later.
local function hide_line()
  local float = popup
  popup = nil
  vim.defer_fn(function()
    close(float)
  end, 30)
end

local function show_message(_, chunks)
  local text = text_of(chunks)
  if text == '' then
    return
  end
  local float = open(text, {
    anchor = 'SE',
    row = vim.o.lines - 2,
    col = vim.o.columns,
    width = 30,
    height = 1,
    focusable = false,
  })
  vim.defer_fn(function()
    close(float)
  end, LASTING)
end

local SHOWN = { cmdline_show = show_line, cmdline_hide = hide_line, msg_show = show_message }

vim.ui_attach(namespace, { ext_cmdline = true, ext_messages = true }, function(event, kind, ...)
  if event == 'msg_show' and kind == 'return_prompt' then
    api.nvim_input('<CR>')
    return true
  end
  local show = SHOWN[event]
  if show then
    local values = vim.F.pack_len(kind, ...)
    vim.schedule(function()
      show(vim.F.unpack_len(values))
    end)
  end
  return show ~= nil
end)
