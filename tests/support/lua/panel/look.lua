local chats = require('claude_ide.chat.state').list()
local chat = chats[1]
if not chat then
  return {}
end
local function winbar(bufnr)
  local window = vim.fn.win_findbuf(bufnr)[1]
  local bar = window and vim.wo[window].winbar or ''
  local options = { winid = window, maxwidth = 200 }
  return bar ~= '' and vim.api.nvim_eval_statusline(bar, options).str or ''
end
return {
  id = chat.id,
  count = #chats,
  lines = vim.api.nvim_buf_get_lines(chat.transcript, 0, -1, false),
  prompt = vim.api.nvim_buf_get_lines(chat.prompt, 0, -1, false),
  bar = winbar(chat.transcript),
  prompt_bar = winbar(chat.prompt),
  windows = { vim.fn.win_findbuf(chat.transcript), vim.fn.win_findbuf(chat.prompt) },
}
