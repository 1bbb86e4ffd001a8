import { trimTrailing } from '../../platform/text/trim-trailing.js';

const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)/is;

export interface ServerAddress {
  /** Without credentials, query and fragment. */
  url: string;
  scheme: string;
  /** Null: built from variables when the client starts. */
  host: string | null;
}

/** Parses a redacted address. Variables in it remain as written. */
export function parseServerAddress(redacted: string): ServerAddress | null {
  const match = parts.exec(redacted.trim());
  if (!match) return null;
  const scheme = match[1].toLowerCase();
  const host = match[2].slice(match[2].lastIndexOf('@') + 1).toLowerCase();
  const path = trimTrailing(match[3], '/');
  return {
    url: `${scheme}://${host}${path}`,
    scheme,
    host: host && !/[$%{[]/.test(host.replace(/^\[[0-9a-f:.]+\]/, '')) ? host : null,
  };
}
