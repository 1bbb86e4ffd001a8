const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

/** What is wrong with an issuer's address (OpenID Connect Core 1.0, section 2: https, without query and fragment); null: nothing. */
export function issuerFault(text: string): string | null {
  if (!URL.canParse(text)) return 'is no address such as https://accounts.example.com';
  const { protocol, hostname, search, hash, username, password, pathname } = new URL(text);
  if (protocol !== 'https:' && !(protocol === 'http:' && loopbackHosts.includes(hostname))) return 'needs https';
  if (search || hash || /[?#]/.test(text)) return 'has no query and no fragment';
  if (username || password) return 'has no user name or password in it';
  if (pathname.includes('/.well-known/')) return 'is what stands before "/.well-known/openid-configuration"';
  return null;
}
