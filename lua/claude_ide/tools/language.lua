--- The model's questions to the user's language servers about a place in a file.
local locations = require('claude_ide.tools.locations')
local place = require('claude_ide.tools.place')
local reload = require('claude_ide.disk.reload')
local servers = require('claude_ide.tools.servers')

local M = {}

local api = vim.api

-- Bytes. The host shows less.
local LONGEST = 50000

--- The buffer of a file, with the text that is on disk now unless the user has changed it.
---@param file string
---@return integer bufnr
function M.buffer(file)
  local bufnr = place.buffer(file)
  reload.sync()
  return bufnr
end

--- Ask about a place. A failure becomes the tool's answer.
---@param method string
---@param arguments table
---@param more table further parameters
---@param answer claude_ide.ToolAnswer
---@param done fun(answers: claude_ide.ServerAnswer[], asked: claude_ide.Asked)
---@param has_content? fun(result: any): boolean
---@return fun() cancel
function M.ask(method, arguments, more, answer, done, has_content)
  local bufnr = M.buffer(arguments.file)
  local row, col = place.position(bufnr, arguments)
  return servers.ask(bufnr, method, function(client)
    return vim.tbl_extend('force', servers.at(client, bufnr, row, col), more)
  end, M.unless_failed(answer, done), has_content)
end

--- Wrap a function that handles the answers of servers: a failure becomes the tool's answer.
---@param answer claude_ide.ToolAnswer
---@param done fun(answers: claude_ide.ServerAnswer[], asked: claude_ide.Asked)
---@return claude_ide.OnServerAnswers
function M.unless_failed(answer, done)
  return servers.guarded(answer, function(answers, asked)
    if answers.error then
      return answer(answers)
    end
    done(answers, asked)
  end)
end

local function find(method, arguments, more, answer)
  return M.ask(method, arguments, more, answer, function(answers, asked)
    locations.describe(answers, asked, arguments, answer)
  end)
end

---@type claude_ide.Tool
function M.definition(arguments, answer)
  return find('textDocument/definition', arguments, {}, answer)
end

---@type claude_ide.Tool
function M.type_definition(arguments, answer)
  return find('textDocument/typeDefinition', arguments, {}, answer)
end

---@type claude_ide.Tool
function M.implementation(arguments, answer)
  return find('textDocument/implementation', arguments, {}, answer)
end

---@type claude_ide.Tool
function M.references(arguments, answer)
  local more = { context = { includeDeclaration = true } }
  return find('textDocument/references', arguments, more, answer)
end

-- Documentation in any of the forms of LSP, as one text.
local function words(contents)
  if type(contents) ~= 'string' and type(contents) ~= 'table' then
    return ''
  end
  local lines = vim.lsp.util.convert_input_to_markdown_lines(contents)
  local text = vim.trim(table.concat(lines, '\n'))
  return #text > LONGEST and text:sub(1, LONGEST) .. '…' or text
end

--- Answers { text, asked }: the words of the first server that has any.
---@type claude_ide.Tool
function M.hover(arguments, answer)
  return M.ask('textDocument/hover', arguments, {}, answer, function(answers, asked)
    local text = answers[1] and words(answers[1].result.contents) or ''
    answer(vim.tbl_extend('error', { text = text }, asked))
  end, function(result)
    return words(result.contents) ~= ''
  end)
end

-- A parameter's label is its text, or the part of the signature's label, which servers count in UTF-16.
local function parameter(one, label)
  if type(one) ~= 'table' then
    return nil
  end
  local text = one.label
  if type(text) == 'table' and type(text[1]) == 'number' and type(text[2]) == 'number' then
    local first = vim.str_byteindex(label, 'utf-16', text[1], false)
    text = label:sub(first + 1, vim.str_byteindex(label, 'utf-16', text[2], false))
  end
  return type(text) == 'string' and { label = text, text = words(one.documentation) } or nil
end

local function listed(value)
  return vim.islist(value or false) and value or {}
end

local function signature(one, help, is_active)
  local index = one.activeParameter or help.activeParameter
  local parameters = {}
  for _, each in ipairs(listed(one.parameters)) do
    parameters[#parameters + 1] = parameter(each, one.label)
  end
  return {
    label = one.label,
    text = words(one.documentation),
    parameters = parameters,
    is_active = is_active,
    active = is_active and type(index) == 'number' and index + 1 or nil,
  }
end

-- A symbol stands for its call: the position is after the parenthesis that follows it.
local function in_call(bufnr, arguments)
  local row, col = place.position(bufnr, arguments)
  if type(arguments.column) == 'number' or type(arguments.symbol) ~= 'string' then
    return arguments
  end
  local text = api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
  local _, last = text:find('^%s*%(', col + #arguments.symbol + 1)
  col = last or col + #arguments.symbol
  return {
    file = arguments.file,
    line = row + 1,
    column = place.column(text, col),
  }
end

--- Answers { signatures, asked }: those of the first server that has any.
---@type claude_ide.Tool
function M.signature_help(arguments, answer)
  local wanted = in_call(M.buffer(arguments.file), arguments)
  return M.ask('textDocument/signatureHelp', wanted, {}, answer, function(answers, asked)
    local help = answers[1] and answers[1].result or {}
    local found, active = {}, type(help.activeSignature) == 'number' and help.activeSignature or 0
    for index, one in ipairs(listed(help.signatures)) do
      if type(one) == 'table' and type(one.label) == 'string' then
        found[#found + 1] = signature(one, help, index == active + 1)
      end
    end
    answer(vim.tbl_extend('error', { signatures = found }, asked))
  end, function(result)
    return #listed(result.signatures) > 0
  end)
end

return M
