import { withoutEnd } from '../../platform/text/without-end.js';

const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)/is;

export interface Address {
  /** Without credentials, query and fragment. */
  url: string;
  scheme: string;
  /** null where it is put together when the client starts. */
  host: string | null;
}

/** Of an address that is redacted already; variables in it stay as they are written. */
export function addressOf(redacted: string): Address | null {
  const match = parts.exec(redacted.trim());
  if (!match) return null;
  const scheme = match[1].toLowerCase();
  const host = match[2].slice(match[2].lastIndexOf('@') + 1).toLowerCase();
  const path = withoutEnd(match[3], '/');
  return {
    url: `${scheme}://${host}${path}`,
    scheme,
    host: host && !/[$%{[]/.test(host.replace(/^\[[0-9a-f:.]+\]/, '')) ? host : null,
  };
}
