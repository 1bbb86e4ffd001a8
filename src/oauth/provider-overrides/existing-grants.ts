import { errors, type Grant, type KoaContextWithOIDC } from 'oidc-provider';
import { parseAccountId } from '../account-id.js';
import { clientFactsOf, resourceOf } from '../client-facts.js';
import type { ConsentsService } from '../consents.service.js';
import { createGrant } from '../create-grant.js';

/**
 * The library finds a grant through its session, which we do not store. Returns the grant of the consent that was just
 * given, or creates one from remembered consent.
 */
export const loadExistingGrant =
  (consents: ConsentsService) =>
  async ({ oidc }: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const { provider, client, account, result, params } = oidc;
    if (!client || !account) return undefined;
    // the redirect URI may have been removed while the request waited for a person
    if (!client.redirectUriAllowed(String(params?.redirect_uri))) throw new errors.InvalidRedirectUri();
    if (result?.consent?.grantId) {
      const grant = await provider.Grant.find(result.consent.grantId);
      // another person has signed in since then and must consent too
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
