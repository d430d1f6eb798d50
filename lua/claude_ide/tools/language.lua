--- The model's questions to the user's language servers.
local locations = require('claude_ide.tools.locations')
local place = require('claude_ide.tools.place')
local servers = require('claude_ide.tools.servers')

local M = {}

-- Ask about a place; the answers are locations.
local function find(method, arguments, more, answer)
  local bufnr = place.buffer(arguments.file)
  local row, col = place.position(bufnr, arguments)
  return servers.ask(bufnr, method, function(client)
    return vim.tbl_extend('force', servers.at(client, bufnr, row, col), more)
  end, function(answers)
    if answers.error then
      return answer(answers)
    end
    locations.describe(answers, arguments, answer)
  end)
end

---@type claude_ide.Tool
function M.definition(arguments, answer)
  return find('textDocument/definition', arguments, {}, answer)
end

---@type claude_ide.Tool
function M.references(arguments, answer)
  local more = { context = { includeDeclaration = true } }
  return find('textDocument/references', arguments, more, answer)
end

return M
