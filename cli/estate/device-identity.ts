import { createHmac, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CommandError } from '../command-error.js';
import { environment } from '../environment.js';
import { exitCodes } from '../exit-codes.js';

const secretPattern = /^[\x21-\x7e]{22,200}$/;

/** Proves that an upload comes from this device, and compares secrets without sending them. */
export interface DeviceIdentity {
  /** Sent with every upload. */
  secret: string;
  /** Equal for equal values on this device. Its key never leaves the device, so that nobody can test guesses. */
  fingerprint(value: string): string;
}

/** The identity of this device, created by its first upload and shared with `examples/estate-upload.sh`. */
export async function deviceIdentity(): Promise<DeviceIdentity> {
  const secretFile = environment.deviceSecretFile();
  const secret = await stored(secretFile);
  const key = await stored(path.join(path.dirname(secretFile), 'fingerprint-key'));
  return { secret, fingerprint: (value) => createHmac('sha256', key).update(value).digest('hex').slice(0, 32) };
}

/** A random value in a file that only its user can read. */
async function stored(file: string): Promise<string> {
  try {
    const value = ((await readIfExists(file)) ?? (await create(file))).trim();
    if (secretPattern.test(value)) return value;
  } catch (error) {
    throw unusable(file, (error as Error).message);
  }
  throw unusable(file, 'it must contain 22 to 200 visible ASCII characters');
}

/** The file appears with its whole content, so that a full disk or another process cannot leave half of a secret. */
async function create(file: string): Promise<string> {
  const temporary = `${file}.${process.pid}.new`;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(temporary, randomBytes(32).toString('hex'), { mode: 0o600 });
    await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error; // another process was faster
    });
  } finally {
    await rm(temporary, { force: true });
  }
  return readFile(file, 'utf8');
}

async function readIfExists(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

const unusable = (file: string, reason: string) =>
  new CommandError(exitCodes.failure, 'device-secret-unusable', `"${file}" cannot be used: ${reason}.`);
