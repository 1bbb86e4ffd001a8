/** How the authorization server's library calls a member: it knows one name for an account, and ours has two parts. */
export interface Account {
  tenantId: string;
  memberId: string;
}

export const accountId = ({ tenantId, memberId }: Account): string => `${tenantId}/${memberId}`;

export function accountOf(id: string): Account {
  const [tenantId, memberId] = id.split('/');
  return { tenantId, memberId };
}
