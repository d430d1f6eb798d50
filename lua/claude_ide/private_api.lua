--- What Neovim offers no public way for. If one of its own functions is gone, less is found: nothing fails.
--- `tests/lua/test_private_api.py` checks what is expected of them (run with Neovim 0.11 and 0.12).
local autocommands = require('claude_ide.messages.autocommands')

local M = {}

local api = vim.api

local COMMAND, APPLY = 'workspace/executeCommand', 'workspace/applyEdit'
local SHOW = 'window/showMessage'
-- Methods of the protocol begin so; of these, only `COMMAND` has a server send an edit by itself.
local STANDARD = {
  'textDocument/',
  'workspace/',
  'workspaceSymbol/',
  'codeAction/',
  'codeLens/',
  'completionItem/',
  'documentLink/',
  'inlayHint/',
  'callHierarchy/',
  'typeHierarchy/',
  '$/',
}
local AWAITS_REVIEW = 'the user reviews this edit first'

--- Milliseconds. A server may send its edit, or complain that it was not applied, just after its answer.
M.settles_within = 250

local on = autocommands.group('claude_ide_private_api')

local FOLDER = debug.getinfo(1, 'S').source:match('^(.*/)private_api%.lua$')

--- Whether Lua other than ours has caused what is going on, such as the timer of a plugin.
---@return boolean
function M.is_in_lua_of_others()
  local level, outermost = 1, debug.getinfo(1, 'S')
  while debug.getinfo(level + 1, 'S') do
    level = level + 1
    outermost = debug.getinfo(level, 'S')
  end
  return not vim.startswith(outermost.source, FOLDER)
end

--- The clients of a buffer, or all, that have not reported their capabilities yet.
---@type fun(bufnr?: integer): vim.lsp.Client[]
function M.starting(bufnr)
  local clients = vim.lsp.get_clients({ bufnr = bufnr, _uninitialized = true })
  return vim.tbl_filter(function(client)
    return not client.initialized and not client:is_stopped()
  end, clients)
end

--- The options with which a server provides a method, also those that it has registered later. Neovim 0.11
--- knows only what a server has reported first.
---@type fun(client: vim.lsp.Client, method: string): table[]
function M.providers(client, method)
  local found = {}
  if client._provider_foreach then
    client:_provider_foreach(method, function(provider)
      found[#found + 1] = type(provider) == 'table' and provider or {}
    end)
  end
  return found
end

--- The version of a buffer's text that servers have got last.
---@type fun(bufnr: integer): integer?
function M.version(bufnr)
  return (vim.lsp.util.buf_versions or {})[bufnr]
end

--- Give a buffer a parser without regions, which sees nothing of the text. Highlighters, 'foldexpr' and other
--- plugins all get this parser. Neovim discards a parser without references.
---@param bufnr integer
---@param language? string default: the file type's
---@return vim.treesitter.LanguageTree?
function M.blind(bufnr, language)
  local parser = vim.treesitter.get_parser(bufnr, language, { error = false })
  if parser then
    ---@diagnostic disable-next-line: invisible
    parser:set_included_regions({})
    for _, child in ipairs(vim.tbl_keys(parser:children())) do
      ---@diagnostic disable-next-line: invisible
      parser:remove_child(child)
    end
  end
  return parser
end

-- Whether a request can cause an edit that the server sends by itself: that of a command, or one that only
-- this server knows.
local function may_cause_an_edit(method)
  return method == COMMAND
    or not vim.iter(STANDARD):any(function(prefix)
      return vim.startswith(method, prefix)
    end)
end

-- Put handlers in the place of a client's own. Returns what puts those back.
local function swap(client, ours)
  local handlers, theirs = client.handlers, {}
  for method, handler in pairs(ours) do
    theirs[method] = handlers[method]
    handlers[method] = function(...)
      return handler(theirs[method] or vim.lsp.handlers[method], ...)
    end
    ours[method] = handlers[method]
  end
  return function()
    for method, handler in pairs(ours) do
      -- Another plugin may have put its own there since.
      if handlers[method] == handler then
        handlers[method] = theirs[method]
      end
    end
  end
end

--- Send a request by `send`, and catch the edits that the server sends then, and its complaint that they were
--- not applied. No edit says what has caused it, and the protocol has no other way to see one before it is
--- applied. While a request of the user's could be the cause, nothing is caught: the user's own actions are
--- never held up, and the user has agreed that the command changes files.
---@param client vim.lsp.Client
---@param send fun()
---@param on_edit fun(edit: lsp.WorkspaceEdit)
---@return fun() release
function M.catch_edits(client, send, on_edit)
  local ours, is_sending, settles_at = {}, true, 0
  local listening = on('LspRequest', nil, function(event)
    local data = event.data
    if data.client_id ~= client.id then
      return
    elseif is_sending then
      ours[data.request_id] = true
    elseif not ours[data.request_id] and may_cause_an_edit(data.request.method) then
      settles_at = vim.uv.now() + M.settles_within
    end
  end)
  local function may_be_the_users()
    return vim.uv.now() < settles_at
      or vim.iter(pairs(client.requests)):any(function(id, sent)
        return not ours[id] and sent.type == 'pending' and may_cause_an_edit(sent.method)
      end)
  end
  local restore = swap(client, {
    [APPLY] = function(theirs, err, parameters, context)
      if may_be_the_users() then
        return theirs(err, parameters, context)
      end
      on_edit(parameters.edit)
      return { applied = false, failureReason = AWAITS_REVIEW }
    end,
    [SHOW] = function(theirs, err, parameters, context)
      if not (parameters and tostring(parameters.message):find(AWAITS_REVIEW, 1, true)) then
        return theirs(err, parameters, context)
      end
    end,
  })
  send()
  is_sending = false
  return function()
    api.nvim_del_autocmd(listening)
    restore()
  end
end

return M
