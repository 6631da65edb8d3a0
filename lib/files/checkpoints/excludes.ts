/** Files that checkpoints leave out, as patterns of `.gitignore`. */

/** Files that hold secrets: never kept, whatever the project's `.gitignore` says. Patterns without blanks. */
export const secretPatterns: readonly string[] = [
	...[".env", ".env.local", ".env.*.local", ".env.production", ".env.prod", ".env.staging", ".envrc"],
	...[".netrc", ".pgpass", ".pypirc", ".git-credentials", ".htpasswd"],
	...["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore"],
	...["**/.aws/credentials", ".ssh/"],
];

/** What programs make again, and what is too large to keep; a project's `.gitignore` may take some of it back. */
export const generatedPatterns: readonly string[] = [
	...["node_modules/", "dist/", "build/", "target/", "out/", ".next/", ".nuxt/"],
	...["__pycache__/", "*.pyc", "*.pyo", ".cache/", ".pytest_cache/", ".mypy_cache/", ".ruff_cache/", "coverage/"],
	...[".coverage", ".venv/", "venv/", "env/", ".git", ".hg/", ".svn/", ".worktrees/"],
	...["*.so", "*.dylib", "*.dll", "*.o", "*.a", "*.jar", "*.class", "*.exe", "*.obj"],
	...["*.mp4", "*.mov", "*.mkv", "*.webm", "*.zip", "*.tar", "*.tar.gz", "*.tgz", "*.7z", "*.rar", "*.iso"],
	...[".DS_Store", "Thumbs.db", "*.log", ".hermes-tmp.*"],
];

/** Whether a file of this name (without its folder) holds secrets. */
export function isSecretFile(name: string): boolean {
	return secretPatterns.some((pattern) => !pattern.includes("/") && new Bun.Glob(pattern).match(name));
}
