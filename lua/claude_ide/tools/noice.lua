--- The messages that noice.nvim has shown.
local M = {}

-- Those that it has shown for a moment, and that `:messages` would not list.
local PASSING = { search_count = true, return_prompt = true, confirm = true, progress = true }

--- What it has shown; nil if it does not show the messages.
---@return string? text
function M.text()
  local ok, config = pcall(function()
    return package.loaded['noice'] and require('noice.config')
  end)
  if not (ok and config and config.is_running()) then
    return nil
  end
  local options = { history = true, sort = true, reverse = false }
  local texts = {}
  for _, message in ipairs(require('noice.message.manager').get(nil, options)) do
    if (message.event == 'msg_show' or message.event == 'notify') and not PASSING[message.kind] then
      texts[#texts + 1] = vim.trim(message:content())
    end
  end
  return table.concat(texts, '\n')
end

return M
