--- The commands that can begin a prompt for the CLI in a terminal: its own, and those of the user and of the
--- project, which are files.
local M = {}

local LARGEST = 4000 -- bytes of a file in which its description is sought
local DEPTH = 4 -- folders

-- Those that most users need; the CLI has more.
local BUILT_IN = {
  { 'clear', 'Start a new session with empty context' },
  { 'compact', 'Summarize the conversation to free up context', '<what to keep>' },
  { 'config', 'Change settings' },
  { 'context', 'Show the used context' },
  { 'cost', 'Show the cost of the session' },
  { 'init', 'Write a CLAUDE.md for this project' },
  { 'mcp', 'Manage MCP servers' },
  { 'memory', 'Edit the memory files' },
  { 'model', 'Set the model', '<model>' },
  { 'permissions', 'Manage the permission rules' },
  { 'resume', 'Resume a conversation' },
  { 'review', 'Review a pull request', '[number]' },
  { 'rewind', 'Restore an earlier point' },
  { 'security-review', 'Review the security of the pending changes' },
}

-- A field of the YAML at the beginning of a file.
local function field(text, name)
  local front = text:match('^%-%-%-\n(.-)\n%-%-%-')
  local value = front and ('\n' .. front):match('\n' .. vim.pesc(name) .. ':%s*([^\n]*)')
  return value and vim.trim(value):gsub('^(["\'])(.*)%1$', '%2') or ''
end

local function read(path)
  local handle = io.open(path, 'r')
  local text = handle and handle:read(LARGEST) or ''
  if handle then
    handle:close()
  end
  return text
end

---@param commands table<string, claude_ide.ChatCommand>
local function add(commands, name, path)
  local text = read(path)
  local description = field(text, 'description')
  local hint = field(text, 'argument-hint')
  commands[name] = { name = name, description = description, hint = hint }
end

-- `commands/front/build.md` is `/front:build`; `skills/mend/SKILL.md` is `/mend`.
local function collect(commands, folder)
  local own = vim.fs.joinpath(folder, 'commands')
  for path, type in vim.fs.dir(own, { depth = DEPTH }) do
    if type ~= 'directory' and path:find('%.md$') then
      add(commands, path:sub(1, -4):gsub('/', ':'), vim.fs.joinpath(own, path))
    end
  end
  local skills = vim.fs.joinpath(folder, 'skills')
  for name in vim.fs.dir(skills) do
    local path = vim.fs.joinpath(skills, name, 'SKILL.md')
    if vim.uv.fs_stat(path) then
      add(commands, name, path)
    end
  end
end

--- The commands in a project, in the order of their names.
---@param root string
---@return claude_ide.ChatCommand[]
function M.list(root)
  local commands = {}
  for _, each in ipairs(BUILT_IN) do
    commands[each[1]] = { name = each[1], description = each[2], hint = each[3] or '' }
  end
  local user = vim.env.CLAUDE_CONFIG_DIR
  collect(commands, user and user ~= '' and user or vim.fs.normalize('~/.claude'))
  collect(commands, vim.fs.joinpath(root, '.claude'))
  local list = vim.tbl_values(commands)
  table.sort(list, function(a, b)
    return a.name < b.name
  end)
  return list
end

return M
