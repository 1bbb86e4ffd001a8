import type { RefreshToken } from 'oidc-provider';

const minute = 60;
const day = 24 * 60 * minute;

export const seconds = {
  accessToken: 10 * minute,
  code: minute,
  device: 10 * minute,
  interaction: 60 * minute,
  refreshIdle: 30 * day,
  refreshInAll: 90 * day,
};

export const lifetimes = {
  AccessToken: seconds.accessToken,
  AuthorizationCode: seconds.code,
  DeviceCode: seconds.device,
  Interaction: seconds.interaction,
  // longer than anything that hangs on it
  Grant: seconds.refreshInAll + day,
  Session: day,
  /** So long without use, but no longer than the whole time that began with the first of its line. */
  RefreshToken: (_: unknown, token: RefreshToken) =>
    Math.max(1, Math.min(seconds.refreshIdle, seconds.refreshInAll - token.totalLifetime())),
};
