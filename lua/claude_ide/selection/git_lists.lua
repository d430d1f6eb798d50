--- The files that plugins for Git list as changed: under the cursor, or in some lines.
---
--- Each function is a `claude_ide.MentionSource`. The calls were tried with the plugins themselves.
local lines = require('claude_ide.selection.lines')

local M = {}

local api, fn = vim.api, vim.fn

-- A file, a folder of the tree, or a commit with its files.
local function diffview_paths(item, root)
  if item.files then
    return vim.tbl_map(function(file)
      return file.absolute_path
    end, item.files)
  end
  return { item.absolute_path or vim.fs.joinpath(root, item.path) }
end

function M.diffview(first, last)
  local view = assert(require('diffview.lib').get_current_view(), 'this is no view of diffview')
  local found = lines.collect(first, last, function(line)
    -- It knows only the item under the cursor.
    api.nvim_win_set_cursor(0, { line, 0 })
    local item = view.panel:get_item_at_cursor()
    return item and diffview_paths(item, view.adapter.ctx.toplevel)
  end)
  return vim.iter(found):flatten():totable()
end

function M.fugitive(first, last)
  return lines.collect(first, last, function(line)
    -- A changed file, or a line of its diff. Elsewhere fugitive takes the word under the cursor for a file.
    if not fn.getline(line):find('^[A-Z?] ') and not fn.getline(line):find('^[ @+-]') then
      return nil
    end
    -- It knows only the file under the cursor.
    api.nvim_win_set_cursor(0, { line, 0 })
    local path = fn['fugitive#PorcelainCfile']():gsub('\\(.)', '%1')
    return fn.FugitiveReal(path)
  end)
end

return M
