import type { Interaction, Provider } from 'oidc-provider';
import type { Principal } from '../principal/principal.js';
import { accountId } from './account-id.js';
import type { OauthTransaction } from './oauth-transaction.service.js';

/**
 * The library would keep a session of its own, which outlives the one here. Instead it sees the session of the house, for
 * the time of a request: who is signed in here is signed in there, and nobody else.
 */
export function useOurSessions(provider: Provider, transaction: OauthTransaction): void {
  provider.Session.get = ({ oidc }) => {
    const { person } = transaction;
    const session = new provider.Session();
    // to the library that is a session that is neither stored nor given a cookie
    Object.defineProperty(session, 'destroyed', { value: true });
    if (person?.memberId && person.sessionId) {
      const { tenantId, memberId, sessionId: uid, freshAt } = person;
      const loginTs = freshAt && Math.floor(freshAt.getTime() / 1000);
      Object.assign(session, { accountId: accountId({ tenantId, memberId }), uid, loginTs });
    }
    oidc.entity('Session', session);
    return Promise.resolve(session);
  };
  forgetOtherSignIns(provider, transaction);
}

type Find = (id: string, options?: object) => Promise<Interaction | undefined>;

/** A sign-in that a request waited for counts while its session is the open one: not once it has ended, nor for the next person. */
function forgetOtherSignIns({ Interaction: Waiting }: Provider, transaction: OauthTransaction): void {
  const read = Waiting.find.bind(Waiting) as Find;
  const find: Find = async (id, options) => {
    const found = await read(id, options);
    const { login, ...rest } = found?.result ?? {};
    if (found && login && login.accountId !== accountOf(transaction.person)) found.result = rest;
    return found;
  };
  Object.assign(Waiting, { find });
}

const accountOf = (person: Principal | null): string | undefined =>
  person?.memberId && accountId({ tenantId: person.tenantId, memberId: person.memberId });
