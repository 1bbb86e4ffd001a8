import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(argon2);
// OWASP's second recommendation for argon2id: 19 MiB, two passes, one lane
const argon2Parameters = { memory: 19 * 1024, passes: 2, parallelism: 1, tagLength: 32 };

/** Returns a PHC string, so that the parameters can change later while old hashes still verify. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive('argon2id', { message: normalizePassword(password), nonce, ...argon2Parameters });
  return `$argon2id$v=19$m=${argon2Parameters.memory},t=${argon2Parameters.passes},p=${argon2Parameters.parallelism}$${unpaddedBase64(nonce)}$${unpaddedBase64(tag)}`;
}

/** If `stored` is null (unknown account, or no password), this takes as long as for a wrong password. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const read = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored ?? '');
  if (!read) {
    await hashPassword(password);
    return false;
  }
  const [, memory, passes, parallelism, nonce, tag] = read;
  const expected = Buffer.from(tag, 'base64');
  const actual = await derive('argon2id', {
    message: normalizePassword(password),
    nonce: Buffer.from(nonce, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(actual, expected);
}

const normalizePassword = (password: string) => Buffer.from(password.normalize('NFKC'));
const unpaddedBase64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
