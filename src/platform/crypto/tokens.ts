import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { sha256 } from './digest.js';

/**
 * A2A key, API and MCP access token, refresh token, CLI token, tenant key, admin token, session, single-use link, OAuth
 * client secret
 */
export const tokenKinds = ['a2a', 'api', 'mcp', 'ref', 'cli', 'ten', 'adm', 'ses', 'lnk', 'sec'] as const;
export type TokenKind = (typeof tokenKinds)[number];

/**
 * `cs_<kind>_<43 characters: 256 random bits, base64url><6: CRC-32>`. With the checksum, secret scanners and this
 * server recognize a token without a lookup. It is no protection.
 */
export function newToken(kind: TokenKind): string {
  const body = `cs_${kind}_${randomBytes(32).toString('base64url')}`;
  return body + checksum(body);
}

const shape = new RegExp(`^cs_(${tokenKinds.join('|')})_[A-Za-z0-9_-]{49}$`);

/** The kind of a well-formed token, else null. */
export function tokenKind(token: string): TokenKind | null {
  const match = shape.exec(token);
  if (!match || checksum(token.slice(0, -6)) !== token.slice(-6)) return null;
  return match[1] as TokenKind;
}

/** The stored form of a token. 256 random bits need no salt and no slow hash. */
export const hashToken = (token: string): Buffer => sha256(token);

function checksum(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString('base64url').slice(0, 6);
}
