import { badPorts } from '../../platform/http/bad-ports.js';

/** The address of a repository, without a credential. */
export interface GitAddress {
  protocol: 'https' | 'http' | 'ssh';
  host: string;
  port: number;
  /** Only for SSH. */
  user: string;
  /** The display name, such as "acme/handbook". */
  repository: string;
  /** The URL that git gets. */
  url: string;
}

const maxAddressLength = 1000;
const defaultPorts = { https: 443, http: 80, ssh: 22 };
const hostPattern = /^(?=.{1,253}$)[a-z\d]([a-z\d.-]*[a-z\d])?$|^\[[\da-f:.]+\]$/;
const userPattern = /^[A-Za-z\d_][\w.-]{0,63}$/;
/** `user@host:path`, the short form of SSH addresses. */
const shortForm = /^([^@/:\s]+)@([^@/:\s]+):(?!\/\/)(\S+)$/;

/** People see the message. */
export class InvalidGitAddress extends Error {
  override readonly name = 'InvalidGitAddress';
}

/**
 * Accepts complete URLs of HTTP and SSH, and the short form of SSH. git itself accepts more forms, such as `ext::`, which
 * executes a command, and paths on this server.
 */
export function parseGitAddress(text: string): GitAddress {
  if (text.length > maxAddressLength || /[\p{Cc}\s\\]/u.test(text) || !text.isWellFormed())
    throw new InvalidGitAddress('The address contains spaces or control characters, or is too long.');
  const short = shortForm.exec(text);
  if (short) {
    const [, user, host, path] = short;
    return checked({ protocol: 'ssh', host: host.toLowerCase(), port: 22, user, path, url: `${user}@${host}:${path}` });
  }
  if (!/^(https?|ssh):\/\//.test(text) || !URL.canParse(text))
    throw new InvalidGitAddress(
      'Enter the address of the repository as its host shows it: https://host/path or git@host:path.',
    );
  const url = new URL(text);
  const protocol = url.protocol.slice(0, -1) as GitAddress['protocol'];
  if (url.password || (url.username && protocol !== 'ssh'))
    throw new InvalidGitAddress('The address must not contain a password or token. Use the credential fields.');
  if (url.search || url.hash) throw new InvalidGitAddress('The address must not contain ? or #.');
  const port = Number(url.port) || defaultPorts[protocol];
  if (protocol !== 'ssh' && badPorts.has(url.port))
    throw new InvalidGitAddress(`Port ${url.port} is reserved for another protocol than HTTP.`);
  const user = url.username || 'git';
  const authority = protocol === 'ssh' ? `${user}@${url.host}` : url.host;
  const path = url.pathname.slice(1);
  return checked({
    protocol,
    host: url.hostname.toLowerCase(),
    port,
    user,
    path,
    url: `${protocol}://${authority}/${path}`,
  });
}

function checked({ path, ...address }: Omit<GitAddress, 'repository'> & { path: string }): GitAddress {
  if (!hostPattern.test(address.host)) throw new InvalidGitAddress('The address has no valid host name.');
  if (address.protocol === 'ssh' && !userPattern.test(address.user))
    throw new InvalidGitAddress('The address has no valid user name.');
  const repository = readable(path)
    .replace(/^[/~]+|\/+$/g, '')
    .replace(/\.git$/, '');
  if (!repository || path.startsWith('-'))
    throw new InvalidGitAddress('The address has no path of a repository after the host.');
  return { ...address, repository };
}

function readable(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // not a valid percent-encoding
  }
}

/** The name of the host in `known_hosts`. */
export const hostKeyAlias = ({ host, port }: GitAddress): string => {
  const bare = host.replace(/^\[|\]$/g, '');
  return port === defaultPorts.ssh ? bare : `[${bare}]:${port}`;
};

/** The rules of `git check-ref-format`. Names that look like an option are invalid as well. */
export const isBranchName = (name: string): boolean =>
  name.length <= 244 &&
  name.isWellFormed() &&
  !/^[-/@]$|^[-/]|[\p{Cc}\s~^:?*[\\]|\.\.|@\{|\/\/|[./]$|\.lock(\/|$)|(^|\/)\./u.test(name);
