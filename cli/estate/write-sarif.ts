import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { CommandError } from '../command-error.js';
import { exitCodes } from '../exit-codes.js';
import { cliVersion } from '../version.js';
import { sarifOf } from './sarif.js';
import type { ScanFinding } from './scanned-estate.js';

/** Into a file, or to stdout ("-"). */
export async function writeSarif(file: string, findings: readonly ScanFinding[]): Promise<void> {
  const text = `${JSON.stringify(sarifOf(findings, cliVersion), null, 2)}\n`;
  if (file === '-') process.stdout.write(text);
  else
    await replaceFile(file, text).catch((error: Error) => {
      throw new CommandError(exitCodes.failure, 'not-written', `"${file}" could not be written: ${error.message}`);
    });
}

/** A full disk leaves the previous file as it was. A pipe or a device is written directly. */
async function replaceFile(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const isReplaceable = await stat(target).then(
    (stats) => stats.isFile(),
    () => true,
  );
  if (!isReplaceable) return writeFile(target, text);
  const temporary = `${target}.${process.pid}.new`;
  try {
    await writeFile(temporary, text, { flag: 'wx' });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
