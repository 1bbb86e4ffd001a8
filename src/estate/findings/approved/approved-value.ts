import { packageManagers } from '../../configuration-file.js';
import { type ApprovedKind, hostKey, packageKey } from './approved-list.js';

/** What an administrator typed, in the one spelling; or why it is nothing that could be approved. */
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
        : { wrong: 'is no hash of a definition: 64 digits and letters from a to f' };
  }
}

function parseApprovedPackage(text: string) {
  const manager = packageManagers.find((one) => text.toLowerCase().startsWith(`${one}:`));
  if (!manager) return { wrong: `has to begin with where it comes from, as in "npm:": ${packageManagers.join(', ')}` };
  const name = text.slice(manager.length + 1);
  if (!/^[\w@.][\w@./:-]*$/.test(name)) return { wrong: 'is no name of a package' };
  if (/.[@=<>~^]/.test(name.replace(/^@[^/]*\//, '')))
    return { wrong: 'names a version; a package is approved in every version, one version by its definition' };
  return { value: packageKey(manager, name) };
}

const label = String.raw`[\p{L}\p{N}_](?:[\p{L}\p{N}_-]*[\p{L}\p{N}_])?`;
const host = new RegExp(
  String.raw`^(?:\*\.(?=[^:]*\.[^:]))?(?:${label}(?:\.${label})*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$`,
  'iu',
);

function parseApprovedHost(text: string) {
  if (text.includes('/')) return { wrong: 'is an address; a host is only its name, as in "tools.example.com"' };
  const value = host.test(text) ? hostKey(text, 'https') : null;
  return value
    ? { value }
    : {
        wrong:
          'is no host: a name such as "tools.example.com", or "*.example.com" for all below it, with a port if it needs one',
      };
}
