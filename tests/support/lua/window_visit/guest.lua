_G.visit = require('claude_ide.window.visit')
_G.visits = {}
function _G.show(how, failing)
  local guest = { kin = 'test' }
  function guest.open(visit)
    if how == 'tab' then
      visit.win = _G.visit.new_tabpage(visit)
      vim.api.nvim_win_set_buf(visit.win, visit.bufnr)
    else
      visit.win = vim.api.nvim_open_win(visit.bufnr, true, { split = how, win = 0 })
    end
    assert(failing == '', failing)
  end
  function guest.close(visit)
    require('claude_ide.window.close').window(visit.win)
    require('claude_ide.window.close').buffer(visit.bufnr)
  end
  function guest.has(visit, win)
    return win == visit.win
  end
  function guest.has_opened(visit, win)
    return win == visit.win
  end
  local bufnr = vim.api.nvim_create_buf(false, true)
  table.insert(_G.visits, _G.visit.open(guest, { bufnr = bufnr }))
end
