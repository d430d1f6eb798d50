--- Code actions of language servers: found, completed, and turned into the texts of files. Actions that are
--- commands send their edit back, which is caught here.
local place = require('claude_ide.tools.place')
local reason = require('claude_ide.say.reason')
local request = require('claude_ide.tools.request')
local servers = require('claude_ide.tools.servers')
local workspace_edit = require('claude_ide.tools.workspace_edit')

local M = {}

local api = vim.api

local group = api.nvim_create_augroup('claude_ide_code_actions', {})

local METHOD, RESOLVE = 'textDocument/codeAction', 'codeAction/resolve'
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

-- Milliseconds. A server may send its edit, or complain that it was not applied, just after its answer.
local SETTLES_WITHIN = 250
local FORGOTTEN_AFTER = 600000
local MADE_WITHIN = 60 -- seconds
local MOST_LISTED = 30
local LONGEST_TITLE = 200

---@class claude_ide.OfferedAction
---@field client vim.lsp.Client
---@field action lsp.CodeAction a bare command is the `command` of one

---@class claude_ide.ActionRange rows 0-based, columns in bytes
---@field first integer[]
---@field last integer[]

local function given(value)
  return value ~= nil and value ~= vim.NIL
end

local function end_of(bufnr, row)
  return #api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
end

-- Whole lines, unless a column or a symbol is given.
---@return claude_ide.ActionRange
local function range_of(bufnr, arguments)
  local row = arguments.line - 1
  local has_place = given(arguments.column) or given(arguments.symbol)
  local _, col = place.position(bufnr, arguments)
  local first = { row, has_place and col or 0 }
  if given(arguments.end_line) then
    local ending = { line = arguments.end_line, column = arguments.end_column }
    local last, last_col = place.position(bufnr, ending)
    last_col = given(arguments.end_column) and last_col or end_of(bufnr, last)
    return { first = first, last = { last, last_col } }
  elseif not has_place then
    return { first = first, last = { row, end_of(bufnr, row) } }
  end
  local length = given(arguments.symbol) and #arguments.symbol or 0
  return { first = first, last = { row, col + length } }
end

local function position(client, bufnr, at)
  local text = api.nvim_buf_get_lines(bufnr, at[1], at[1] + 1, true)[1]
  return { line = at[1], character = vim.str_utfindex(text, client.offset_encoding, at[2], false) }
end

-- The server's own diagnostics in these lines, as it has sent them: only for these it offers fixes.
local function diagnostics(client, bufnr, range)
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(bufnr)) do
    local raw = type(one.user_data) == 'table' and one.user_data.lsp
    local is_here = one.lnum <= range.last[1] and (one.end_lnum or one.lnum) >= range.first[1]
    if raw and is_here and servers.publishes_in(client, one.namespace) then
      found[#found + 1] = raw
    end
  end
  return found
end

local function is_of_kind(action, kind)
  return action.kind == kind or vim.startswith(action.kind or '', kind .. '.')
end

local function is_wanted(action, arguments)
  if given(arguments.title) and action.title ~= arguments.title then
    return false
  end
  return not given(arguments.kind) or is_of_kind(action, arguments.kind)
end

---@return claude_ide.OfferedAction[]
local function offered(answers)
  local all = {}
  for _, one in ipairs(answers) do
    for _, action in ipairs(vim.islist(one.result) and one.result or {}) do
      if type(action.command) == 'string' then
        action = { title = action.title, command = action }
      end
      all[#all + 1] = { client = one.client, action = action }
    end
  end
  return all
end

local function listed(all)
  local lines = {}
  for _, one in ipairs(vim.list_slice(all, 1, MOST_LISTED)) do
    local title = one.action.title:gsub('%s+', ' '):sub(1, LONGEST_TITLE)
    local kind = one.action.kind and (' (%s)'):format(one.action.kind) or ''
    lines[#lines + 1] = ('\n- %s%s, %s'):format(title, kind, one.client.name)
  end
  return table.concat(lines)
end

-- The action that the arguments name.
---@return claude_ide.OfferedAction? one
---@return string? problem
local function choose(all, arguments)
  local wanted = vim.tbl_filter(function(one)
    return is_wanted(one.action, arguments)
  end, all)
  local enabled = vim.tbl_filter(function(one)
    return not one.action.disabled
  end, wanted)
  if #wanted > 0 and #enabled == 0 then
    local why = wanted[1].action.disabled.reason or 'no reason was given'
    return nil, ('"%s" is not possible here: %s'):format(wanted[1].action.title, why)
  elseif not given(arguments.title) and (not given(arguments.kind) or #enabled > 1) then
    local say = #all > 0 and 'give the title of one of these code actions:' .. listed(wanted)
    return nil, say or 'no code action is offered here'
  elseif #enabled == 0 then
    return nil,
      #all > 0 and 'not offered here; these are:' .. listed(all) or 'no code action is offered here'
  end
  return enabled[1]
end

local function key(one)
  return ('%d\0%s\0%s'):format(one.client.id, one.action.kind or '', one.action.title)
end

-- Some servers answer with all actions, whatever is asked for.
local function merged(all, more)
  local known = {}
  for _, one in ipairs(all) do
    known[key(one)] = true
  end
  for _, one in ipairs(more) do
    if not known[key(one)] then
      all[#all + 1] = one
    end
  end
  return all
end

-- Ask for all actions. Some servers offer actions on the whole file only if asked for these.
local function find(bufnr, arguments, done)
  range_of(bufnr, arguments)
  local cancel, ticks
  local function ask(only, finish)
    cancel = servers.ask(bufnr, METHOD, function(client)
      ticks = ticks or workspace_edit.snapshot()
      local range = range_of(bufnr, arguments)
      return {
        textDocument = vim.lsp.util.make_text_document_params(bufnr),
        range = {
          start = position(client, bufnr, range.first),
          ['end'] = position(client, bufnr, range.last),
        },
        context = {
          diagnostics = diagnostics(client, bufnr, range),
          only = only and { only } or nil,
          triggerKind = 1,
        },
      }
    end, finish)
  end
  ask(given(arguments.kind) and arguments.kind or nil, function(answers)
    local all = not answers.error and offered(answers) or {}
    if answers.error or given(arguments.kind) or choose(all, arguments) then
      return done(answers.error and answers or all, ticks)
    end
    ask('source', function(more)
      done(not more.error and merged(all, offered(more)) or all, ticks)
    end)
  end)
  return function()
    cancel()
  end
end

local function knows(client, command)
  local provider = client.server_capabilities.executeCommandProvider or {}
  local registered = vim.iter((client.registrations or {})[COMMAND] or {})
  return vim.list_contains(provider.commands or {}, command)
    or registered:any(function(registration)
      return vim.list_contains(registration.registerOptions.commands, command)
    end)
end

-- The command that has to follow the edit of an action.
local function follow_up(one)
  local command = one.action.command
  if not given(command) then
    return nil
  elseif not knows(one.client, command.command) then
    local text = '"%s" needs the command %s of another editor; nothing was changed'
    error(text:format(one.action.title, command.command), 0)
  end
  return {
    client = one.client.id,
    server = one.client.name,
    command = command.command,
    arguments = command.arguments,
    title = one.action.title,
  }
end

-- Complete an action that has no edit yet.
local function resolve(one, bufnr, done)
  if given(one.action.edit) or not one.client:supports_method(RESOLVE, bufnr) then
    done()
    return nil
  end
  return request.send(one.client, bufnr, RESOLVE, one.action, function(failure, result)
    if failure and not given(one.action.command) then
      return done(('%s: %s'):format(one.client.name, failure))
    elseif not failure and type(result) == 'table' then
      one.action = result
    end
    done()
  end)
end

local function describe(one, ticks, answer)
  local ok, command = pcall(follow_up, one)
  if not ok then
    return answer({ error = reason.of(command) })
  elseif not given(one.action.edit) then
    if not command then
      return answer({ error = ('"%s" has neither an edit nor a command'):format(one.action.title) })
    end
    return answer({
      files = {},
      command = command,
      server = one.client.name,
      title = one.action.title,
    })
  end
  workspace_edit.describe(one.action.edit, one.client, ticks, function(files)
    answer(files.error and files or {
      files = files,
      command = command,
      server = one.client.name,
      title = one.action.title,
    })
  end)
end

--- Answers the `files` that a code action changes, and the `command` that has to follow, if any.
---@type claude_ide.Tool
function M.find(arguments, answer)
  local bufnr = place.buffer(arguments.file)
  local cancel
  cancel = find(bufnr, arguments, function(all, ticks)
    if all.error then
      return answer(all)
    end
    local one, problem = choose(all, arguments)
    if not one then
      return answer({ error = problem })
    end
    cancel = resolve(one, bufnr, function(failure)
      if failure then
        return answer({ error = failure })
      end
      describe(one, ticks, answer)
    end) or cancel
  end)
  return function()
    cancel()
  end
end

-- Whether a request can cause an edit that the server sends by itself: that of a command, or one that only
-- this server knows.
local function may_cause_an_edit(method)
  return method == COMMAND
    or not vim.iter(STANDARD):any(function(prefix)
      return vim.startswith(method, prefix)
    end)
end

-- Tell the requests of the user to a server from those that are sent in `own`.
---@param client vim.lsp.Client
local function follow_requests(client)
  local ours, is_sending, settles_at = {}, false, 0
  local listening = api.nvim_create_autocmd('LspRequest', {
    group = group,
    callback = function(event)
      local data = event.data
      if data.client_id ~= client.id then
        return
      elseif is_sending then
        ours[data.request_id] = true
      elseif not ours[data.request_id] and may_cause_an_edit(data.request.method) then
        settles_at = vim.uv.now() + SETTLES_WITHIN
      end
    end,
  })
  return {
    own = function(send)
      is_sending = true
      local results = vim.F.pack_len(send())
      is_sending = false
      return vim.F.unpack_len(results)
    end,
    -- Whether an edit that arrives now may be the user's.
    has_others = function()
      return vim.uv.now() < settles_at
        or vim.iter(pairs(client.requests)):any(function(id, sent)
          return not ours[id] and sent.type == 'pending' and may_cause_an_edit(sent.method)
        end)
    end,
    stop = function()
      api.nvim_del_autocmd(listening)
    end,
  }
end

-- Catch the edits that a server sends while it runs a command, and its complaint that they were not applied.
-- No edit says what has caused it, and the protocol has no other way to see one before it is applied. While a
-- request of the user's could be the cause, nothing is caught: the user's own actions are never held up, and
-- the user has agreed that the command changes files.
---@param client vim.lsp.Client
---@param requests { has_others: fun(): boolean }
---@param on_edit fun(edit: lsp.WorkspaceEdit)
---@return fun() release
local function catch(client, requests, on_edit)
  local handlers, theirs, ours = client.handlers, {}, {}
  local function pass_on(method, ...)
    return (theirs[method] or vim.lsp.handlers[method])(...)
  end
  ours[APPLY] = function(err, parameters, context)
    if requests.has_others() then
      return pass_on(APPLY, err, parameters, context)
    end
    on_edit(parameters.edit)
    return { applied = false, failureReason = AWAITS_REVIEW }
  end
  ours[SHOW] = function(err, parameters, context)
    if not (parameters and tostring(parameters.message):find(AWAITS_REVIEW, 1, true)) then
      return pass_on(SHOW, err, parameters, context)
    end
  end
  for method, handler in pairs(ours) do
    theirs[method], handlers[method] = handlers[method], handler
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

-- Some servers create a file themselves before they send its text.
local function mark_made(file)
  local stat = not file.is_new and vim.uv.fs_stat(file.path)
  file.is_made = stat and stat.size == 0 and os.time() - stat.birthtime.sec < MADE_WITHIN or nil
end

local running = {} ---@type table<integer, true> by client

-- Call `done` a moment after the server has answered: until then it may send an edit.
local function when_answered(is_owed, done, waited)
  waited = (waited or 0) + SETTLES_WITHIN
  vim.defer_fn(function()
    if is_owed() and waited < FORGOTTEN_AFTER then
      return when_answered(is_owed, done, waited)
    end
    done()
  end, SETTLES_WITHIN)
end

-- Answer with the first edit that a server has sent.
local function describe_sent(client, edits, ticks, answer)
  workspace_edit.describe(edits[1], client, ticks, function(files)
    if files.error then
      return answer(files)
    end
    vim.iter(files):each(mark_made)
    answer({ files = files, has_edit = true, left_out = #edits - 1 })
  end)
end

--- Have a server run a command that the user has agreed to. Answers the `files` of the edit that it sends,
--- whether it sends one, and how many further edits were `left_out`. Edits that arrive after the command was
--- given up are not applied either.
---@param arguments { client: integer, command: string, arguments?: any[] }
---@param answer claude_ide.ToolAnswer
function M.run(arguments, answer)
  local client = vim.lsp.get_client_by_id(arguments.client)
  if not client then
    return answer({ error = 'the language server has ended' })
  elseif running[client.id] then
    return answer({ error = client.name .. ' is still running another command' })
  end
  running[client.id] = true
  local ticks, edits = workspace_edit.snapshot(), {}
  local requests = follow_requests(client)
  local release = catch(client, requests, function(sent)
    edits[#edits + 1] = sent
  end)
  local is_over = false
  local function finish()
    if not is_over then
      is_over, running[client.id] = true, nil
      requests.stop()
      release()
    end
  end
  local parameters = { command = arguments.command, arguments = arguments.arguments }
  local function conclude(failure)
    if #edits > 0 then
      return describe_sent(client, edits, ticks, answer)
    end
    answer(failure and { error = ('%s: %s'):format(client.name, failure) } or { files = {} })
  end
  local cancel
  local function is_owed()
    return false
  end
  local function answered(failure)
    if is_owed() then
      conclude(failure)
      return when_answered(is_owed, finish)
    end
    when_answered(is_owed, function()
      finish()
      conclude(failure)
    end)
  end
  cancel, is_owed = requests.own(function()
    return request.send(client, nil, COMMAND, parameters, answered)
  end)
  return function()
    cancel()
    when_answered(is_owed, finish)
  end
end

return M
