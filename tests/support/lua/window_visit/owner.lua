_G.visit = require('claude_ide.window.visit')
_G.visits = {}
function _G.show(how, failing)
  local owner = { group = 'test' }
  function owner.open(visit)
    if how == 'tab' then
      visit.win = _G.visit.new_tabpage(visit)
      vim.api.nvim_win_set_buf(visit.win, visit.bufnr)
    else
      visit.win = vim.api.nvim_open_win(visit.bufnr, true, { split = how, win = 0 })
    end
    assert(failing == '', failing)
  end
  function owner.close(visit)
    require('claude_ide.window.close').window(visit.win)
    require('claude_ide.window.close').buffer(visit.bufnr)
  end
  function owner.has(visit, win)
    return win == visit.win
  end
  function owner.has_opened(visit, win)
    return win == visit.win
  end
  local bufnr = vim.api.nvim_create_buf(false, true)
  table.insert(_G.visits, _G.visit.open(owner, { bufnr = bufnr }))
end
