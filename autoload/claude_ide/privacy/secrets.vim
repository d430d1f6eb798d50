vim9script
# The files whose names suggest secrets, wherever they are. Every path is checked, so this costs
# only a lookup in dictionaries for each part of it.

def Set(words: list<string>): dict<bool>
  final found: dict<bool> = {}
  for word in words
    found[word] = true
  endfor
  return found
enddef

# Names of files, and of folders with all of their contents.
const NAMES = Set([
  '.env', '.envrc', '.netrc', '_netrc', '.authinfo', '.pgpass', '.my.cnf', '.npmrc', '.pypirc',
  '.htpasswd', '.git-credentials', '.vault-token', '.gnupg', 'credentials.tfrc.json',
  'id_rsa', 'id_dsa', 'id_ecdsa', 'id_ecdsa_sk', 'id_ed25519', 'id_ed25519_sk',
])

const EXTENSIONS = Set([
  'agekey', 'env', 'jks', 'kdb', 'kdbx', 'key', 'keystore', 'p12', 'pem', 'pfx', 'ppk',
])

# Names of files together with their folder.
const PAIRS = Set([
  '.aws/credentials', '.cargo/credentials', '.cargo/credentials.toml',
  '.claude/.credentials.json', '.docker/config.json', '.gem/credentials', '.kube/config',
  'gh/hosts.yml', 'gcloud/application_default_credentials.json',
])

# Globs of files that are meant to be read although they have such a name.
export const EXAMPLES = ['.env.dist', '.env.example', '.env.sample', '.env.template']

# Whether a file, given by its absolute path, holds secrets by its name, or is in a folder that
# does.
export def IsOne(path: string): bool
  var folder = ''
  for name in tolower(path)->split('/')
    const dot = strridx(name, '.')
    if has_key(NAMES, name)
        || (dot >= 0 && has_key(EXTENSIONS, strpart(name, dot + 1)))
        || stridx(name, '.env.') == 0
        || has_key(PAIRS, $'{folder}/{name}')
      return true
    endif
    folder = name
  endfor
  return false
enddef

defcompile
