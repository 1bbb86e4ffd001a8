import { sha256 } from '../../platform/crypto/digest.js';
import { canonicalJson, type JsonObject, type JsonValue } from '../../platform/json/strict-json.js';
import type { Package, Transport } from '../configuration-file.js';

const homes =
  /(?<![\w/\\])(?:\/(?:home|Users)\/[^/\\\s"']+|[A-Za-z]:[\\/]Users[\\/][^/\\\s"']+|\/root(?=\/|$)|\$\{userHome\}|\$\{(?:env:)?(?:HOME|USERPROFILE)\}|\$HOME\b|%USERPROFILE%)/g;

/** Where somebody's files are is not what tells one server from another. */
const normalizeHomes = (text: string): string => text.replaceAll(homes, '~');

const normalizeHomesIn = (value: JsonValue): JsonValue =>
  typeof value === 'string'
    ? normalizeHomes(value)
    : Array.isArray(value)
      ? value.map(normalizeHomesIn)
      : value && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, normalizeHomesIn(inner)]))
        : value;

/** Of the redacted definition, whoever's it is; switching it off and on again leaves it what it is. */
export function definitionHash(definition: JsonObject): string {
  const { disabled: _, enabled: __, ...lasting } = definition;
  return sha256(canonicalJson(normalizeHomesIn(lasting))).toString('hex');
}

interface ServerIdentityParts {
  transport: Transport;
  command: string | null;
  package: Package | null;
  url: string | null;
  /** Of the command, or of the package behind it. */
  args: readonly string[];
}

/**
 * The same for all who run the same server: the address without what is somebody's own, or the package whatever its version, or
 * the program and what it is told, without values of options, folders and secrets.
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
const isMarked = (arg: string) => /\[(?:secret:\w+|not kept)\]/.test(arg);

/** Of a package's arguments the words before its options: "run", "@acme/tickets". Folders are somebody's choice. */
function leadingWords(args: readonly string[]): string[] {
  const option = args.findIndex(isOption);
  return args.slice(0, option < 0 ? args.length : option).filter(isWord);
}

const isWord = (arg: string): boolean =>
  /^@?[A-Za-z][\w./-]*$/.test(arg) && !isMarked(arg) && !/^[A-Za-z]:|:\/\//.test(arg);

const isIdentifying = (arg: string, before: string | undefined): boolean =>
  !isMarked(arg) && (isOption(arg) ? !arg.includes('=') : !isOption(before) || /[\\/.]/.test(arg));
