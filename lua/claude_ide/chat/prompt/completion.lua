--- Completion in the prompt: `@file` anywhere, `/command` at its start.
local chat_files = require('claude_ide.chat.prompt.files')
local chat_menus = require('claude_ide.chat.prompt.menus')
local chat_room = require('claude_ide.chat.prompt.room')
local register = require('claude_ide.chat.prompt.register')

local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_chat_prompt_completion', { clear = true })

local LIMIT = 200

---@class claude_ide.ChatToken
---@field kind 'file'|'command'
---@field column integer bytes before it
---@field pattern string what was typed after its `@` or `/`

-- The token that the cursor is at the end of.
---@return claude_ide.ChatToken?
local function token()
  local line, column = unpack(vim.api.nvim_win_get_cursor(0))
  local before = vim.api.nvim_get_current_line():sub(1, column)
  if line == 1 and before:find('^/%S*$') then
    return { kind = 'command', column = 0, pattern = before:sub(2) }
  end
  if vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]:sub(1, 1) == '!' then
    -- A command for the shell, which has no mentions.
    return
  end
  for _, form in ipairs({ '@"([^"]*)$', '@([^%s"@]*)$' }) do
    local start, _, pattern = before:find(form)
    ---@cast pattern string
    if start and (start == 1 or before:sub(start - 1, start - 1):find('[%s(]')) then
      return { kind = 'file', column = start - 1, pattern = pattern }
    end
  end
end

local function exists(root)
  return function(path)
    return vim.uv.fs_lstat(vim.fs.joinpath(root, path)) ~= nil
  end
end

local function file_item(path)
  local word = path:find('%s') and ('@"%s"'):format(path) or '@' .. path
  return { word = word, abbr = path, menu = path:sub(-1) == '/' and 'folder' or '', dup = 1 }
end

local function command_item(command)
  local hint = command.hint ~= '' and command.hint ~= vim.NIL and ' ' .. command.hint or ''
  return {
    word = '/' .. command.name,
    abbr = '/' .. command.name .. hint,
    menu = vim.fn.strcharpart(command.description:gsub('%s+', ' '), 0, 60),
    info = command.description,
  }
end

local function command_items(commands, pattern)
  if pattern ~= '' then
    commands = vim.fn.matchfuzzy(commands, pattern, { key = 'name', limit = LIMIT })
  end
  return vim.iter(commands):take(chat_room.items(LIMIT)):map(command_item):totable()
end

---@param prompt claude_ide.PromptBuffer
---@param found claude_ide.ChatToken
---@param on_done? fun() called once they are known, if they are not known yet
---@return table[]? items nil if they are not known yet
local function items(prompt, found, on_done)
  if found.kind == 'command' then
    return command_items(prompt.offer.commands, found.pattern)
  end
  local paths = chat_files.list(prompt.options.root, on_done)
  local matches = paths and chat_files.match(paths, found.pattern, LIMIT, on_done)
  -- Git lists files until their deletion is staged.
  return matches
    and vim
      .iter(matches)
      :filter(exists(prompt.options.root))
      :take(chat_room.items(LIMIT))
      :map(file_item)
      :totable()
end

local function before_cursor()
  return vim.api.nvim_get_current_line():sub(1, vim.api.nvim_win_get_cursor(0)[2])
end

---@param prompt claude_ide.PromptBuffer
local function offer(prompt)
  local found = vim.fn.mode():find('^i') and register.here() == prompt and token()
  if not found then
    return
  end
  local list = items(prompt, found, function()
    offer(prompt)
  end)
  local typed = before_cursor():sub(found.column + 1)
  if list and not (#list == 1 and list[1].word == typed) then
    chat_room.watch(function()
      offer(prompt)
    end)
    vim.fn.complete(found.column + 1, list)
  end
end

--- 'omnifunc' of the prompt.
---@param findstart 0|1
---@param base string what was typed so far
---@return integer|table start or items
function M.omnifunc(findstart, base)
  local prompt, found = register.here(), token()
  if findstart == 0 then
    local kind = base:sub(1, 1) == '/' and 'command' or 'file'
    local pattern = base:gsub('^[@/]"?', '')
    return prompt and items(prompt, { kind = kind, column = 0, pattern = pattern }) or {}
  end
  local function retry()
    offer(prompt)
  end
  if prompt and found and items(prompt, found, retry) then
    return found.column
  end
  -- "Cancel silently and leave completion mode."
  return -3
end

--- The keys that accept an entry of the menu, or <Tab> without a menu: for an `<expr>` mapping.
---@return string keys
function M.accept()
  if vim.fn.pumvisible() == 0 then
    return '<Tab>'
  end
  return vim.fn.complete_info({ 'selected' }).selected < 0 and '<C-n><C-y>' or '<C-y>'
end

-- An accepted entry ends in a quote, and a plugin that pairs quotes has already inserted one.
local function drop_second_quote(word)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local behind = vim.api.nvim_get_current_line():sub(column + 1, column + 1)
  if word and word:sub(-1) == '"' and behind == '"' then
    vim.api.nvim_buf_set_text(0, row - 1, column, row - 1, column + 1, {})
  end
end

--- Set up completion in a prompt: by 'omnifunc', and automatically after `@` or `/`.
---@param prompt claude_ide.PromptBuffer
function M.attach(prompt)
  local bufnr, accepted = prompt.prompt, nil
  local options = vim.bo[bufnr]
  options.omnifunc = "v:lua.require'claude_ide.chat.prompt.completion'.omnifunc"
  options.completeopt = 'menuone,noselect,popup'
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = augroup, buffer = bufnr, callback = callback })
  end
  chat_menus.keep_out(bufnr)
  on({ 'TextChangedI', 'TextChangedP' }, function()
    local is_chosen = vim.fn.pumvisible() == 1
      and vim.fn.complete_info({ 'selected' }).selected >= 0
    if not is_chosen and before_cursor() ~= accepted and chat_menus.is_own(bufnr) then
      offer(prompt)
    end
  end)
  on('CompleteDone', function()
    chat_room.restore()
    local word = vim.v.completed_item.word
    drop_second_quote(word)
    -- After a folder, completion continues with what is in it.
    local is_final = word and word:sub(-1) ~= '/' or vim.v.event.reason == 'cancel'
    accepted = is_final and before_cursor() or nil
  end)
end

return M
