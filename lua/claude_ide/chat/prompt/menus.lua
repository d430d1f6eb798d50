--- Keeps other completion plugins out of a prompt, which has its own menu.
local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_chat_prompt_menus', { clear = true })

local without_cmp = {} ---@type table<integer, true> by buffer

-- Buffer variables that disable blink.cmp and mini.completion.
local SWITCHES = { completion = false, minicompletion_disable = true }

--- Whether the prompt's own menu opens: `b:claude_chat_menu = false` leaves completion to others.
---@param bufnr integer
---@return boolean
function M.is_own(bufnr)
  return vim.b[bufnr].claude_chat_menu ~= false
end

-- nvim-cmp has no such variable, and may be loaded at any time.
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
    -- Otherwise a menu of keywords would be open nearly always, and <Up> would move in it.
    api.nvim_set_option_value('autocomplete', false, { buf = bufnr })
  end
  disable_cmp(bufnr)
end

--- Keep others out from the `FileType` event on, in which the user can decide otherwise.
---@param bufnr integer
function M.keep_out(bufnr)
  api.nvim_create_autocmd({ 'FileType', 'InsertEnter' }, {
    group = augroup,
    buffer = bufnr,
    callback = function()
      keep_out(bufnr)
    end,
  })
end

return M
