import type { Provider } from 'oidc-provider';
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
}
