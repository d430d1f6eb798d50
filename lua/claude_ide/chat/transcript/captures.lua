--- The colours of source code: which language has a parser, and how the nodes of a tree are highlighted.
local M = {}

--- Above the marks of a frame, which have the default, 4096.
M.PRIORITY = 4200

-- Nodes. The time of a query grows with the square of the depth.
local DEEPEST = 200
local ALIASES = {
  ['c++'] = 'cpp',
  console = 'bash',
  docker = 'dockerfile',
  golang = 'go',
  js = 'javascript',
  jsonc = 'json',
  jsx = 'javascript',
  md = 'markdown',
  node = 'javascript',
  py = 'python',
  python3 = 'python',
  rb = 'ruby',
  rs = 'rust',
  sh = 'bash',
  shell = 'bash',
  ts = 'typescript',
  vimscript = 'vim',
  viml = 'vim',
  yml = 'yaml',
  zsh = 'bash',
}

local function look_for_parser(name)
  for _, candidate in ipairs({ ALIASES[name] or name, vim.treesitter.language.get_lang(name) }) do
    local ok, has_parser = pcall(vim.treesitter.language.add, candidate)
    if ok and has_parser then
      return candidate
    end
  end
  return false
end

-- Cached, because a search for a missing parser reads the whole 'runtimepath'.
local parsers = {} ---@type table<string, string|false>

--- The language with a parser that a name stands for.
---@param name string as written after a fence
---@return string|false|nil language
function M.language(name)
  name = name:lower():match('^[%w_+#-]+')
  if not name then
    return
  end
  if parsers[name] == nil then
    parsers[name] = look_for_parser(name)
  end
  return parsers[name]
end

--- Call a function for each highlight in a tree.
---@param text string
---@param tree TSTree
---@param language string
---@param emit fun(range: integer[], group: string, priority: integer)
function M.each(text, tree, language, emit)
  local query = vim.treesitter.query.get(language, 'highlights')
  if not query then
    return
  end
  local options = { max_start_depth = DEEPEST }
  for capture, node, metadata in query:iter_captures(tree:root(), text, nil, nil, options) do
    local name = query.captures[capture]
    if name:sub(1, 1) ~= '_' and name ~= 'spell' and name ~= 'nospell' then
      local priority = M.PRIORITY + (tonumber(metadata.priority) or 100) - 100
      emit({ node:range() }, ('@%s.%s'):format(name, language), priority)
    end
  end
end

return M
