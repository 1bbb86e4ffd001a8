import os from 'node:os';
import path from 'node:path';

/** The only reader of environment variables in the command line. */
export const environment = {
  /** Address of the server; `--server` comes before it and the stored login after it. */
  server: () => process.env.COUNTERSIGN_URL,
  /** A token for scripts, instead of the stored login. Without what cannot be part of one, such as a line break at the end. */
  token: () => process.env.COUNTERSIGN_TOKEN?.replace(/[^\x21-\x7e]/g, ''),
  /** Name or id of the configuration, if `--configuration` is not given. */
  configuration: () => process.env.COUNTERSIGN_CONFIGURATION || undefined,
  /** `file`: never use the keyring of the operating system. */
  isKeyringDisabled: () => process.env.COUNTERSIGN_TOKEN_STORE === 'file',
  /** Prints where an unexpected error occurred. */
  isDebugging: () => Boolean(process.env.COUNTERSIGN_DEBUG),
  /** The command that opens a page. */
  browser: () => process.env.BROWSER,
  /** A tenant key for uploads of AI client configurations. */
  tenantKey: () => process.env.COUNTERSIGN_KEY || undefined,
  tenantKeyFile: () => process.env.COUNTERSIGN_KEY_FILE || undefined,
  /** Folders that clients use instead of those in the home folder, by the usual name. */
  clientFolders: (): [usual: string, folder: string][] => {
    const { APPDATA, GEMINI_CLI_HOME, GOOSE_PATH_ROOT, XDG_CONFIG_HOME } = process.env;
    return Object.entries({
      '.claude': process.env.CLAUDE_CONFIG_DIR,
      '.codex': process.env.CODEX_HOME,
      '.copilot': process.env.COPILOT_HOME,
      '.cline': process.env.CLINE_DIR,
      '.kiro': process.env.KIRO_HOME,
      '.gemini': GEMINI_CLI_HOME && path.join(GEMINI_CLI_HOME, '.gemini'),
      '.config': XDG_CONFIG_HOME,
      '.config/goose': GOOSE_PATH_ROOT && path.join(GOOSE_PATH_ROOT, 'config'),
      '.config/opencode': process.env.OPENCODE_CONFIG_DIR,
      'AppData/Roaming': APPDATA,
    }).flatMap(([usual, folder]) => (folder ? [[usual, folder]] : []));
  },
  /** Files that clients use instead of, or in addition to, a usual one. */
  clientFiles: (): [usual: string, file: string][] =>
    Object.entries({
      '~/.config/opencode/opencode.json': process.env.OPENCODE_CONFIG,
      '/etc/gemini-cli/settings.json': process.env.GEMINI_CLI_SYSTEM_SETTINGS_PATH,
      '/etc/gemini-cli/system-defaults.json': process.env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH,
    }).flatMap(([usual, file]) => (file ? [[usual, file]] : [])),
  /** The same file as in examples/estate-upload.sh, because both upload for the same device. */
  deviceSecretFile: () => {
    if (process.env.DEVICE_SECRET_FILE) return process.env.DEVICE_SECRET_FILE;
    if (process.getuid?.() === 0) return '/var/lib/countersign-estate/device-secret';
    const state = process.env.XDG_STATE_HOME || path.join(os.homedir(), '.local/state');
    return path.join(state, 'countersign/device-secret');
  },
  /** The value of a credential that a document of the organization refers to. */
  variable: (name: string) => process.env[name],
  hasColor: () => !process.env.NO_COLOR && (hasForcedColor() || (process.stdout.isTTY && !isDumbTerminal())),
  /** Whether a line on stderr can be drawn again. */
  hasLiveTerminal: () => process.stderr.isTTY && !isDumbTerminal(),
  /** Folder of the stored login and of settings, following the XDG Base Directory Specification. */
  configFolder: () => path.join(process.env.XDG_CONFIG_HOME || path.join(os.homedir(), '.config'), 'countersign'),
};

const isDumbTerminal = () => process.env.TERM === 'dumb';
const hasForcedColor = () => !['', '0', 'false', undefined].includes(process.env.FORCE_COLOR);
