import type { ServerClient } from './client/server-client.js';
import type { Output } from './terminal/output.js';

/** What every command gets. */
export interface CommandContext {
  output: Output;
  /** The server of `--server`, of COUNTERSIGN_URL or of the stored login, with its token; fails when there is none. */
  server(): Promise<ServerClient>;
}

/** Wraps an action, so that each command reads its own arguments and options only. */
export type Action<Parameters extends unknown[]> = (
  context: CommandContext,
  ...parameters: Parameters
) => Promise<void>;
