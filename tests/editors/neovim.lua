-- Neovim edits a model with `zubi lsp`, as a person would, and writes what it saw as JSON.
--
-- Environment: ZUBI the program, RESULT the file for the answer. The current directory is a copy of examples/bank.

local TIMEOUT = 60000 -- milliseconds until the test fails

local function wait_for(what, is_there)
  -- The condition is looked at whenever something has arrived.
  if not vim.wait(TIMEOUT, is_there, 10) then error('waited in vain for ' .. what) end
end

local client_id
local seen = {}

local function ask(buffer, method, params)
  local answers, why = vim.lsp.buf_request_sync(buffer, method, params, TIMEOUT)
  if why then error(method .. ': ' .. why) end
  local answer = answers[client_id]
  if answer.error then error(method .. ': ' .. vim.inspect(answer.error)) end
  return answer.result
end

local function open(path)
  vim.cmd('edit ' .. path)
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo.filetype = 'domain-lang'
  assert(vim.lsp.buf_attach_client(buffer, client_id), 'the client does not attach')
  return buffer
end

-- Puts the cursor behind the text that stands first in the buffer, and says where that is.
local function go_behind(text)
  vim.fn.cursor(1, 1)
  assert(vim.fn.search('\\V' .. text, 'ceW') > 0, 'there is no ' .. text)
  local params = vim.lsp.util.make_position_params(0, 'utf-16')
  params.position.character = params.position.character + 1
  return params
end

local function problems(buffer)
  return vim.tbl_map(function(it) return it.message end, vim.diagnostic.get(buffer))
end

local function run()
  client_id = vim.lsp.start_client({ name = 'zubi', cmd = { vim.env.ZUBI, 'lsp' }, root_dir = vim.fn.getcwd() })
  local client = vim.lsp.get_client_by_id(client_id)
  wait_for('initialize', function() return client.initialized end)

  open('index.dlang')
  local buffer = open('domains/accounts.dlang')

  -- A mistake is typed and told, and gone with the correction.
  vim.api.nvim_buf_set_lines(buffer, -1, -1, true, { 'bc Extra for Nowhere by CoreBankin' })
  wait_for('diagnostics', function() return #problems(buffer) > 1 end)
  seen.problems = problems(buffer)

  -- A quick fix of it.
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  local range = { start = { line = last, character = 24 }, ['end'] = { line = last, character = 34 } }
  local context = { diagnostics = vim.lsp.diagnostic.get_line_diagnostics(buffer, last) }
  local actions = ask(buffer, 'textDocument/codeAction', {
    textDocument = vim.lsp.util.make_text_document_params(buffer), range = range, context = context,
  })
  seen.actions = vim.tbl_map(function(it) return it.title end, actions)
  vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
  seen.fixed = vim.api.nvim_buf_get_lines(buffer, -2, -1, true)[1]
  vim.api.nvim_buf_set_lines(buffer, -2, -1, true, {})
  wait_for('the end of the diagnostics', function() return #problems(buffer) == 0 end)

  -- What the cursor is on, and what may be typed there.
  local hover = ask(buffer, 'textDocument/hover', go_behind('bc Ledger'))
  seen.hover = vim.split(hover.contents.value, '\n')[1]
  local items = vim.lsp.util.extract_completion_items(ask(buffer, 'textDocument/completion', go_behind('Accounts by ')))
  seen.completion = vim.tbl_map(function(it) return it.label end, items)
  table.sort(seen.completion)

  -- A new name in every file, also in one that is open.
  local params = go_behind('bc Onboarding')
  params.newName = 'Welcome'
  local edit = ask(buffer, 'textDocument/rename', params)
  vim.lsp.util.apply_workspace_edit(edit, 'utf-16')
  seen.renamed = {}
  for _, each in ipairs(vim.api.nvim_list_bufs()) do
    local text = table.concat(vim.api.nvim_buf_get_lines(each, 0, -1, true), '\n')
    local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(each), ':.')
    local _, new = text:gsub('Welcome', '')
    local _, old = text:gsub('Onboarding', '')
    if new + old > 0 then table.insert(seen.renamed, { file = name, new = new, old = old }) end
  end
  table.sort(seen.renamed, function(one, other) return one.file < other.file end)

  -- What was typed askew stands as it should.
  vim.api.nvim_buf_set_lines(buffer, -1, -1, true, { 'Team    Later' })
  vim.lsp.buf.formatting_sync(nil, TIMEOUT)
  seen.formatted = vim.api.nvim_buf_get_lines(buffer, -2, -1, true)[1]
  vim.cmd('wall')

  client.stop()
  wait_for('the end of the server', function() return vim.lsp.client_is_stopped(client_id) end)
end

local fine, why = xpcall(run, debug.traceback)
if not fine then seen = { error = why } end
vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.RESULT)
vim.cmd(fine and 'qall!' or 'cquit')
