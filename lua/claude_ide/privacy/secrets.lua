--- The files that hold secrets by their names, wherever they are. Every path is checked, so this is only a
--- look into tables for each part of it.
local M = {}

local function set(words)
  local found = {}
  for word in words:gmatch('%S+') do
    found[word] = true
  end
  return found
end

-- Of files, and of folders with all that is in them.
local NAMES = set([[
  .env .envrc .netrc _netrc .authinfo .pgpass .my.cnf .npmrc .pypirc .htpasswd .git-credentials
  .vault-token .gnupg credentials.tfrc.json
  id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk
]])

local EXTENSIONS = set([[agekey env jks kdb kdbx key keystore p12 pem pfx ppk]])

-- With their folder.
local PAIRS = set([[
  .aws/credentials .cargo/credentials .cargo/credentials.toml .claude/.credentials.json
  .docker/config.json .gem/credentials .kube/config gh/hosts.yml
  gcloud/application_default_credentials.json
]])

--- Globs of files with such a name that are meant to be read.
M.EXAMPLES = { '.env.dist', '.env.example', '.env.sample', '.env.template' }

--- Whether a file holds secrets by its name, or is in a folder that does.
---@param path string absolute
---@return boolean
function M.is_one(path)
  local folder = ''
  for name in path:lower():gmatch('[^/]+') do
    local extension = name:match('%.([^.]*)$')
    if
      NAMES[name]
      or EXTENSIONS[extension or '']
      or vim.startswith(name, '.env.')
      or PAIRS[folder .. '/' .. name]
    then
      return true
    end
    folder = name
  end
  return false
end

return M
