import { packageManagers } from '../../configuration-file.js';
import { type ApprovedKind, hostKey, packageKey } from './approved-list.js';

/** Normalizes an administrator's input, or explains why it cannot be approved. */
export function parseApprovedValue(kind: ApprovedKind, typed: string): { value: string } | { wrong: string } {
  const text = typed.trim();
  switch (kind) {
    case 'package':
      return parseApprovedPackage(text);
    case 'host':
      return parseApprovedHost(text);
    case 'definition':
      return /^[0-9a-f]{64}$/i.test(text)
        ? { value: text.toLowerCase() }
        : { wrong: 'is not a definition hash: enter 64 hexadecimal digits' };
  }
}

function parseApprovedPackage(text: string) {
  const manager = packageManagers.find((one) => text.toLowerCase().startsWith(`${one}:`));
  if (!manager)
    return { wrong: `has to start with its package manager, such as "npm:" (one of ${packageManagers.join(', ')})` };
  const name = text.slice(manager.length + 1);
  if (!/^[\w@.][\w@./:-]*$/.test(name)) return { wrong: 'is not a package name' };
  if (/.[@=<>~^]/.test(name.replace(/^@[^/]*\//, '')))
    return { wrong: 'contains a version; a package is approved in all versions, so approve a definition instead' };
  return { value: packageKey(manager, name) };
}

const label = String.raw`[\p{L}\p{N}_](?:[\p{L}\p{N}_-]*[\p{L}\p{N}_])?`;
const host = new RegExp(
  String.raw`^(?:\*\.(?=[^:]*\.[^:]))?(?:${label}(?:\.${label})*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$`,
  'iu',
);

function parseApprovedHost(text: string) {
  if (text.includes('/')) return { wrong: 'is an address; enter only the host, such as "tools.example.com"' };
  const value = host.test(text) ? hostKey(text, 'https') : null;
  return value
    ? { value }
    : {
        wrong:
          'is not a host: enter a name such as "tools.example.com", or "*.example.com" for all subdomains, with a port if needed',
      };
}
