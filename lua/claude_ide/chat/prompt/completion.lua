--- Completion in the prompt: `@file` anywhere, `/command` at its start.
local autocommands = require('claude_ide.messages.autocommands')
local channel = require('claude_ide.channel')
local prompt_buffer = require('claude_ide.chat.prompt.buffer')
local suggestion = require('claude_ide.chat.prompt.suggestion')

local M = {}

local api, fn = vim.api, vim.fn
local on = autocommands.group('claude_ide_chat_prompt_completion')

local LIMIT = 200 -- items
local TIMEOUT_MS = 100
local USERS_TAB = '<Plug>(claude-chat-users-tab)'

-- Buffer variables that disable blink.cmp and mini.completion.
local SWITCHES = { completion = false, minicompletion_disable = true }

---@class claude_ide.ChatToken
---@field column integer bytes before it
---@field is_command boolean
---@field pattern string what was typed after its `@` or `/`

-- The prompt of the current buffer, if the cursor is at the end of a token in it.
---@type fun(): claude_ide.PromptBuffer?, claude_ide.ChatToken?
local function here()
  local prompt = prompt_buffer.of(api.nvim_get_current_buf())
  local line, column = unpack(api.nvim_win_get_cursor(0))
  local before = api.nvim_get_current_line():sub(1, column)
  if line == 1 and before:find('^/%S*$') then
    return prompt, { column = 0, is_command = true, pattern = before:sub(2) }
  end
  -- A command for the shell has no mentions.
  local is_shell = fn.getline(1):sub(1, 1) == '!'
  for _, form in ipairs(is_shell and {} or { '@"([^"]*)$', '@([^%s"@]*)$' }) do
    local start, _, pattern = before:find(form)
    ---@cast pattern string
    if start and (start == 1 or before:sub(start - 1, start - 1):find('[%s(]')) then
      return prompt, { column = start - 1, is_command = false, pattern = pattern }
    end
  end
  return prompt
end

local function file_item(path)
  local word = path:find('%s') and ('@"%s"'):format(path) or '@' .. path
  return { word = word, abbr = path, menu = path:sub(-1) == '/' and 'folder' or '', dup = 1 }
end

local is_float = false -- whether a plugin draws the menu

-- How many items there is room for. A plugin such as noice.nvim draws the menu in a float below the cursor,
-- and Neovim moves a float that does not fit there up, over the line that is being typed.
local function room()
  local line, column = unpack(api.nvim_win_get_cursor(0))
  local row = fn.screenpos(0, line, column + 1).row
  return is_float and math.max(1, vim.o.lines - vim.o.cmdheight - row) or LIMIT
end

-- The items of a menu.
---@param paths string[] those that may match
---@return table[]
local function items(prompt, is_command, pattern, paths)
  local candidates = is_command and prompt.offer.commands or paths
  if pattern ~= '' then
    local options = { key = is_command and 'word' or nil, limit = LIMIT }
    candidates = fn.matchfuzzy(candidates, pattern, options)
  end
  -- Git lists files until their deletion is staged.
  local function is_there(path)
    return is_command or vim.uv.fs_lstat(vim.fs.joinpath(prompt.options.root, path)) ~= nil
  end
  local found = vim.iter(candidates):take(LIMIT):filter(is_there):take(room())
  return (is_command and found or found:map(file_item)):totable()
end

local asked = 0
local answer ---@type fun(paths: string[])? takes the answer of the host to the last question

-- Ask the host for the files that may match. `on_answer` is not called if another question follows.
local function ask(prompt, pattern, on_answer)
  asked, answer = asked + 1, on_answer
  local question = { number = asked, root = prompt.options.root, pattern = pattern }
  channel.emit('prompt_files', question)
end

--- Called by the host: the files that may match what the user has typed.
---@param number integer that of the question
---@param paths string each but the last has a NUL after it
function M.show(number, paths)
  if number == asked and answer then
    answer(paths ~= '' and vim.split(paths, '\0', { plain = true }) or {})
  end
end

local function before_cursor()
  return api.nvim_get_current_line():sub(1, api.nvim_win_get_cursor(0)[2])
end

-- Open the menu of a prompt.
---@param paths? string[] nil if the host has to be asked for them
---@param pattern? string for which it has been asked
local function offer(prompt, paths, pattern)
  local current, found = here()
  if current ~= prompt or not found or not fn.mode():find('^i') then
    return
  elseif pattern and pattern ~= found.pattern then
    return
  elseif not found.is_command and not paths then
    return ask(prompt, found.pattern, function(given)
      offer(prompt, given, found.pattern)
    end)
  end
  local list = items(prompt, found.is_command, found.pattern, paths or {})
  if #list == 1 and list[1].word == before_cursor():sub(found.column + 1) then
    return
  end
  fn.complete(found.column + 1, list)
  -- Neovim does not compute the width of a menu that it does not draw.
  local was_float = is_float
  is_float = fn.pumvisible() == 1 and fn.pum_getpos().width == 0
  if is_float and not was_float then
    offer(prompt, paths, pattern)
  end
end

--- Called by the host: set the commands of a prompt. The user may already have typed the beginning of one.
---@param bufnr integer
---@param commands table[] entries of the menu (`:help complete-items`)
function M.offer_commands(bufnr, commands)
  local prompt = prompt_buffer.of(bufnr)
  if prompt then
    prompt.offer.commands = commands
    offer(prompt)
  end
end

local latest = {} ---@type string[] the files for the second call of the 'omnifunc'

--- 'omnifunc' of the prompt. If the host is slow, the menu opens later.
---@param findstart 0|1
---@param base string what was typed so far
---@return integer|table start or items
function M.omnifunc(findstart, base)
  local prompt, found = here()
  if findstart == 0 then
    local pattern = base:gsub('^[@/]"?', '')
    return prompt and items(prompt, base:sub(1, 1) == '/', pattern, latest) or {}
  elseif prompt and found and not found.is_command then
    local paths ---@type string[]?
    ask(prompt, found.pattern, function(given)
      paths = given
    end)
    vim.wait(TIMEOUT_MS, function()
      return paths ~= nil
    end, 1)
    latest = paths or {}
    if not paths then
      answer = function(given)
        offer(prompt, given, found.pattern)
      end
      -- "Cancel silently and leave completion mode."
      return -3
    end
  end
  return prompt and found and found.column or -3
end

local is_the_users = false

-- What the key does elsewhere: its map in the prompt hides one of the user's, such as that of a plugin, which
-- may lead to <Tab> again.
local function users_tab()
  local mode = api.nvim_get_mode().mode:sub(1, 1)
  local map = vim.iter(api.nvim_get_keymap(mode)):find(function(each)
    return each.lhs == '<Tab>'
  end)
  if not map or is_the_users then
    return '<Tab>'
  end
  map.lhs, map.lhsraw = USERS_TAB, vim.keycode(USERS_TAB)
  fn.mapset(mode, false, map)
  return function()
    is_the_users = true
    api.nvim_feedkeys(vim.keycode(USERS_TAB), 'im', false)
    vim.schedule(function()
      is_the_users = false
    end)
  end
end

local function accept()
  if fn.pumvisible() == 0 then
    return suggestion.taking(api.nvim_get_current_buf()) or users_tab()
  end
  return fn.complete_info({ 'selected' }).selected < 0 and '<C-n><C-y>' or '<C-y>'
end

local accepts = 'Accept the completion, or the suggestion'

--- The key that accepts an entry of the menu, or what is suggested in an empty prompt.
---@type claude_ide.ChatKey
M.KEY = { 'ni', { '<Tab>' }, 'complete', accepts, accept, expr = true }

-- Whether the prompt's own menu opens: `b:claude_chat_menu = false` leaves completion to others.
local function has_own_menu(bufnr)
  return vim.b[bufnr].claude_chat_menu ~= false
end

local function keep_others_out(bufnr)
  if not has_own_menu(bufnr) then
    return
  end
  for name, value in pairs(SWITCHES) do
    if vim.b[bufnr][name] == nil then
      vim.b[bufnr][name] = value
    end
  end
  if fn.exists('+autocomplete') == 1 then
    -- Otherwise a menu of keywords would be open nearly always, and <Up> would move in it.
    api.nvim_set_option_value('autocomplete', false, { buf = bufnr })
  end
  -- nvim-cmp has no buffer variable, and may be loaded at any time.
  api.nvim_buf_call(bufnr, function()
    pcall(function()
      package.loaded['cmp'].setup.buffer({ enabled = false })
    end)
  end)
end

--- Set up completion in a prompt: by 'omnifunc', and automatically after `@` or `/`.
---@param prompt claude_ide.PromptBuffer
function M.attach(prompt)
  local bufnr, accepted = prompt.prompt, nil
  local options = vim.bo[bufnr]
  options.omnifunc = "v:lua.require'claude_ide.chat.prompt.completion'.omnifunc"
  options.completeopt = 'menuone,noselect,popup'
  -- From `FileType` on, in which the user can decide otherwise.
  on({ 'FileType', 'InsertEnter' }, bufnr, function()
    keep_others_out(bufnr)
  end)
  on({ 'TextChangedI', 'TextChangedP' }, bufnr, function()
    local is_chosen = fn.pumvisible() == 1 and fn.complete_info({ 'selected' }).selected >= 0
    if not is_chosen and before_cursor() ~= accepted and has_own_menu(bufnr) then
      offer(prompt)
    end
  end)
  on('CompleteDone', bufnr, function()
    local word = vim.v.completed_item.word
    local row, column = unpack(api.nvim_win_get_cursor(0))
    -- An accepted entry ends in a quote, and a plugin that pairs quotes has already inserted one.
    if word and word:sub(-1) == '"' and fn.getline('.'):sub(column + 1, column + 1) == '"' then
      api.nvim_buf_set_text(0, row - 1, column, row - 1, column + 1, {})
    end
    -- After a folder, completion continues with what is in it.
    local is_final = word and word:sub(-1) ~= '/' or vim.v.event.reason == 'cancel'
    accepted = is_final and before_cursor() or nil
  end)
end

return M
