import os from 'node:os';
import path from 'node:path';

/** The only reader of environment variables in the command line. */
export const environment = {
  /** Address of the server; `--server` comes before it and the stored login after it. */
  server: () => process.env.COUNTERSIGN_URL,
  /** A token for scripts, instead of the stored login. */
  token: () => process.env.COUNTERSIGN_TOKEN,
  /** Name or id of the configuration, if `--configuration` is not given. */
  configuration: () => process.env.COUNTERSIGN_CONFIGURATION || undefined,
  /** `file`: never use the keyring of the operating system. */
  isKeyringDisabled: () => process.env.COUNTERSIGN_TOKEN_STORE === 'file',
  /** Prints where an unexpected error occurred. */
  isDebugging: () => Boolean(process.env.COUNTERSIGN_DEBUG),
  /** The command that opens a page. */
  browser: () => process.env.BROWSER,
  hasColor: () => !process.env.NO_COLOR && (process.stdout.isTTY || Boolean(process.env.FORCE_COLOR)),
  /** Folder of the stored login and of settings, following the XDG Base Directory Specification. */
  configFolder: () => path.join(process.env.XDG_CONFIG_HOME || path.join(os.homedir(), '.config'), 'countersign'),
};
