import type { Provider } from 'oidc-provider';

/**
 * The library derives its URLs from the address of the request. Responses here name the configured base URL, whose
 * scheme also decides on secure cookies.
 */
export function installIssuerUrl(provider: Provider): void {
  provider.OIDCContext.prototype.urlFor = (name: string, options?: Record<string, unknown>) =>
    provider.urlFor(name, options);
  Object.defineProperty(provider.request, 'protocol', { value: new URL(provider.issuer).protocol.slice(0, -1) });
}
