-- Prints the definitions, requires, calls and events of the Lua files on stdin (one path a line) as JSON.
-- It uses Neovim's own parser: `nvim -l lua_source.lua <paths`.

local ANY_NUMBER = 255
local NO_FUNCTIONS = { ['false'] = true, ['nil'] = true, ['true'] = true }
for _, kind in ipairs({ 'number', 'string', 'table_constructor' }) do
  NO_FUNCTIONS[kind] = true
end

local text_of = vim.treesitter.get_node_text

local function field(node, name)
  return node:field(name)[1]
end

---@return string? content of a literal
local function literal(node, source)
  if node and node:type() == 'string' then
    local content = field(node, 'content')
    return content and text_of(content, source) or ''
  end
end

local function values(node)
  return node and node:named_children() or {}
end

-- The module name in `require('x')`.
local function required(node, source)
  if
    node
    and node:type() == 'function_call'
    and text_of(field(node, 'name'), source) == 'require'
  then
    return literal(values(field(node, 'arguments'))[1], source)
  end
end

-- A local function that only returns a module: `local function host() return require('x') end`.
local function required_by(definition, source)
  local body = field(definition, 'body')
  local statement = body and body:named_child_count() == 1 and body:named_child(0)
  if statement and statement:type() == 'return_statement' then
    return required(values(statement:named_child(0))[1], source)
  end
end

local function names_in(list, name, source)
  return vim.iter(values(list)):any(function(node)
    return text_of(node, source) == name
  end)
end

-- The declaration of a local name by a statement: `module` or `maker` names the module, if it is one.
local function declared_by(statement, name, source)
  local kind = statement:type()
  if kind == 'function_declaration' and text_of(field(statement, 'name'), source) == name then
    return { maker = required_by(statement, source) or false }
  elseif kind ~= 'variable_declaration' then
    return
  end
  local assignment = statement:named_child(0)
  if assignment:type() ~= 'assignment_statement' then
    return names_in(assignment, name, source) and {} or nil
  end
  local left, right = assignment:named_child(0), assignment:named_child(1)
  for index, node in ipairs(values(left)) do
    if text_of(node, source) == name then
      local value = values(right)[index]
      return { module = required(value, source), value = value, at = statement }
    end
  end
end

-- The declaration of a name that applies at a node: the nearest one around or before it.
local function declaration(node, name, source)
  local here = node
  while here do
    local before = here:prev_named_sibling()
    while before do
      local found = declared_by(before, name, source)
      if found then
        return found
      end
      before = before:prev_named_sibling()
    end
    here = here:parent()
    local kind = here and here:type()
    if kind == 'function_declaration' then
      local found = declared_by(here, name, source)
      if found then
        return found
      end
    end
    if kind == 'function_declaration' or kind == 'function_definition' then
      if names_in(field(here, 'parameters'), name, source) then
        return {}
      end
    elseif kind == 'for_statement' then
      local clause = field(here, 'clause')
      if clause and names_in(clause:named_child(0), name, source) then
        return {}
      elseif
        clause
        and field(clause, 'name')
        and text_of(field(clause, 'name'), source) == name
      then
        return {}
      end
    end
  end
end

-- The name of the table that a module returns.
local function returned(root, source)
  for index = root:named_child_count() - 1, 0, -1 do
    local statement = root:named_child(index)
    if statement:type() == 'return_statement' then
      local value = values(statement:named_child(0))[1]
      return value and value:type() == 'identifier' and text_of(value, source) or nil
    end
  end
end

local function parameters(definition)
  local list = values(field(definition, 'parameters'))
  local last = list[#list]
  return last and last:type() == 'vararg_expression' and ANY_NUMBER or #list
end

-- The least number of arguments in a call.
local function arguments(call)
  local list = vim.tbl_filter(function(node)
    return node:type() ~= 'comment'
  end, values(field(call, 'arguments')))
  local last = list[#list]
  return #list - (last and last:type() == 'vararg_expression' and 1 or 0)
end

local function is_called(node)
  local parent = node:parent()
  return parent:type() == 'function_call' and field(parent, 'name'):equal(node)
end

local function line_of(node)
  return (node:start()) + 1
end

---@param source string
local function read(source)
  local root = vim.treesitter.get_string_parser(source, 'lua'):parse()[1]:root()
  local found = {
    is_sound = not root:has_error(),
    strings = {},
    defined = vim.empty_dict(),
    uses = {},
    emits = {},
    pairs = {},
    replaced = {},
    classes = {},
  }
  local own = returned(root, source)

  -- The module that is the value of an expression; '' is the file's own.
  local function module_of(node)
    if not node then
      return
    elseif node:type() == 'function_call' then
      local name = field(node, 'name')
      if name:type() == 'identifier' and #values(field(node, 'arguments')) == 0 then
        local made = declaration(node, text_of(name, source), source)
        return made and made.maker or nil
      end
      return required(node, source)
    elseif node:type() == 'identifier' then
      local name = text_of(node, source)
      local made = declaration(node, name, source)
      if made and made.module then
        return made.module
      elseif made and name == own and made.at and made.at:parent():equal(root) then
        return ''
      end
    end
  end

  local function define(target, value)
    if target:type() ~= 'dot_index_expression' and target:type() ~= 'method_index_expression' then
      return
    end
    local module = module_of(field(target, 'table'))
    if module then
      local name = text_of(field(target, 'field') or field(target, 'method'), source)
      local kind = value and value:type() or 'nil'
      local count = kind:find('^function_de') and parameters(value) or ANY_NUMBER
      if module == '' then
        found.defined[name] = { count = count, is_function = not NO_FUNCTIONS[kind] }
      end
    elseif text_of(target, source):find('^vim%.') then
      table.insert(found.replaced, { text = text_of(target, source), line = line_of(target) })
    end
  end

  local function use(node, count)
    local module = module_of(field(node, 'table'))
    if module then
      local name = text_of(field(node, 'field'), source)
      table.insert(
        found.uses,
        { module = module, name = name, count = count, line = line_of(node) }
      )
    end
  end

  local function visit_call(node)
    local name = field(node, 'name')
    if name:type() == 'dot_index_expression' then
      use(name, arguments(node))
      if
        module_of(field(name, 'table')) == 'claude_ide.channel'
        and text_of(field(name, 'field'), source) == 'emit'
      then
        local event = literal(values(field(node, 'arguments'))[1], source)
        table.insert(found.emits, { text = event or '', line = line_of(node) })
      end
    end
    local first, second = unpack(values(field(node, 'arguments')))
    local module, fn = literal(first, source), literal(second, source)
    if module and fn then
      table.insert(found.pairs, { module = module, name = fn, line = line_of(node) })
    end
  end

  -- Adds the fields in the constructor of the module's table.
  local function define_fields(statement)
    local made = own and declared_by(statement, own, source)
    for _, value in ipairs(made and values(made.value) or {}) do
      local name = value:type() == 'field' and field(value, 'name')
      if name then
        local kind = field(value, 'value'):type()
        local is_function = not NO_FUNCTIONS[kind]
        found.defined[text_of(name, source)] = { count = ANY_NUMBER, is_function = is_function }
      end
    end
  end

  local function visit(node)
    local kind = node:type()
    if kind == 'string' then
      table.insert(found.strings, { text = literal(node, source), line = line_of(node) })
    elseif kind == 'function_declaration' then
      define(field(node, 'name'), node)
    elseif kind == 'assignment_statement' then
      local right = values(node:named_child(1))
      for index, target in ipairs(values(node:named_child(0))) do
        define(target, right[index])
      end
    elseif kind == 'function_call' then
      visit_call(node)
    elseif kind == 'dot_index_expression' and not is_called(node) then
      use(node, 0)
    elseif kind == 'variable_declaration' and node:parent():equal(root) then
      define_fields(node)
    end
    for child in node:iter_children() do
      visit(child)
    end
  end

  visit(root)
  local row = 0
  for line in vim.gsplit(source, '\n', { plain = true }) do
    row = row + 1
    local class = line:match('^%-%-%-@class%s+([%w_.]+)') or line:match('^%-%-%-@alias%s+([%w_.]+)')
    if class then
      table.insert(found.classes, { text = class, line = row })
    end
  end
  return found
end

local all = vim.empty_dict()
for path in io.lines() do
  all[path] = read(vim.fn.readblob(path))
end
io.stdout:write(vim.json.encode(all))
