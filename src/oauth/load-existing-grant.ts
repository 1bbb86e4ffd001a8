import { errors, type Grant, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { parseAccountId } from './account-id.js';
import { clientFactsOf, resourceOf } from './client-facts.js';
import type { ConsentsService } from './consents.service.js';

/** Each authorization is a grant of its own, so that it ends alone. */
export async function createGrant(
  provider: Provider,
  {
    accountId,
    clientId,
    resource,
    scopes,
  }: { accountId: string; clientId: string; resource: string; scopes: string[] },
): Promise<Grant> {
  const grant = new provider.Grant({ accountId, clientId });
  grant.addResourceScope(resource, scopes.join(' '));
  await grant.save();
  return grant;
}

/** The grant that a request can be answered with: the one just agreed to, or a new one from what was agreed to before. */
export const loadExistingGrant =
  (consents: ConsentsService) =>
  async ({ oidc }: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const { provider, client, account, result, params } = oidc;
    if (!client || !account) return undefined;
    // a request may have waited for a person; an address that was taken away since is sent nothing
    if (!client.redirectUriAllowed(String(params?.redirect_uri))) throw new errors.InvalidRedirectUri();
    if (result?.consent?.grantId) {
      const grant = await provider.Grant.find(result.consent.grantId);
      // somebody else has signed in since: they are asked themselves
      return grant?.accountId === account.accountId ? grant : undefined;
    }
    if (oidc.prompts.has('consent') || oidc.promptPending('login')) return undefined;
    const facts = clientFactsOf(client);
    const remembered = await consents.rememberedScopes(parseAccountId(account.accountId), facts);
    const scopes = [...oidc.requestParamScopes];
    if (!scopes.every((scope) => remembered.includes(scope))) return undefined;
    const resource = resourceOf(oidc.issuer, facts);
    return createGrant(provider, { accountId: account.accountId, clientId: client.clientId, resource, scopes });
  };
