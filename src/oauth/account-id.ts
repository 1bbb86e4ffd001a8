/** The OAuth library identifies an account by one string. Ours encodes the tenant and the member. */
export interface OauthAccount {
  tenantId: string;
  memberId: string;
}

export const accountIdOf = ({ tenantId, memberId }: OauthAccount): string => `${tenantId}/${memberId}`;

export function parseAccountId(id: string): OauthAccount {
  const [tenantId, memberId] = id.split('/');
  return { tenantId, memberId };
}
