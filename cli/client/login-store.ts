import fs from 'node:fs/promises';
import path from 'node:path';
import { CommandError } from '../command-error.js';
import { environment } from '../environment.js';
import { exitCodes } from '../exit-codes.js';
import { withFileLock } from './file-lock.js';
import { deleteFromKeyring, readKeyring, writeKeyring } from './keyring.js';

export interface Tokens {
  accessToken: string;
  refreshToken: string;
  /** Of the access token, in milliseconds since 1970. */
  expiresAt: number;
}

/** Who is signed in at a server. `tokens` is only set if they are in the file, not in the keyring. */
interface StoredLogin {
  member: string;
  organization: string;
  tokens?: Tokens;
}

interface LoginFile {
  /** The server that commands use by default: that of the last login. */
  current: string | null;
  logins: Record<string, StoredLogin>;
}

const filePath = () => path.join(environment.configFolder(), 'logins.json');
const none = (): LoginFile => ({ current: null, logins: {} });
/** More than new tokens need. */
const reservedBytes = 4096;

/** Reads and writes the logins of this person. Every write replaces the whole file, and only its owner may read it. */
export const loginStore = {
  path: filePath,

  /** Parallel commands wait for each other. */
  locked: <T>(work: () => Promise<T>): Promise<T> =>
    withFileLock(path.join(environment.configFolder(), 'logins.lock'), work),

  async currentServer(): Promise<string | null> {
    return (await read()).current;
  },

  async find(baseUrl: string): Promise<StoredLogin | null> {
    return (await read()).logins[baseUrl] ?? null;
  },

  /** Null: nobody is signed in at this server. */
  async tokens(baseUrl: string): Promise<Tokens | null> {
    const login = await loginStore.find(baseUrl);
    if (!login) return null;
    if (login.tokens) return login.tokens;
    const secret = readKeyring(baseUrl);
    return secret === null ? null : parseTokens(secret);
  },

  /** Returns where the tokens are. Call within `locked`. */
  async save(
    baseUrl: string,
    { member, organization }: Pick<StoredLogin, 'member' | 'organization'>,
    tokens: Tokens,
  ): Promise<'keyring' | 'file'> {
    const file = await read();
    const isInKeyring = writeKeyring(baseUrl, JSON.stringify(tokens));
    file.logins[baseUrl] = { member, organization, ...(isInKeyring ? {} : { tokens }) };
    file.current = baseUrl;
    await write(file);
    return isInKeyring ? 'keyring' : 'file';
  },

  /**
   * Replaces the tokens by those that `renew` gets. A refresh token is valid once, so a full disk has to be noticed
   * before it is used. Call within `locked`.
   */
  async renewTokens(baseUrl: string, renew: () => Promise<Tokens>): Promise<Tokens> {
    const file = await read();
    const login = file.logins[baseUrl];
    const isInKeyring = !login.tokens;
    if (!isInKeyring) await reserve(JSON.stringify(file).length + reservedBytes);
    const tokens = await renew();
    if (isInKeyring && writeKeyring(baseUrl, JSON.stringify(tokens))) return tokens;
    login.tokens = tokens;
    await write(file);
    return tokens;
  },

  /** Call within `locked`. */
  async remove(baseUrl: string): Promise<void> {
    const file = await read();
    if (!file.logins[baseUrl]) return;
    if (!file.logins[baseUrl].tokens) deleteFromKeyring(baseUrl);
    delete file.logins[baseUrl];
    if (file.current === baseUrl) file.current = Object.keys(file.logins).at(0) ?? null;
    await write(file);
  },
};

/** Null: another program has written into the keyring. */
function parseTokens(secret: string): Tokens | null {
  try {
    return JSON.parse(secret) as Tokens;
  } catch {
    return null;
  }
}

async function read(): Promise<LoginFile> {
  let text: string;
  try {
    text = await fs.readFile(filePath(), 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code!)) return none();
    throw unusable('cannot be read', error);
  }
  try {
    const { current = null, logins = {} } = JSON.parse(text) as Partial<LoginFile>;
    return { current, logins };
  } catch {
    throw unusable('is damaged. Delete it and run "countersign login"');
  }
}

const newPath = () => `${filePath()}.new`;

async function reserve(bytes: number): Promise<void> {
  await writeNew(' '.repeat(bytes));
}

async function write(file: LoginFile): Promise<void> {
  await writeNew(`${JSON.stringify(file, null, 2)}\n`);
  await fs.rename(newPath(), filePath());
}

async function writeNew(text: string): Promise<void> {
  try {
    await fs.mkdir(environment.configFolder(), { recursive: true, mode: 0o700 });
    const file = await fs.open(newPath(), 'w', 0o600);
    try {
      await file.chmod(0o600);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw unusable('cannot be written', error);
  }
}

function unusable(what: string, error?: unknown): CommandError {
  const code = error && ((error as NodeJS.ErrnoException).code ?? (error as Error).message);
  const message = `${filePath()} ${what}${code ? ` (${code})` : ''}.`;
  return new CommandError(exitCodes.failure, 'login-file', message, { path: filePath() });
}
