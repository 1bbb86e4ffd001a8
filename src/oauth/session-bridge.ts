import type { Interaction, Provider } from 'oidc-provider';
import type { Principal } from '../principal/principal.js';
import { accountIdOf } from './account-id.js';
import type { OauthTransactionService } from './oauth-transaction.service.js';

/**
 * The library would store its own session, which could outlive ours. Instead, it gets the session of the application
 * for the duration of a request, so both always agree on who is signed in.
 */
export function installSessionBridge(provider: Provider, transaction: OauthTransactionService): void {
  provider.Session.get = ({ oidc }) => {
    const { person } = transaction;
    const session = new provider.Session();
    // the library neither stores a destroyed session nor sets a cookie for it
    Object.defineProperty(session, 'destroyed', { value: true });
    if (person?.memberId && person.sessionId) {
      const { tenantId, memberId, sessionId: uid, freshAt } = person;
      const loginTs = freshAt && Math.floor(freshAt.getTime() / 1000);
      Object.assign(session, { accountId: accountIdOf({ tenantId, memberId }), uid, loginTs });
    }
    oidc.entity('Session', session);
    return Promise.resolve(session);
  };
  ignoreForeignSignIns(provider, transaction);
}

type FindInteraction = (id: string, options?: object) => Promise<Interaction | undefined>;

/**
 * A sign-in for a waiting request counts only while its session is active, not after sign-out or for another person.
 */
function ignoreForeignSignIns({ Interaction: Waiting }: Provider, transaction: OauthTransactionService): void {
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
