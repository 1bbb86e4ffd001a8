import { sha256 } from '../../platform/crypto/digest.js';
import { canonicalJson, type JsonObject, type JsonValue } from '../../platform/json/strict-json.js';
import type { Package, Transport } from '../configuration-file.js';
import { hasMark } from '../redaction/marks.js';

const homes =
  /(?<![\w/\\])(?:\/(?:home|Users)\/[^/\\\s"']+|[A-Za-z]:[\\/]Users[\\/][^/\\\s"']+|\/root(?=\/|$)|\$\{userHome\}|\$\{(?:env:)?(?:HOME|USERPROFILE)\}|\$HOME\b|%USERPROFILE%)/g;

/** Home folders do not distinguish servers. */
export const normalizeHomes = (text: string): string => text.replaceAll(homes, '~');

const normalizeHomesIn = (value: JsonValue): JsonValue =>
  typeof value === 'string'
    ? normalizeHomes(value)
    : Array.isArray(value)
      ? value.map(normalizeHomesIn)
      : value && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, normalizeHomesIn(inner)]))
        : value;

/** Hash of the redacted definition, independent of its owner and of whether the server is enabled. */
export function definitionHash(definition: JsonObject): string {
  const { disabled: _, enabled: __, ...lasting } = definition;
  return sha256(canonicalJson(normalizeHomesIn(lasting))).toString('hex');
}

interface ServerIdentityParts {
  transport: Transport;
  command: string | null;
  package: Package | null;
  url: string | null;
  /** Arguments of the command, or of its package. */
  args: readonly string[];
}

/**
 * Equal for everyone who runs the same server: based on the address without personal parts, or the package without its
 * version, or the program and its arguments without option values, folders and secrets.
 */
export function serverIdentityOf({ transport, command, package: from, url, args }: ServerIdentityParts): string {
  const what = from
    ? ['package', from.manager, from.name, url, ...leadingWords(args)]
    : url
      ? ['url', url]
      : [transport, command, ...args.map(pathWithoutHome).filter((arg, index) => isIdentifying(arg, args[index - 1]))];
  return sha256(canonicalJson(what)).toString('hex');
}

const pathWithoutHome = (arg: string) => normalizeHomes(arg).replaceAll('\\', '/');
const isOption = (arg: string | undefined) => arg !== undefined && /^--?[A-Za-z]/.test(arg);

/**
 * The words before the options of a package: "run", "@acme/tickets". Folders are excluded, because they differ per
 * user.
 */
function leadingWords(args: readonly string[]): string[] {
  const option = args.findIndex(isOption);
  return args.slice(0, option < 0 ? args.length : option).filter(isWord);
}

const isWord = (arg: string): boolean =>
  /^@?[A-Za-z][\w./-]*$/.test(arg) && !hasMark(arg) && !/^[A-Za-z]:|:\/\//.test(arg);

const isIdentifying = (arg: string, before: string | undefined): boolean =>
  !hasMark(arg) && (isOption(arg) ? !arg.includes('=') : !isOption(before) || /[\\/.]/.test(arg));
