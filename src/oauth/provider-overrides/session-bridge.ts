import type { Provider } from 'oidc-provider';
import { accountIdOf } from '../account-id.js';
import type { OauthTransactionService } from '../oauth-transaction.service.js';

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
}
