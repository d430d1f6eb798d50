"""Names of files and settings, and whether they are private, in either editor."""

SECRETS = [
    ".env",
    ".ENV",
    ".env.local",
    "prod.env",
    "server.PEM",
    "deep/er/server.key",
    "id_rsa",
    "id_ed25519",
    ".netrc",
    ".npmrc",
    ".pypirc",
    "passwords.kdbx",
    ".aws/credentials",
    ".docker/config.json",
    ".gnupg/private/x",
    "line\nbreak.key",
]
PLAIN = [
    "a.py",
    ".env.example",
    "environment",
    "env",
    "key.py",
    "id_rsa.pub",
    "aws/credentials",
    "config.json",
    "",
]

GLOBS = {
    "*.foo": (["a.foo", "deep/a.FOO", "a.foo/inside"], ["a.fool", "foo"]),
    "secrets/": (["secrets/a", "deep/secrets/b", "secrets"], ["secrets.txt"]),
    "secrets/**": (["secrets/a", "secrets/b/c"], ["deep/secrets/a"]),
    "./top.txt": (["top.txt", "deep/top.txt"], ["atop.txt"]),
    "a/*.txt": (["a/x.txt"], ["a/b/x.txt", "b/a/x.txt"]),
    "a/**/x.txt": (["a/x.txt", "a/b/c/x.txt"], ["a/ax.txt"]),
    "**/deep/*.txt": (["deep/x.txt", "very/deep/x.txt"], ["deep/er/x.txt"]),
    "x?.txt": (["xy.txt"], ["x.txt", "xyz.txt"]),
    "x[0-9!].txt": (["x1.txt", "x!.txt"], ["xa.txt"]),
    "x[!0-9].txt": (["xa.txt"], ["x1.txt", "x/.txt"]),
    "*.{one,two}": (["a.one", "a.two"], ["a.three", "a.{one,two}"]),
    "x[+-9].txt": (["x5.txt", "x,.txt", "x-.txt", "x..txt"], ["x/.txt", "xa.txt"]),
    "x[!a].txt": (["xb.txt"], ["xa.txt", "x/.txt"]),
    "x[/a].txt": (["xa.txt"], ["x/.txt"]),
    r"\*.txt": (["*.txt"], ["a.txt"]),
    "a[.txt": (["a[.txt"], ["a.txt"]),
    r"a~.^$(|)": ([r"a~.^$(|)"], ["a"]),
}
"""What matches a glob, and what does not."""

BROKEN = {
    "{": "is not a JSON object",
    "[1]": "is not a JSON object",
    '{"permissions": {"deny": "Read(x)"}}': "permissions.deny is not a list",
    '{"permissions": {"deny": [1]}}': "permissions.deny: a rule is not a string",
    '{"permissions": 1}': "permissions.deny is not a list",
}
"""Settings that cannot be used, and why."""

TOO_MANY = {
    "plain": [f"Read(folder/number/{number}.txt)" for number in range(30_000)],
    "wildcards": [f"Read(**/{'*a' * 1000}{number})" for number in range(400)],
    "one long": [f"Read({'../' * 300_000})"],
}
"""Rules of a project that cost too much to compare each path with them."""
COSTLY = [f"Read(**/{'*[+-z]' * 30}{number}!)" for number in range(20)]
"""Those that cost the most within the limit."""
COSTLY_PATHS = [f"{'a/' * 20}{'a' * 60}{number}/b" for number in range(20)]
