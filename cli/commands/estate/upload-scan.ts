import { plural } from '../../../src/estate/findings/quoted-text.js';
import { isInteractive, type Output } from '../../terminal/output.js';
import { plainText } from '../../terminal/plain-text.js';
import { CommandError } from '../../command-error.js';
import { deviceIdentity } from '../../estate/device-identity.js';
import type { ScannedFile, SecretNumbers } from '../../estate/scanned-estate.js';
import {
  prepareUpload,
  sendUpload,
  uploadAddress,
  type PreparedFile,
  type UploadOptions,
  type UploadSummary,
} from '../../estate/upload.js';
import { exitCodes } from '../../exit-codes.js';

/** Shows what would be sent, asks, and sends it. */
export async function uploadScan(
  output: Output,
  files: readonly ScannedFile[],
  secrets: SecretNumbers,
  { server, yes, ...options }: UploadOptions & { server: string | undefined; yes?: boolean },
): Promise<UploadSummary> {
  const address = uploadAddress(server);
  if (!files.length && !options.complete)
    throw new CommandError(exitCodes.failure, 'nothing-found', 'Nothing was sent: no configuration file was found.');
  const identity = await deviceIdentity();
  const prepared = prepareUpload(files, secrets, identity);
  printUpload(output, prepared, address);
  if (!yes) await confirmUpload(output, prepared.length, address);
  const summary = await sendUpload(address, prepared, identity, options);
  printSummary(output, summary);
  return summary;
}

function printUpload(output: Output, prepared: readonly PreparedFile[], address: string): void {
  output.line();
  output.line(`Upload to ${plainText(address)}`);
  output.line();
  for (const { displayPath, file, sentBytes, replacedValues } of prepared) {
    const sent = file.content === undefined ? 'too large, only its size' : `${sentBytes.toLocaleString('en')} bytes`;
    output.line(`  ${plainText(displayPath)}  ${sent}, ${plural(replacedValues, 'value')} replaced`);
  }
  output.line();
}

async function confirmUpload(output: Output, count: number, address: string): Promise<void> {
  if (!isInteractive(output))
    throw new CommandError(
      exitCodes.usage,
      'confirmation-required',
      'Nothing was sent. Add --yes to upload without a terminal.',
    );
  const { confirm, isCancel } = await import('@clack/prompts');
  const message = `Send ${plural(count, 'file')} to ${plainText(address)}?`;
  const answer = await confirm({ message, output: process.stderr });
  if (isCancel(answer)) throw new CommandError(exitCodes.interrupted, 'interrupted', 'Nothing was sent.');
  if (!answer) throw new CommandError(exitCodes.failure, 'declined', 'Nothing was sent.');
}

function printSummary(output: Output, summary: UploadSummary): void {
  if (summary.isStale) output.line('A later upload of this machine is already stored; nothing was changed.');
  const { added, changed, unchanged, gone, skipped } = summary;
  output.line(`Sent: ${added} added, ${changed} changed, ${unchanged} unchanged, ${gone} gone.`);
  for (const { path, reason } of skipped) output.line(`  ${plainText(path)} ${plainText(reason)}`);
}
