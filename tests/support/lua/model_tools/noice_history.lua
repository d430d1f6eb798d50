-- noice.nvim, as far as it keeps the messages that it shows. On 0.11 `:messages` opens a window of it.
local function message(event, kind, text)
  return {
    event = event,
    kind = kind,
    content = function()
      return text
    end,
  }
end
local kept = {
  message('msg_show', 'echomsg', '\none'),
  message('msg_show', 'search_count', '[1/2]'),
  message('notify', 'info', 'two'),
  message('msg_showcmd', nil, 'g'),
}
package.loaded['noice'] = {}
package.loaded['noice.config'] = {
  is_running = function()
    return true
  end,
}
package.loaded['noice.message.manager'] = {
  get = function()
    return kept
  end,
}
vim.ui_attach(vim.api.nvim_create_namespace('noice'), { ext_messages = true }, function(event)
  if event == 'msg_history_show' then
    vim.schedule(function()
      vim.g.opened = true
    end)
  end
end)
if vim.fn.has('nvim-0.12') == 1 then
  vim.cmd("echomsg 'one' | echomsg 'two'")
end
