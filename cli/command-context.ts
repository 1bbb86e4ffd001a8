import type { ServerClient } from './client/server-client.js';
import type { Output } from './terminal/output.js';

/** What every command gets. */
export interface CommandContext {
  output: Output;
  /** The address of `--server`, of COUNTERSIGN_URL or of the stored login; fails when there is none. */
  serverUrl(): Promise<string>;
  /** The server at that address, with the token of the person; fails when nobody is signed in. */
  server(): Promise<ServerClient>;
}
