import type { Provider, TokenEndpointGrantContext } from 'oidc-provider';

export type Middleware = Parameters<Provider['use']>[0];

/** Exchanges a credential of one grant type for tokens at the token endpoint. */
export type GrantHandler<P extends object> = (ctx: TokenEndpointGrantContext<P>) => void | Promise<void>;
