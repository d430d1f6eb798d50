--- The menus of other completion plugins, kept out of a prompt: it has one of its own.
local M = {}

local api = vim.api

local without_cmp = {} ---@type table<integer, true> by buffer

-- Variables of a buffer by which plugins leave it alone: blink.cmp, mini.completion.
local SWITCHES = { completion = false, minicompletion_disable = true }

--- Whether the prompt's own menu opens there: `b:claude_chat_menu = false` gives it to others.
---@param bufnr integer
---@return boolean
function M.is_own(bufnr)
  return vim.b[bufnr].claude_chat_menu ~= false
end

-- nvim-cmp knows no variable, and may be loaded at any time.
local function disable_cmp(bufnr)
  local cmp = package.loaded['cmp']
  local setup = type(cmp) == 'table' and cmp.setup
  if setup and not without_cmp[bufnr] then
    without_cmp[bufnr] = true
    api.nvim_buf_call(bufnr, function()
      pcall(function()
        setup.buffer({ enabled = false })
      end)
    end)
  end
end

local function keep_out(bufnr)
  if not M.is_own(bufnr) then
    return
  end
  for name, value in pairs(SWITCHES) do
    if vim.b[bufnr][name] == nil then
      vim.b[bufnr][name] = value
    end
  end
  if vim.fn.exists('+autocomplete') == 1 then
    -- A keyword menu would be open nearly always, and <Up> would move in it.
    vim.bo[bufnr].autocomplete = false
  end
  disable_cmp(bufnr)
end

--- Keep them out from when the buffer gets its filetype: until then the user can say otherwise.
---@param bufnr integer
function M.keep_out(bufnr)
  api.nvim_create_autocmd({ 'FileType', 'InsertEnter' }, {
    buffer = bufnr,
    callback = function()
      keep_out(bufnr)
    end,
  })
end

return M
