--- Converts between a buffer's text and the exact bytes that a write would put on disk, and between bytes and
--- the UTF-16 code units of LSP.
local M = {}

local api = vim.api

local BOM = '\239\187\191'
--- The options of a buffer that determine the bytes on disk, apart from its lines.
M.FORMAT = { 'fileformat', 'bomb', 'endofline' }

local END_OF_LINE = { unix = '\n', dos = '\r\n', mac = '\r' }

---@class claude_ide.FileText
---@field lines string[]
---@field fileformat 'unix'|'dos'|'mac'
---@field bomb boolean
---@field endofline boolean

--- The lines of a text as a buffer would hold them, and the options that restore its bytes.
---@type fun(text: string): claude_ide.FileText
function M.parse(text)
  local has_bom = vim.startswith(text, BOM)
  -- There is a line feed, and each follows a carriage return.
  local is_dos = text:find('\n', 1, true) and text:byte(1) ~= 10 and not text:find('[^\r]\n')
  text = has_bom and text:sub(#BOM + 1) or text
  local lines = vim.split(is_dos and text:gsub('\r\n', '\n') or text, '\n', { plain = true })
  local is_ended = lines[#lines] == ''
  lines[#lines] = not is_ended and lines[#lines] or nil
  return {
    lines = lines,
    fileformat = is_dos and 'dos' or 'unix',
    bomb = has_bom,
    endofline = is_ended,
  }
end

--- The text of lines in which a NUL of the file is a line feed.
---@type fun(lines: string[]): string
function M.join(lines)
  -- Counting the line feeds of the text would take as long as comparing it.
  if table.concat(lines):find('\n', 1, true) then
    lines = vim.tbl_map(function(line)
      return (line:gsub('\n', '\0'))
    end, lines)
  end
  return table.concat(lines, '\n')
end

--- Set those options of a buffer whose values in `values` are other ones. An option that is set to its own
--- value would mark the buffer as modified, too.
---@param bufnr integer
---@param names string[]
---@param values table<string, any>
function M.set_options(bufnr, names, values)
  for _, name in ipairs(names) do
    if vim.bo[bufnr][name] ~= values[name] then
      vim.bo[bufnr][name] = values[name]
    end
  end
end

--- Replace a buffer's text. The buffer is unmodified afterwards and has no undo history for it.
---@type fun(bufnr: integer, text: string)
function M.put(bufnr, text)
  local options, parsed = vim.bo[bufnr], M.parse(text)
  local undolevels = options.undolevels
  options.undolevels = -1
  api.nvim_buf_set_lines(bufnr, 0, -1, false, parsed.lines)
  options.undolevels = undolevels
  M.set_options(bufnr, M.FORMAT, parsed)
  options.fixendofline = false
  options.modified = false
end

-- nvim_buf_get_lines returns one empty line also for a buffer without any line.
local function has_no_line(bufnr)
  return api.nvim_buf_call(bufnr, function()
    return vim.fn.wordcount().bytes == 0
  end)
end

local function is_ended(options)
  return options.endofline or (options.fixendofline and not options.binary)
end

--- The bytes that writing the buffer as UTF-8 would put on disk.
---
--- Raises an error if the buffer is not loaded.
---@param bufnr integer
---@param is_open? boolean without a final line end that the file lacks, although a write would add it
---@return string
function M.get(bufnr, is_open)
  if not api.nvim_buf_is_loaded(bufnr) then
    error('the buffer is not loaded', 0)
  end
  local lines, options = api.nvim_buf_get_lines(bufnr, 0, -1, true), vim.bo[bufnr]
  local bom, eol = options.bomb and BOM or '', END_OF_LINE[options.fileformat]
  if #lines == 1 and lines[1] == '' and has_no_line(bufnr) then
    return bom
  end
  local has_end = options.endofline or not is_open and is_ended(options)
  return bom .. table.concat(lines, eol) .. (has_end and eol or '')
end

--- A digest of a text, by which another one is recognized.
---@type fun(text: string): string
function M.digest(text)
  -- A string of Vimscript has no NUL.
  return vim.fn.sha256((text:gsub('%z', '\n')))
end

--- The text of a loaded buffer, and what a write would add to its lines (`BufferText` of the port).
---@type fun(bufnr: integer, path: string): table
function M.describe(bufnr, path)
  local options = vim.bo[bufnr]
  return {
    path = path,
    bufnr = bufnr,
    tick = api.nvim_buf_get_changedtick(bufnr),
    lines = api.nvim_buf_get_lines(bufnr, 0, -1, true),
    fileformat = options.fileformat,
    has_bom = options.bomb,
    is_ended = is_ended(options),
    is_modified = options.modified,
    is_writable = options.modifiable and not options.readonly,
    digest = M.digest(M.get(bufnr)),
  }
end

--- The bytes of a file.
---@param path string
---@param most integer
---@return string? bytes nil if there is no regular file, or one with more bytes
function M.bytes(path, most)
  local stat = vim.uv.fs_stat(path)
  -- Opening a named pipe would block.
  local file = stat and stat.type == 'file' and stat.size <= most and io.open(path, 'rb')
  local text = file and file:read('*a')
  if file then
    file:close()
  end
  return text or nil
end

---@class claude_ide.Position
---@field line integer
---@field character integer

--- The number of UTF-16 code units before a byte column. One past the end counts as the end, one inside a
--- character as the end of that character.
---@type fun(line: string, col: integer): integer
function M.character(line, col)
  return vim.str_utfindex(line, 'utf-16', col, false)
end

--- Convert a position in a loaded buffer; a row outside it has no characters.
---@param bufnr integer 0 for the current one
---@param row integer 0-based
---@param col integer bytes, 0-based
---@return claude_ide.Position
function M.to_lsp(bufnr, row, col)
  local line = api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
  return { line = row, character = M.character(line, col) }
end

return M
