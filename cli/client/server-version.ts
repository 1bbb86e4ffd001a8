import { CommandError } from '../command-error.js';
import { exitCodes } from '../exit-codes.js';
import { cliVersion, protocolVersion } from '../version.js';
import { fetchFrom, readJson } from './server-client.js';
import type { ServerVersion } from './wire.js';

/** Asks the server for its version, without a credential. Throws `unavailable` if it does not suit this command line. */
export async function fetchServerVersion(baseUrl: string): Promise<ServerVersion> {
  const response = await fetchFrom(baseUrl, '/cli', { headers: { accept: 'application/json' } });
  const body = await readJson<ServerVersion | null>(response, baseUrl);
  if (body?.name !== 'countersign' || !body.protocol)
    throw new CommandError(
      exitCodes.unavailable,
      'server-too-old',
      `${baseUrl} is not a Countersign server, or it is older than the command line. Check the address, or update the server.`,
    );
  const { version, protocol } = body;
  if (protocol.newest < protocolVersion) throw versionMismatch('server-too-old', version, 'Update the server');
  if (protocol.oldest > protocolVersion) throw versionMismatch('server-too-new', version, 'Update countersign-cli');
  return body;
}

const versionMismatch = (code: string, serverVersion: string, remedy: string) =>
  new CommandError(
    exitCodes.unavailable,
    code,
    `The server has version ${serverVersion}, which does not work with this command line (version ${cliVersion}). ${remedy}.`,
    { serverVersion, cliVersion },
  );
