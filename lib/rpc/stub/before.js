/** Runs before a script that this executable runs: what the script starts must not become this program again. */
delete process.env.BUN_BE_BUN;
