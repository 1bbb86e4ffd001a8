import { type Configuration, Provider } from 'oidc-provider';
import type { AccountsService } from '../accounts.service.js';
import { deviceGrant } from '../client-facts.js';
import type { OauthTransactionService } from '../oauth-transaction.service.js';
import type { GrantHandler } from '../provider-types.js';
import { enforcePollInterval } from './device-poll-interval.js';
import { withReplay } from './refresh-replay.js';
import { singleUse } from './single-use-codes.js';

type Names = string | readonly string[] | ReadonlySet<string>;
type GrantParameters = [params?: Names, duplicates?: Names];

/**
 * The library offers no hook around its own grant handlers. It registers them in its constructor, so a subclass wraps
 * them there.
 */
export function createProvider(
  issuer: string,
  configuration: Configuration,
  transaction: OauthTransactionService,
  accounts: AccountsService,
): Provider {
  const replayable = withReplay(transaction, accounts);
  const once = singleUse(transaction);
  const polled = enforcePollInterval(transaction);
  const wrap = <P extends object>(name: string, handler: GrantHandler<P>): GrantHandler<P> => {
    if (name === 'refresh_token') return replayable(handler);
    if (name === 'authorization_code') return once(handler);
    return name === deviceGrant ? polled(handler) : handler;
  };
  class WrappedProvider extends Provider {
    override registerGrantType<P extends object>(name: string, handler: GrantHandler<P>, ...more: GrantParameters) {
      super.registerGrantType<P>(name, wrap(name, handler), ...more);
    }
  }
  return new WrappedProvider(issuer, configuration);
}
