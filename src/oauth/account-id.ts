/** How the authorization server's library calls a member: it knows one name for an account, and ours has two parts. */
export interface OauthAccount {
  tenantId: string;
  memberId: string;
}

export const accountIdOf = ({ tenantId, memberId }: OauthAccount): string => `${tenantId}/${memberId}`;

export function parseAccountId(id: string): OauthAccount {
  const [tenantId, memberId] = id.split('/');
  return { tenantId, memberId };
}
