import type { RefreshToken } from 'oidc-provider';

const minute = 60;
const day = 24 * 60 * minute;

export const tokenLifetimeSeconds = {
  accessToken: 10 * minute,
  code: minute,
  device: 10 * minute,
  interaction: 60 * minute,
  refreshIdle: 30 * day,
  refreshTotal: 90 * day,
};

export const lifetimes = {
  AccessToken: tokenLifetimeSeconds.accessToken,
  AuthorizationCode: tokenLifetimeSeconds.code,
  DeviceCode: tokenLifetimeSeconds.device,
  Interaction: tokenLifetimeSeconds.interaction,
  // outlives all of its tokens
  Grant: tokenLifetimeSeconds.refreshTotal + day,
  Session: day,
  /** The idle lifetime, limited by the total lifetime that began with the first token of the chain. */
  RefreshToken: (_: unknown, token: RefreshToken) =>
    Math.max(1, Math.min(tokenLifetimeSeconds.refreshIdle, tokenLifetimeSeconds.refreshTotal - token.totalLifetime())),
};
