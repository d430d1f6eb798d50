--- Knows the windows of agents for `autoload/claude_ide/attention.vim`.
local M = {}

--- The place of a window of a chat, a diff or a plan; empty for any other.
---@param win integer
---@return string
function M.place_of(win)
  local bufnr = vim.api.nvim_win_get_buf(win)
  local chats, diffs = package.loaded['claude_ide.chat.state'], package.loaded['claude_ide.diff']
  local chat = chats and chats.of_buffer(bufnr)
  local diff = diffs and diffs.in_window(win)
  return chat and 'chat.' .. chat
    or diff and 'diff.' .. diff
    or vim.api.nvim_buf_get_name(bufnr):match('claude%-plan%f[:/]')
    or ''
end

--- Write what the user's terminal understands.
---@param sequence string
function M.write(sequence)
  if vim.api.nvim_ui_send then
    vim.api.nvim_ui_send(sequence)
  else
    io.stdout:write(sequence)
  end
end

return M
