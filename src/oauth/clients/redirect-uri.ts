import type { InvalidField } from '../../platform/errors/problem.js';

export const maxRedirectUris = 20;
const maxRedirectUriLength = 2000;

// RFC 3986, section 2, without the fragment's sign: nothing invisible, no letter of another script, no turned slash
const characters = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;
const redirectLoopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);
/** What the answer adds to the address (RFC 6749, section 4.1.2, RFC 9207): twice would be twice to read. */
const responseParameters = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri', 'response'];

/**
 * Why an address cannot be registered to send people back to, in words that follow the address; null, it can. What is
 * registered is compared character by character later, so it has to be written in the one way that browsers, too, would
 * write it: then it goes where it seems to go.
 */
export function redirectUriFault(uri: string, { isNative }: { isNative: boolean }): string | null {
  if (uri.length > maxRedirectUriLength) return `has more than ${maxRedirectUriLength} characters`;
  if (uri.includes('#')) return 'has a fragment ("#…")';
  const url = URL.canParse(uri) ? new URL(uri) : null;
  if (!characters.test(uri)) return `has characters that an address cannot have${suggestion(uri, url)}`;
  if (uri.includes('*')) return 'has a "*": every address is registered by itself, there are no patterns';
  if (!url?.hostname) return 'is no complete address such as https://product.example/callback';
  return schemeFault(url, isNative) ?? authorityFault(uri, url) ?? spellingFault(uri, url) ?? queryFault(url);
}

/** A fault for each address that cannot be registered, with its place. */
export function redirectUriFaults(uris: readonly string[], client: { isNative: boolean }): InvalidField[] {
  if (!uris.length || uris.length > maxRedirectUris)
    return [{ pointer: '/redirectUris', detail: `has from 1 to ${maxRedirectUris} addresses` }];
  return uris.flatMap((uri, index) => {
    const detail = uris.indexOf(uri) < index ? 'is named twice' : redirectUriFault(uri, client);
    return detail ? [{ pointer: `/redirectUris/${index}`, detail }] : [];
  });
}

/** Where an address leads, for people: the host as it travels, never in letters that look like others. */
export const redirectHost = (uri: string): string => new URL(uri).host;

function schemeFault({ protocol, hostname }: URL, isNative: boolean): string | null {
  const isLoopback = redirectLoopbackHosts.has(hostname);
  if (protocol === 'https:')
    return isNative && isLoopback ? 'is on a loopback address: there it begins with http://' : null;
  if (protocol !== 'http:') return 'begins with neither https:// nor http://';
  if (!isLoopback) return 'begins with http://, where anybody on the way could read the code: use https://';
  return isNative ? null : 'is a loopback address, which only a native client is called back on';
}

function authorityFault(uri: string, { hostname }: URL): string | null {
  const [, authority = ''] = /^[^:]+:\/\/([^/?]*)/.exec(uri) ?? [];
  if (authority.includes('@')) return 'has a user name before its host';
  return hostname.endsWith('.') ? 'has a dot at the end of its host' : null;
}

/** One address in one spelling. Only the slash after a bare host may be missing: that is exact, too. */
const spellingFault = (uri: string, url: URL): string | null =>
  uri === url.href || `${uri}/` === url.href ? null : `is not in its plain form${suggestion(uri, url)}`;

function queryFault({ searchParams }: URL): string | null {
  const taken = responseParameters.find((name) => searchParams.has(name));
  return taken ? `has the parameter "${taken}", which the answer brings` : null;
}

const suggestion = (uri: string, url: URL | null): string =>
  url && url.href !== uri && characters.test(url.href) ? `: did you mean ${url.href} ?` : '';
