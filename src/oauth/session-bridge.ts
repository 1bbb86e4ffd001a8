import type { Interaction, Provider } from 'oidc-provider';
import type { Principal } from '../principal/principal.js';
import { accountIdOf } from './account-id.js';
import type { OauthTransactionService } from './oauth-transaction.service.js';

/**
 * The library would keep a session of its own, which outlives the one here. Instead it sees the session of the house, for
 * the time of a request: who is signed in here is signed in there, and nobody else.
 */
export function installSessionBridge(provider: Provider, transaction: OauthTransactionService): void {
  provider.Session.get = ({ oidc }) => {
    const { person } = transaction;
    const session = new provider.Session();
    // to the library that is a session that is neither stored nor given a cookie
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

/** A sign-in that a request waited for counts while its session is the open one: not once it has ended, nor for the next person. */
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
