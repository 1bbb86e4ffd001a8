import type { InvalidField } from '../../platform/errors/problem.js';

export const maxRedirectUris = 20;
const maxRedirectUriLength = 2000;

// RFC 3986, section 2, without "#": excludes invisible characters, letters of other scripts and backslashes
const characters = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;
const redirectLoopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Parameters of the authorization response (RFC 6749, section 4.1.2; RFC 9207). Duplicates would be ambiguous. */
const responseParameters = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri', 'response'];

/**
 * Returns why a redirect URI cannot be registered, as a predicate of the URI, or null. Registered URIs are compared
 * character by character, so a URI must have the spelling that browsers use: then it leads where it appears to lead.
 */
export function redirectUriFault(uri: string, { isNative }: { isNative: boolean }): string | null {
  if (uri.length > maxRedirectUriLength) return `has more than ${maxRedirectUriLength} characters`;
  if (uri.includes('#')) return 'has a fragment ("#…")';
  const url = URL.canParse(uri) ? new URL(uri) : null;
  if (!characters.test(uri)) return `contains characters that are not allowed in a URL${suggestion(uri, url)}`;
  if (uri.includes('*')) return 'contains "*": register each URL separately, patterns are not supported';
  if (!url?.hostname) return 'is not a complete URL such as https://product.example/callback';
  return schemeFault(url, isNative) ?? authorityFault(uri, url) ?? spellingFault(uri, url) ?? queryFault(url);
}

/** Returns a fault for each URI that cannot be registered, with its position. */
export function redirectUriFaults(uris: readonly string[], client: { isNative: boolean }): InvalidField[] {
  if (!uris.length || uris.length > maxRedirectUris)
    return [{ pointer: '/redirectUris', detail: `must contain from 1 to ${maxRedirectUris} URLs` }];
  return uris.flatMap((uri, index) => {
    const detail = uris.indexOf(uri) < index ? 'is a duplicate' : redirectUriFault(uri, client);
    return detail ? [{ pointer: `/redirectUris/${index}`, detail }] : [];
  });
}

/** The host for display in its ASCII form, so that lookalike letters of other scripts are visible. */
export const redirectHost = (uri: string): string => new URL(uri).host;

function schemeFault({ protocol, hostname }: URL, isNative: boolean): string | null {
  const isLoopback = redirectLoopbackHosts.has(hostname);
  if (protocol === 'https:')
    return isNative && isLoopback ? 'uses https:// with a loopback address: use http://' : null;
  if (protocol !== 'http:') return 'starts with neither https:// nor http://';
  if (!isLoopback) return 'starts with http://, which exposes the authorization code: use https://';
  return isNative ? null : 'is a loopback address, which only a native client may use';
}

function authorityFault(uri: string, { hostname }: URL): string | null {
  const [, authority = ''] = /^[^:]+:\/\/([^/?]*)/.exec(uri) ?? [];
  if (authority.includes('@')) return 'contains a user name';
  return hostname.endsWith('.') ? 'has a host with a dot at the end' : null;
}

/** Accepts only the normalized spelling. A bare host may omit its slash, which is still unambiguous. */
const spellingFault = (uri: string, url: URL): string | null =>
  uri === url.href || `${uri}/` === url.href ? null : `is not in normalized form${suggestion(uri, url)}`;

function queryFault({ searchParams }: URL): string | null {
  const taken = responseParameters.find((name) => searchParams.has(name));
  return taken ? `contains the parameter "${taken}", which the authorization response adds` : null;
}

const suggestion = (uri: string, url: URL | null): string =>
  url && url.href !== uri && characters.test(url.href) ? `: did you mean ${url.href} ?` : '';
