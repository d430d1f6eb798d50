--- What the user may want to send next: ghost text in a prompt that is empty.
local prompt_buffer = require('claude_ide.chat.prompt.buffer')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_chat_suggestion')

local suggested = {} ---@type table<integer, string> by the buffer of the prompt

local function is_shown(bufnr)
  return suggested[bufnr] ~= nil and prompt_buffer.read(bufnr) == ''
end

local function draw(bufnr)
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  if is_shown(bufnr) then
    api.nvim_buf_set_extmark(bufnr, namespace, 0, 0, {
      virt_text = { { suggested[bufnr], 'ClaudeChatMeta' }, { '  <Tab>', 'ClaudeChatKey' } },
      virt_text_pos = 'overlay',
    })
  end
end

--- Suggest a text; an empty one takes the last suggestion away.
---@param bufnr integer
---@param text string one line
function M.suggest(bufnr, text)
  suggested[bufnr] = text ~= '' and text or nil
  if api.nvim_buf_is_loaded(bufnr) then
    draw(bufnr)
  end
end

--- Hide the suggestion while a prompt has text.
---@param bufnr integer
function M.attach(bufnr)
  api.nvim_buf_attach(bufnr, false, {
    on_lines = function()
      if suggested[bufnr] then
        draw(bufnr)
      end
    end,
    on_detach = function()
      suggested[bufnr] = nil
    end,
  })
end

--- How to make the suggestion the text of a prompt; nil if none is shown.
---@type fun(bufnr: integer): fun()?
function M.taking(bufnr)
  local text = suggested[bufnr]
  return is_shown(bufnr)
      and function()
        prompt_buffer.replace(bufnr, 0, -1, text)
        prompt_buffer.go_to_end(bufnr)
      end
    or nil
end

return M
