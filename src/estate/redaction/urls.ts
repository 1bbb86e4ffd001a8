import type { SecretType } from '../../platform/secrets/secret-types.js';
import { droppedValue } from './marks.js';
import { uuid } from './randomness.js';
import { isReference } from '../../platform/secrets/references.js';

/** Addresses inside a text. Includes brackets, because addresses may contain marks. */
export const urlPattern = /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s"'<>`\\]+/gi;
const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;

interface UrlReplacements {
  user(value: string, type: SecretType): string;
  value(name: string, value: string): string;
  host(value: string): string;
  segment(value: string): string;
}

/** Replaces the identifying parts of an address: credentials, query values and random path segments. */
export function redactedUrl(url: string, replacing: UrlReplacements): string {
  const match = parts.exec(url);
  if (!match) return replacing.segment(url); // a field for an address contains something else
  const [, scheme, authority, path, query, fragment] = match;
  const at = authority.lastIndexOf('@');
  return [
    `${scheme}://`,
    at < 0 ? '' : `${credentials(scheme, authority.slice(0, at), replacing)}@`,
    replacing.host(authority.slice(at + 1)),
    path
      .split('/')
      .map((segment) => segmentOf(segment, replacing))
      .join('/'),
    query === undefined
      ? ''
      : `?${query
          .split('&')
          .map((pair) => pairOf(pair, replacing))
          .join('&')}`,
    fragment ? `#${replacing.value('fragment', fragment)}` : '',
  ].join('');
}

function credentials(scheme: string, text: string, { user }: UrlReplacements): string {
  // the user of an SSH or git address is shared, not secret
  if (/^(?:git\+)?ssh$|^git$/i.test(scheme) && !text.includes(':')) return text;
  const type = /^(?:git\+)?https?$|^wss?$/i.test(scheme) ? 'basic_auth' : 'database_password';
  const at = /^\[/.test(text) ? -1 : text.indexOf(':');
  return at < 0
    ? user(text, type)
    : `${isReference(text.slice(0, at)) ? text.slice(0, at) : droppedValue}:${user(text.slice(at + 1), type)}`;
}

function segmentOf(segment: string, { segment: replace }: UrlReplacements): string {
  if (!segment || isReference(segment)) return segment;
  // a UUID identifies an account
  return replace(segment.replaceAll(uuid, droppedValue));
}

function pairOf(pair: string, { value, segment }: UrlReplacements): string {
  const at = pair.indexOf('=');
  if (at < 0) return value('', pair);
  const name = pair.slice(0, at);
  return `${segment(name)}=${value(decoded(name), pair.slice(at + 1))}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
