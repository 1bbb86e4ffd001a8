import os from 'node:os';
import path from 'node:path';

/** The only reader of environment variables in the command line. */
export const environment = {
  /** Address of the server; `--server` and the stored login come before and after it. */
  server: () => process.env.COUNTERSIGN_URL,
  /** A token for scripts, instead of the stored login. */
  token: () => process.env.COUNTERSIGN_TOKEN,
  /** The value of a credential that a document of the organization refers to. */
  variable: (name: string) => process.env[name],
  hasColor: () => !process.env.NO_COLOR && (process.stdout.isTTY || Boolean(process.env.FORCE_COLOR)),
  /** Folder of the stored login and of settings, following the XDG Base Directory Specification. */
  configFolder: () => path.join(process.env.XDG_CONFIG_HOME || path.join(os.homedir(), '.config'), 'countersign'),
};
