/** The command, or a file that it was given, was wrong: it is said without a stack, and the exit code is 2. */
export class UsageError extends Error {}
