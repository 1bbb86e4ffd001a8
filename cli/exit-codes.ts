/** What the exit code of every command means. Scripts rely on it, so that a code never changes its meaning; docs/cli.md has the table. */
export const exitCodes = {
  ok: 0,
  /** The command failed for a reason that has no code of its own. */
  failure: 1,
  /** The command line is wrong: an unknown option, a missing argument, invalid input. */
  usage: 2,
  /** The difference or the finding that the command looks for exists (`plan --detailed-exit-code`, `estate scan --fail-on`). */
  found: 3,
  /** A policy or a person denied the call. */
  denied: 4,
  /** The call or the task was executed and failed. */
  executionFailed: 5,
  /** The server cannot be reached or is of another version. As `EX_UNAVAILABLE` of sysexits.h. */
  unavailable: 69,
  /** The call waits for a decision, and the command does not wait (`--no-wait`). As `EX_TEMPFAIL`. */
  pending: 75,
  /** Not signed in, or the credential is expired, revoked or lacks a permission. As `EX_NOPERM`. */
  unauthenticated: 77,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
