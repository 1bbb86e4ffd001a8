import { createHash, randomBytes } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { destinationAddress } from '../../platform/http/destination-address.js';
import { checkAddress } from '../../platform/http/network-address.js';
import { hostKeyAlias, InvalidGitAddress, type GitAddress } from './git-address.js';
import { GitFailure } from './git-failure.js';
import { GitProcess, readOutput, type GitProgram } from './git-process.js';
import { pemOf } from './pem.js';

export interface GitCredential {
  user?: string;
  token?: string;
  privateKey?: string;
  /** Fingerprints (SHA256:…) or public keys ("ssh-ed25519 AAAA…") of the host. */
  hostKeys: readonly string[];
  /** In PEM. Replaces the public certificate authorities. */
  certificateAuthority?: string;
}

export interface GitSite {
  /** The working folder of programs. It contains only files that this server or git has written. */
  folder: string;
  allowedNetworks: BlockList;
  signal: AbortSignal;
  memoryKibibytes?: number;
}

type Limits = Pick<GitProgram, 'maxSeconds' | 'watch'>;

const defaultUser = 'x-access-token';
/** Passes the credential from descriptor 3 to git. The argument is the operation: get, store or erase. */
const credentialHelper = 'credential.helper=!f() { test "$1" != get || cat <&3; }; f';
const keyScanSeconds = 15;
const noNetworks = new BlockList();

/** Disables hooks, helpers, redirects, submodules, bundles and all protocols. A command enables the protocol it needs. */
const lockedDown = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.symlinks=false',
  'core.bigFileThreshold=32m', // larger files are processed in parts instead of in memory
  'credential.helper=',
  'safe.bareRepository=explicit',
  'protocol.allow=never',
  'protocol.version=2',
  'http.followRedirects=false',
  'http.proxy=',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=60',
  'transfer.fsckObjects=true',
  'transfer.bundleURI=false',
  'fetch.unpackLimit=1', // a pack is stored atomically; loose objects are stored one by one
  'fetch.recurseSubmodules=false',
  'fetch.writeCommitGraph=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'pack.threads=1',
  'index.threads=1',
].flatMap((setting) => ['-c', setting]);

export const gitCommand = (...args: string[]): string[] => ['git', ...lockedDown, ...args];

/**
 * Connects git to one host, at an IP address that the network rules permit. The credential passes through a pipe and is
 * never in a file, argument or setting.
 */
export class GitTransport {
  private constructor(
    readonly address: GitAddress,
    private readonly credential: GitCredential,
    private readonly site: GitSite,
    private readonly pinned: string,
  ) {}

  static async open(address: GitAddress, credential: GitCredential, site: GitSite): Promise<GitTransport> {
    const pinned = await destinationAddress(address.host, site.allowedNetworks, site.signal);
    if (address.protocol === 'http' && checkAddress(pinned, noNetworks) === null)
      throw new InvalidGitAddress('Use https: plain http would expose the credential on the network.');
    const transport = new GitTransport(address, credential, site, pinned);
    if (address.protocol === 'ssh') await transport.writeKnownHosts();
    else if (credential.certificateAuthority) await transport.writeAuthority(credential.certificateAuthority);
    return transport;
  }

  /** A git command that may connect to the host. */
  start(args: readonly string[], limits: Limits): GitProcess {
    const { protocol, host } = this.address;
    const { folder, signal, memoryKibibytes } = this.site;
    const permitted = ['-c', `protocol.${protocol}.allow=always`, ...args];
    const program = protocol === 'ssh' ? this.overSsh(permitted) : this.overHttp(permitted);
    return new GitProcess({ ...program, ...limits, folder, host, signal, memoryKibibytes, isOnline: true });
  }

  private overHttp(args: readonly string[]): Pick<GitProgram, 'command' | 'channels' | 'secrets'> {
    const { host, port } = this.address;
    const { user = defaultUser, token, certificateAuthority } = this.credential;
    const bare = this.pinned.includes(':') ? `[${this.pinned}]` : this.pinned;
    const settings = [
      // an address needs no lookup, and curl does not accept one of IPv6 as a name
      ...(isIP(host.replace(/^\[|\]$/g, '')) ? [] : [`http.curloptResolve=${host}:${port}:${bare}`]),
      ...(certificateAuthority ? [`http.sslCAInfo=${this.authorityFile}`] : []),
      ...(token ? [credentialHelper] : []),
    ].flatMap((setting) => ['-c', setting]);
    const command = gitCommand(...settings, ...args);
    if (!token) return { command };
    const basic = Buffer.from(`${user}:${token}`).toString('base64');
    return {
      command,
      channels: [`username=${user}\npassword=${token}\n`],
      secrets: [token, encodeURIComponent(token), basic],
    };
  }

  private overSsh(args: readonly string[]): Pick<GitProgram, 'command' | 'channels' | 'environment'> {
    const options = {
      BatchMode: 'yes',
      StrictHostKeyChecking: 'yes',
      UserKnownHostsFile: 'known_hosts',
      GlobalKnownHostsFile: '/dev/null',
      UpdateHostKeys: 'no',
      HostName: this.pinned,
      HostKeyAlias: hostKeyAlias(this.address),
      CheckHostIP: 'no',
      IdentityFile: 'none',
      PreferredAuthentications: 'publickey',
      ConnectTimeout: '15',
      ServerAliveInterval: '15',
      ServerAliveCountMax: '4',
      ClearAllForwardings: 'yes',
      ForwardAgent: 'no',
      PermitLocalCommand: 'no',
    };
    const ssh = Object.entries(options).map(([name, value]) => `-o '${name}=${value}'`);
    const environment = { GIT_SSH_COMMAND: ['ssh', '-F', '/dev/null', ...ssh].join(' '), GIT_SSH_VARIANT: 'ssh' };
    const command = gitCommand(...args);
    const { privateKey } = this.credential;
    if (!privateKey) return { command, environment };
    // the agent holds the key in memory until the command ends; after SIGKILL, the next pass removes the socket
    const script = 'ssh-add -q - <&3 && "$@"; code=$?; kill "$SSH_AGENT_PID"; rm -f "$SSH_AUTH_SOCK"; exit $code';
    const agent = `agent-${randomBytes(6).toString('hex')}`;
    return {
      command: ['ssh-agent', '-a', agent, '/bin/sh', '-c', script, 'sh', ...command],
      channels: [pemOf(privateKey, 'PRIVATE KEY') ?? privateKey],
      environment,
    };
  }

  private get authorityFile(): string {
    return path.join(this.site.folder, 'authority.pem');
  }

  private async writeAuthority(text: string): Promise<void> {
    const pem = pemOf(text, 'CERTIFICATE');
    if (!pem) throw new GitFailure('tls', 'The certificate authority is not a certificate in PEM.');
    await writeFile(this.authorityFile, pem, { mode: 0o600 });
  }

  /** The only host keys that SSH accepts. */
  private async writeKnownHosts(): Promise<void> {
    const { folder } = this.site;
    const { host } = this.address;
    const entered = this.credential.hostKeys.map((key) => key.trim()).filter(Boolean);
    const keys = entered.filter((key) => !isFingerprint(key)).map(publicKeyIn);
    if (keys.length < entered.length || !entered.length) {
      const presented = await this.scanHostKeys();
      const known = presented.filter((key) => entered.includes(fingerprintOfKey(key)));
      keys.push(...known);
      if (!keys.length) throw new GitFailure('host-key', hostKeyMessage(host, presented, entered.length > 0));
    }
    const alias = hostKeyAlias(this.address);
    await writeFile(path.join(folder, 'known_hosts'), keys.map((key) => `${alias} ${key}\n`).join(''), { mode: 0o600 });
  }

  private async scanHostKeys(): Promise<string[]> {
    const { folder, signal } = this.site;
    const { host, port } = this.address;
    const command = ['ssh-keyscan', '-T', '10', '-p', String(port), this.pinned];
    const scan = new GitProcess({ command, folder, host, signal, isOnline: true, maxSeconds: keyScanSeconds });
    const lines = (await readOutput(scan, 64 * 1024)).toString('latin1').split('\n');
    return lines.flatMap((line) => /^\S+ ([\w@.-]+ [A-Za-z\d+/]+=*)$/.exec(line)?.[1] ?? []);
  }
}

const isFingerprint = (key: string): boolean => key.startsWith('SHA256:');
const publicKeyPattern = /(?:^|\s)((?:ssh|ecdsa|sk)-[\w@.-]+ [A-Za-z\d+/]{40,}=*)(?:\s|$)/;

/** A fingerprint, or a public key. As in `known_hosts`, the names of the host may precede the key. */
export const isHostKey = (text: string): boolean =>
  /^SHA256:[A-Za-z\d+/]{43}$/.test(text.trim()) || publicKeyPattern.test(text);

const publicKeyIn = (line: string): string => publicKeyPattern.exec(line)?.[1] ?? '';

function fingerprintOfKey(key: string): string {
  const digest = createHash('sha256')
    .update(Buffer.from(key.split(' ')[1], 'base64'))
    .digest('base64');
  return `SHA256:${digest.replace(/=+$/, '')}`;
}

/** Lists the presented host keys, so that the administrator can compare them with the published ones and enter one. */
function hostKeyMessage(host: string, presented: readonly string[], isOther: boolean): string {
  if (!presented.length) return `Could not connect to ${host} over SSH.`;
  const listed = presented.map((key) => `${fingerprintOfKey(key)} (${key.split(' ')[0]})`).join(', ');
  return isOther
    ? `${host} presents other host keys than the entered ones: ${listed}. Nothing was sent. If the host has published new keys, enter one of them.`
    : `Enter a host key. ${host} presents ${listed}. Compare it with the fingerprint that the host publishes, and enter it under “Host keys”.`;
}
