import { CommandError } from '../command-error.js';
import type { CommandContext } from '../command-context.js';
import { environment } from '../environment.js';
import { exitCodes } from '../exit-codes.js';
import type { ServerClient } from './server-client.js';
import { fetchServerVersion } from './server-version.js';

interface GraphqlAnswer<T> {
  data?: T | null;
  errors?: { message: string; extensions?: { code?: string } & Record<string, unknown> }[];
}

/**
 * Checks the version first, because a server without the administration API only reports an invalid request. This API
 * refuses the tokens of terminals.
 */
export async function administrationClient({ server }: CommandContext): Promise<ServerClient> {
  if (!environment.token())
    throw new CommandError(
      exitCodes.unauthenticated,
      'admin-token-required',
      'This command needs an admin token. Create one in the console under Organization → Keys and tokens, and set COUNTERSIGN_TOKEN to it.',
    );
  const client = await server();
  await fetchServerVersion(client.baseUrl);
  return client;
}

/** A request to the administration API. The code and the details of its first error become those of the command. */
export async function requestGraphql<T>(client: ServerClient, query: string, variables: object = {}): Promise<T> {
  const { data, errors } = await client.postJson<GraphqlAnswer<T>>('/graphql', { query, variables });
  const [error] = errors ?? [];
  if (error) {
    const { code = 'failure', ...details } = error.extensions ?? {};
    const isRefused = ['unauthenticated', 'forbidden', 'session-required'].includes(code);
    throw new CommandError(isRefused ? exitCodes.unauthenticated : exitCodes.failure, code, error.message, details);
  }
  if (!data) throw new CommandError(exitCodes.unavailable, 'invalid-answer', 'The server did not answer with data.');
  return data;
}
