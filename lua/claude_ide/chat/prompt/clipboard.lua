--- Images from the clipboard: a placeholder in the prompt, which stands for the data.
local chat_hint = require('claude_ide.chat.hint')
local program = require('claude_ide.system.program')

local M = {}

local LARGEST = 5 * 1024 * 1024 -- bytes
local KEPT = 8 -- images of a chat
local TIMEOUT = 10000 -- milliseconds
local PLACEHOLDER = '[Image %d]'
local NO_TOOL = 'no tool to read images from the clipboard (wl-paste, xclip or pngpaste)'
local TYPES = { 'image/png', 'image/jpeg', 'image/webp', 'image/gif' }

---@class claude_ide.ChatImages
---@field count integer number of images pasted so far
---@field data table<integer, { data: string, media_type: string }> by number; data is base64

---@class claude_ide.ClipboardTool
---@field program string
---@field types? string[] arguments that list the available types
---@field read fun(type: string): string[] returns the arguments that print an image

---@type claude_ide.ClipboardTool[]
local TOOLS = {
  {
    program = 'wl-paste',
    types = { '--list-types' },
    read = function(type)
      return { '--no-newline', '--type', type }
    end,
  },
  {
    program = 'xclip',
    types = { '-selection', 'clipboard', '-t', 'TARGETS', '-o' },
    read = function(type)
      return { '-selection', 'clipboard', '-t', type, '-o' }
    end,
  },
  {
    program = 'pngpaste',
    read = function()
      return { '-' }
    end,
  },
}

local namespace = vim.api.nvim_create_namespace('claude_ide_chat_clipboard')

--- The images of a new chat: none.
---@return claude_ide.ChatImages
function M.new()
  return { count = 0, data = {} }
end

-- The tools that are installed. wl-paste comes last unless Neovim runs under Wayland.
local function tools()
  local usable = vim.tbl_filter(function(tool)
    return program.find(tool.program) ~= nil
  end, TOOLS)
  if not vim.env.WAYLAND_DISPLAY and usable[1] and usable[1].program == 'wl-paste' then
    table.insert(usable, table.remove(usable, 1))
  end
  return usable
end

-- Call `on_done` with what a program prints, which is cut off soon after `LARGEST`, or with nil if it fails.
local function run(name, arguments, on_done)
  local chunks, size = {}, 0
  local process ---@type vim.SystemObj
  local function on_stdout(_, chunk)
    if chunk and size <= LARGEST then
      size = size + #chunk
      table.insert(chunks, chunk)
      if size > LARGEST then
        process:kill('sigterm')
      end
    end
  end
  local command = vim.list_extend({ program.find(name) }, arguments)
  local options = { stdout = on_stdout, timeout = TIMEOUT }
  process = vim.system(command, options, function(result)
    local is_whole = result.code == 0 or size > LARGEST
    vim.schedule(function()
      on_done(is_whole and table.concat(chunks) or nil)
    end)
  end)
end

local function choose_type(listed)
  return vim.iter(TYPES):find(function(type)
    return listed:find(type, 1, true) ~= nil
  end)
end

local function read_with(tool, on_done)
  local function read(type)
    run(tool.program, tool.read(type), function(data)
      on_done(data and data ~= '' and { bytes = data, media_type = type } or nil)
    end)
  end
  if not tool.types then
    return read('image/png')
  end
  run(tool.program, tool.types, function(listed)
    local type = choose_type(listed or '')
    if type then
      read(type)
    else
      on_done(nil)
    end
  end)
end

local function read_image(usable, on_done)
  local tool = table.remove(usable, 1)
  if not tool then
    return on_done(nil)
  end
  read_with(tool, function(image)
    if image then
      on_done(image)
    else
      read_image(usable, on_done)
    end
  end)
end

---@param images claude_ide.ChatImages
---@param image { data: string, media_type: string }
---@return string placeholder
local function add(images, image)
  images.count = images.count + 1
  images.data[images.count] = image
  images.data[images.count - KEPT] = nil
  return PLACEHOLDER:format(images.count)
end

local function insert(chat, mark, image)
  local bufnr = chat.prompt
  local encoded = { data = vim.base64.encode(image.bytes), media_type = image.media_type }
  local text = add(chat.images, encoded)
  local row, column = unpack(vim.api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark, {}))
  local win = vim.fn.bufwinid(bufnr)
  local cursor = win > 0 and vim.api.nvim_win_get_cursor(win)
  vim.api.nvim_buf_set_text(bufnr, row, column, row, column, { text })
  if cursor and cursor[1] == row + 1 and cursor[2] >= column then
    vim.api.nvim_win_set_cursor(win, { row + 1, cursor[2] + #text })
  end
end

--- Read an image from the clipboard, and insert its placeholder at the present cursor.
---@param chat claude_ide.Chat
function M.paste(chat)
  local usable = tools()
  if #usable == 0 then
    return chat_hint.show(chat.prompt, NO_TOOL, 'warn')
  end
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local mark = vim.api.nvim_buf_set_extmark(chat.prompt, namespace, row - 1, column, {
    -- Text that is typed before the image has arrived follows the placeholder.
    right_gravity = false,
  })
  read_image(usable, function(image)
    if not vim.api.nvim_buf_is_loaded(chat.prompt) then
      return
    elseif not image then
      chat_hint.show(chat.prompt, 'no image on the clipboard', 'info')
    elseif #image.bytes > LARGEST then
      chat_hint.show(chat.prompt, 'the image is larger than 5 MB', 'warn')
    else
      insert(chat, mark, image)
    end
    vim.api.nvim_buf_del_extmark(chat.prompt, namespace, mark)
  end)
end

--- Add the images of an earlier prompt; their placeholders in its text get their new numbers.
---@param chat claude_ide.Chat
---@param text string
---@param images { data: string, media_type: string }[] in the order of their placeholders
---@return string text with a placeholder for each image
function M.adopt(chat, text, images)
  local placeholders, used = {}, 0
  text = text:gsub('%[Image #?(%d+)%]', function(number)
    if not placeholders[number] and used < #images then
      used = used + 1
      placeholders[number] = add(chat.images, images[used])
    end
    return placeholders[number]
  end)
  for index = used + 1, #images do
    text = vim.trim(('%s %s'):format(text, add(chat.images, images[index])))
  end
  return text
end

--- The images whose placeholders are in a text.
---@param chat claude_ide.Chat
---@param text string
---@return { data: string, media_type: string }[] images data is base64
function M.images(chat, text)
  local list, seen = {}, {}
  for number in text:gmatch('%[Image (%d+)%]') do
    local image = chat.images.data[tonumber(number)]
    if image and not seen[number] then
      seen[number] = true
      table.insert(list, image)
    end
  end
  return list
end

return M
