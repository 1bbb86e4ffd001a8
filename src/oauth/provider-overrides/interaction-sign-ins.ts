import type { Interaction, Provider } from 'oidc-provider';
import type { Principal } from '../../principal/principal.js';
import { accountIdOf } from '../account-id.js';
import type { OauthTransactionService } from '../oauth-transaction.service.js';

type FindInteraction = (id: string, options?: object) => Promise<Interaction | undefined>;

/**
 * The library trusts the sign-in that a waiting request stores. Here it counts only while its session is active, not
 * after sign-out or for another person.
 */
export function ignoreForeignSignIns({ Interaction: Waiting }: Provider, transaction: OauthTransactionService): void {
  const read = Waiting.find.bind(Waiting) as FindInteraction;
  const find: FindInteraction = async (id, options) => {
    const found = await read(id, options);
    const { login, ...rest } = found?.result ?? {};
    if (found && login && login.accountId !== accountIdOfPerson(transaction.person)) found.result = rest;
    return found;
  };
  Object.assign(Waiting, { find });
}

const accountIdOfPerson = (person: Principal | null): string | undefined =>
  person?.memberId && accountIdOf({ tenantId: person.tenantId, memberId: person.memberId });
