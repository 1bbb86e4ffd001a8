import { awaitTokens, revokeLogin, startLogin } from '../client/device-login.js';
import { loginStore, type Tokens } from '../client/login-store.js';
import { serverAddress } from '../client/server-address.js';
import { ServerClient } from '../client/server-client.js';
import { fetchServerVersion } from '../client/server-version.js';
import type { Terminal } from '../client/wire.js';
import type { CommandContext } from '../command-context.js';
import { openInBrowser } from '../terminal/browser.js';
import { isInteractive } from '../terminal/output.js';
import { plainText } from '../terminal/plain-text.js';
import { Spinner } from '../terminal/spinner.js';

/** RFC 8628. No link carries the code: a person who follows a link must not connect somebody else's terminal. */
export async function login(
  context: CommandContext,
  { server, readOnly = false, open }: { server?: string; readOnly?: boolean; open: boolean },
): Promise<void> {
  const { output } = context;
  const baseUrl = server === undefined ? await context.serverUrl() : serverAddress(server);
  await fetchServerVersion(baseUrl);
  const started = await startLogin(baseUrl, { isReadOnly: readOnly });
  // for scripts too: somebody has to enter the code
  process.stderr.write(
    `Open ${plainText(started.verification_uri)}\nand enter the code ${output.color('bold', plainText(started.user_code))}\n`,
  );
  if (open && isInteractive(output)) await openInBrowser(started.verification_uri);
  const spinner = new Spinner(output);
  spinner.show('Waiting for the code to be entered');
  const tokens = await awaitTokens(baseUrl, started).finally(() => spinner.stop());
  const { member, organization, store } = await storeLogin(baseUrl, tokens).catch(async (error) => {
    await disconnect(baseUrl, tokens);
    throw error;
  });
  output.line(
    `Signed in at ${plainText(organization.name)} as ${plainText(member.name)} (${plainText(member.email)}).`,
  );
  output.note(
    output.color(
      'dim',
      store === 'keyring' ? 'The token is in your keyring.' : `The token is in ${loginStore.path()}.`,
    ),
  );
  output.json({ server: baseUrl, member, organization, store });
}

/** Replaces an earlier login at this server, which would otherwise stay connected without anybody who has its tokens. */
async function storeLogin(baseUrl: string, tokens: Tokens) {
  const client = new ServerClient({ baseUrl, token: tokens.accessToken });
  const { member, organization } = await client.getJson<Terminal>('/cli/whoami');
  const { store, earlier } = await loginStore.locked(async () => {
    const replaced = await loginStore.tokens(baseUrl);
    const who = { member: member.email, organization: organization.name };
    return { store: await loginStore.save(baseUrl, who, tokens), earlier: replaced };
  });
  if (earlier) await disconnect(baseUrl, earlier);
  return { member, organization, store };
}

/** If it fails, the sign-in expires. */
const disconnect = (baseUrl: string, { refreshToken }: Tokens): Promise<void> =>
  revokeLogin(baseUrl, refreshToken).catch(() => undefined);
