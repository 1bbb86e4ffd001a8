import type { ExitCode } from './exit-codes.js';

/** Ends a command with a message for people and a code for scripts. `--json` prints `{"error": {"code", "message", …}}` on stderr. */
export class CommandError extends Error {
  constructor(
    readonly exitCode: ExitCode,
    /** In kebab-case, as the problem codes of the server. */
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}
