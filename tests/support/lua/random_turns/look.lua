local chat = require('claude_ide.chat.state').list()[1]
if not chat then
  return {}
end
local bars = vim.inspect(chat.bars.transcript or {})
return {
  id = chat.id,
  session = chat.session,
  lines = vim.api.nvim_buf_get_lines(chat.transcript, 0, -1, false),
  prompt = table.concat(vim.api.nvim_buf_get_lines(chat.prompt, 0, -1, false), '\n'),
  is_idle = not chat.is_working
    and #chat.sent == 0
    and (chat.requests or 0) == 0
    and not chat.outage,
  bars = bars,
}
