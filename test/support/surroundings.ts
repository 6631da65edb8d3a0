/** Loaded before the tests: what is around them on this machine and would change what they see. */

// Files are made as most users' are, however private this user's own are.
process.umask(0o022);
