import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { FixedWindow } from '../fixed-window.ts';
import { SimulatedRefusal } from '../http-simulator.ts';
import { hasRole } from './github-data.ts';
import type { GithubOrganization, GithubRepository, GithubRole, GithubUser } from './github-data.ts';
import type { GithubWorld } from './github-world.ts';

export type GithubPermissions = Partial<Record<GithubPermission, 'read' | 'write'>>;
type GithubPermission =
  'metadata' | 'contents' | 'issues' | 'pull_requests' | 'discussions' | 'administration' | 'members';

const allReading: GithubPermissions = {
  metadata: 'read',
  contents: 'read',
  issues: 'read',
  pull_requests: 'read',
  discussions: 'read',
  administration: 'read',
  members: 'read',
};

export interface GithubToken {
  value: string;
  user: GithubUser;
  /** "all": every repository that the user can read. */
  repositories: Set<number> | 'all';
  permissions: GithubPermissions;
  isRevoked: boolean;
  /** Organizations whose single sign-on the token was not authorized for. */
  unauthorizedFor: Set<number>;
}

export interface GithubInstallation {
  id: number;
  account: GithubOrganization | GithubUser;
  repositories: Set<number> | 'all';
  permissions: GithubPermissions;
  isSuspended: boolean;
  core: FixedWindow;
  graphql: FixedWindow;
}

/** The user or app of a request, with its quota. */
export interface GithubActor {
  user: GithubUser | null;
  installation: GithubInstallation | null;
  permissions: GithubPermissions;
  core: FixedWindow;
  graphql: FixedWindow;
  token: GithubToken | null;
}

const hour = 3_600_000;

export class GithubCredentials {
  readonly appId = 424_242;
  readonly appSlug = 'countersign-reader';
  /** PEM, like the file that GitHub offers for download. */
  readonly privateKey: string;
  readonly tokens: GithubToken[] = [];
  readonly installations: GithubInstallation[] = [];
  /** The lifetime of installation tokens. */
  installationTokenMs = hour;
  coreLimit = 5000;
  graphqlLimit = 5000;
  private readonly world: GithubWorld;
  private readonly publicKey: KeyObject;
  private readonly windowsByUser = new Map<number, { core: FixedWindow; graphql: FixedWindow }>();
  private readonly installationTokens = new Map<string, { installation: GithubInstallation; expiresAt: number }>();

  constructor(world: GithubWorld) {
    this.world = world;
    this.privateKey = privateKey();
    this.publicKey = createPublicKey(this.privateKey);
  }

  addToken(user: GithubUser, token: Partial<Omit<GithubToken, 'user'>> = {}): GithubToken {
    const value = `github_pat_${randomBytes(20).toString('hex')}`;
    const rights = { repositories: 'all' as const, permissions: { ...allReading }, unauthorizedFor: new Set<number>() };
    const added = { value, user, isRevoked: false, ...rights, ...token };
    this.tokens.push(added);
    return added;
  }

  install(
    account: GithubOrganization | GithubUser,
    installation: Partial<GithubInstallation> = {},
  ): GithubInstallation {
    const added: GithubInstallation = {
      id: this.world.nextId(),
      account,
      repositories: 'all',
      permissions: { ...allReading },
      isSuspended: false,
      core: new FixedWindow(this.coreLimit, hour),
      graphql: new FixedWindow(this.graphqlLimit, hour),
      ...installation,
    };
    this.installations.push(added);
    return added;
  }

  /** All tokens of a person share the quotas. */
  windowsOf(user: GithubUser): { core: FixedWindow; graphql: FixedWindow } {
    const windows = this.windowsByUser.get(user.id) ?? {
      core: new FixedWindow(this.coreLimit, hour),
      graphql: new FixedWindow(this.graphqlLimit, hour),
    };
    this.windowsByUser.set(user.id, windows);
    return windows;
  }

  createInstallationToken(installation: GithubInstallation): { token: string; expires_at: string } {
    const token = `ghs_${randomBytes(18).toString('hex')}`;
    const expiresAt = Date.now() + this.installationTokenMs;
    this.installationTokens.set(token, { installation, expiresAt });
    return { token, expires_at: new Date(expiresAt).toISOString() };
  }

  /** Throws the replies that GitHub gives to invalid credentials. */
  actorOf(authorization: string | undefined): GithubActor {
    const value = /^(?:Bearer|token) (\S+)$/.exec(authorization ?? '')?.[1];
    const token = this.tokens.find((one) => one.value === value);
    if (token && !token.isRevoked) {
      const { user, permissions } = token;
      return { user, installation: null, permissions, token, ...this.windowsOf(user) };
    }
    const known = this.installationTokens.get(value ?? '');
    if (!known || known.expiresAt <= Date.now()) throw badCredentials();
    const { installation } = known;
    if (installation.isSuspended) throw suspended();
    const { permissions, core, graphql } = installation;
    return { user: null, installation, permissions, core, graphql, token: null };
  }

  /** Checks the JSON web token of the app. */
  requireApp(authorization: string | undefined): void {
    const [head, claims, signature] = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1].split('.') ?? [];
    const message = 'A JSON web token could not be decoded';
    if (!signature) throw new SimulatedRefusal({ status: 401, body: { message } });
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      this.publicKey,
      Buffer.from(signature, 'base64url'),
    );
    const { iat, exp, iss } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, number>;
    const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string };
    const now = Date.now() / 1000;
    if (!isSigned || alg !== 'RS256' || String(iss) !== String(this.appId))
      throw new SimulatedRefusal({ status: 401, body: { message } });
    if (iat > now || exp <= now)
      throw new SimulatedRefusal({
        status: 401,
        body: { message: "'Expiration time' claim ('exp') must be in the future" },
      });
    if (exp > now + 600)
      throw new SimulatedRefusal({
        status: 401,
        body: { message: "'Expiration time' claim ('exp') is too far in the future" },
      });
  }

  /** Whether the credential can see the repository. */
  canSee({ user, installation, token }: GithubActor, repository: GithubRepository): boolean {
    if (repository.visibility === 'public') return true;
    if (installation)
      return (
        installation.account.id === repository.owner.id &&
        (installation.repositories === 'all' || installation.repositories.has(repository.id))
      );
    if (token!.unauthorizedFor.has(repository.owner.id)) return false;
    if (token!.repositories !== 'all' && !token!.repositories.has(repository.id)) return false;
    return this.userRole(user!, repository) !== null;
  }

  /** Includes access through the visibility of the repository. */
  userRole(user: GithubUser, repository: GithubRepository): GithubRole | null {
    const role = this.world.roleOf(repository, user.id);
    if (role) return role;
    const isMember =
      'teams' in repository.owner &&
      (repository.owner.members.has(user.id) || repository.owner.enterprise?.members.has(user.id));
    return repository.visibility === 'public' || (repository.visibility === 'internal' && isMember) ? 'read' : null;
  }

  require(actor: GithubActor, permission: GithubPermission, level: 'read' | 'write' = 'read'): void {
    const held = actor.permissions[permission];
    if (held === 'write' || held === level) return;
    const holder = actor.installation ? 'integration' : 'personal access token';
    throw new SimulatedRefusal({
      status: 403,
      body: {
        message: `Resource not accessible by ${holder}`,
        documentation_url: 'https://docs.github.com/rest',
        status: '403',
      },
    });
  }

  /** People need push access to list collaborators. */
  canListCollaborators({ user }: GithubActor, repository: GithubRepository): boolean {
    return !user || hasRole(this.world.roleOf(repository, user.id), 'write');
  }
}

let generatedKey: string | undefined;

/** Shared by all simulators of a process, because generating a key is slow. */
function privateKey(): string {
  generatedKey ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
  return generatedKey;
}

const badCredentials = () =>
  new SimulatedRefusal({
    status: 401,
    body: { message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest', status: '401' },
  });

const suspended = () =>
  new SimulatedRefusal({
    status: 403,
    body: {
      message: 'This installation has been suspended',
      documentation_url: 'https://docs.github.com/rest',
      status: '403',
    },
  });
