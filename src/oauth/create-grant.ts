import type { Grant, Provider } from 'oidc-provider';

/** Each authorization gets its own grant, so that it can be revoked separately. */
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
