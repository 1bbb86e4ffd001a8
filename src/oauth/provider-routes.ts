export const providerRoutes = {
  authorization: '/oauth2/authorize',
  token: '/oauth2/token',
  revocation: '/oauth2/revoke',
  device_authorization: '/oauth2/device_authorization',
  jwks: '/oauth2/jwks',
  // our own page: the library only refers to it
  code_verification: '/device',
} as const;
