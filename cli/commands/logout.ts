import { revokeLogin } from '../client/device-login.js';
import { loginStore } from '../client/login-store.js';
import type { CommandContext } from '../command-context.js';

/** Ends the access at the server first. If the server cannot be reached, the tokens stay, so that it can be repeated. */
export async function logout({ output, serverUrl }: CommandContext): Promise<void> {
  const baseUrl = await serverUrl();
  const isSignedIn = await loginStore.locked(async () => {
    const tokens = await loginStore.tokens(baseUrl);
    if (tokens) await revokeLogin(baseUrl, tokens.refreshToken);
    await loginStore.remove(baseUrl);
    return tokens !== null;
  });
  output.line(isSignedIn ? `Disconnected from ${baseUrl}.` : `You were not signed in at ${baseUrl}.`);
  output.json({ server: baseUrl, disconnected: isSignedIn });
}
