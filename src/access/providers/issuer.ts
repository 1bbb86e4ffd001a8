const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The fault of an issuer URL, as a predicate; null: none (OpenID Connect Core 1.0, section 2: https, without query and
 * fragment).
 */
export function issuerFault(text: string): string | null {
  if (!URL.canParse(text)) return 'must be an address such as https://accounts.example.com';
  const { protocol, hostname, search, hash, username, password, pathname } = new URL(text);
  if (protocol !== 'https:' && !(protocol === 'http:' && loopbackHosts.includes(hostname))) return 'must use https';
  if (search || hash || /[?#]/.test(text)) return 'must not have a query or a fragment';
  if (username || password) return 'must not contain a user name or password';
  if (pathname.includes('/.well-known/')) return 'must end before "/.well-known/openid-configuration"';
  return null;
}
