--- Images in a prompt: a placeholder, which stands for the data. The host reads them from the clipboard.
local channel = require('claude_ide.channel')
local prompt_buffer = require('claude_ide.chat.prompt.buffer')

local M = {}

local KEPT = 8 -- images of a chat
local PLACEHOLDER = '[Image %d]'

---@alias claude_ide.ChatImage { data: string, media_type: string } data is base64

---@class claude_ide.ChatImages
---@field count integer number of images pasted so far
---@field data table<integer, claude_ide.ChatImage> by number

local namespace = vim.api.nvim_create_namespace('claude_ide_chat_clipboard')

--- The images of a new chat: none.
---@return claude_ide.ChatImages
function M.new()
  return { count = 0, data = {} }
end

---@param images claude_ide.ChatImages
---@param image claude_ide.ChatImage
---@return string placeholder
local function add(images, image)
  images.count = images.count + 1
  images.data[images.count] = image
  images.data[images.count - KEPT] = nil
  return PLACEHOLDER:format(images.count)
end

local function put(bufnr, mark, text)
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
  if not channel.id then
    return prompt_buffer.hint(chat.prompt, 'the chat is not running', 'warn')
  end
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local mark = vim.api.nvim_buf_set_extmark(chat.prompt, namespace, row - 1, column, {
    -- Text that is typed before the image has arrived follows the placeholder.
    right_gravity = false,
  })
  channel.emit('prompt_image', { bufnr = chat.prompt, mark = mark })
end

--- Called by the host: insert an image, or say why there is none.
---@param bufnr integer a prompt
---@param mark integer where the cursor was
---@param image { data?: string, media_type?: string, problem?: string }
function M.insert(bufnr, mark, image)
  local chat = prompt_buffer.of(bufnr) --[[@as claude_ide.Chat?]]
  if not chat or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  elseif image.problem then
    prompt_buffer.hint(bufnr, image.problem, 'warn')
  else
    put(bufnr, mark, add(chat.images, image))
  end
  vim.api.nvim_buf_del_extmark(bufnr, namespace, mark)
end

--- Add the images of an earlier prompt; their placeholders in its text get their new numbers.
---@param chat claude_ide.Chat
---@param text string
---@param images claude_ide.ChatImage[] in the order of their placeholders
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
---@return claude_ide.ChatImage[]
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
