local folder, program = ...
package.loaded.lazy = {
  plugins = function()
    return { { name = 'conform.nvim' } }
  end,
  load = function(request)
    assert(vim.deep_equal(request.plugins, { 'conform.nvim' }))
    vim.opt.runtimepath:append(folder)
    require('conform').formatters_by_ft.text = { 'strip' }
    require('conform').programs.strip = program
  end,
}
