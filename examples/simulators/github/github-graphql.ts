import { GraphQLError, buildSchema, execute, parse, validate } from 'graphql';
import type { SimulatedReply, SimulatedRequest } from '../http-simulator.ts';
import type { GithubActor, GithubCredentials } from './github-credentials.ts';
import type {
  GithubComment,
  GithubDiscussion,
  GithubIssue,
  GithubOrganization,
  GithubRepository,
  GithubReview,
} from './github-data.ts';
import { apiTime, nodeIdOf } from './github-payloads.ts';
import { githubSchema } from './github-schema.ts';
import type { GithubWorld } from './github-world.ts';

const schema = buildSchema(githubSchema);
const maxNodes = 500_000;
const maxTextBytes = 512_000;

type Page = { first?: number | null; after?: string | null };

/** Serves POST /api/graphql from the schema, with the permissions of the credential. */
export class GithubGraphql {
  private readonly world: GithubWorld;
  private readonly credentials: GithubCredentials;
  private readonly webUrl: () => string;
  /** By node id. `find` updates it. */
  private readonly places = new Map<string, { repository: GithubRepository; number: number }>();

  constructor(world: GithubWorld, credentials: GithubCredentials, webUrl: () => string) {
    this.world = world;
    this.credentials = credentials;
    this.webUrl = webUrl;
  }

  async answer({ body }: SimulatedRequest, actor: GithubActor): Promise<SimulatedReply> {
    const { query = '', variables = {} } = (body ?? {}) as { query?: string; variables?: Record<string, unknown> };
    try {
      const document = parse(query);
      const faults = validate(schema, document);
      if (faults.length) return { body: { errors: faults.map(({ message }) => ({ message })) } };
      const state = new Query(this, this.world, this.credentials, actor, this.webUrl());
      const result = await execute({ schema, document, rootValue: state.root(), variableValues: variables });
      const errors = result.errors?.map(({ message, path, extensions }) => ({ type: extensions.type, path, message }));
      return { body: { data: result.data ?? null, ...(errors && { errors }) } };
    } catch (error) {
      return { body: { errors: [{ message: (error as Error).message }] } };
    }
  }

  /** An issue, pull request or discussion by node id. */
  find(id: string): { repository: GithubRepository; issue?: GithubIssue; discussion?: GithubDiscussion } | null {
    const known = this.places.get(id);
    const found = known && this.at(known.repository, known.number, id);
    if (found && this.world.repositories.has(known.repository.id)) return found;
    for (const repository of this.world.repositories.values()) {
      for (const issue of repository.issues.values())
        this.places.set(nodeIdOf(issue), { repository, number: issue.number });
      for (const { id: own, number } of repository.discussions.values())
        this.places.set(`D_${own}`, { repository, number });
    }
    const place = this.places.get(id);
    return place && this.world.repositories.has(place.repository.id)
      ? this.at(place.repository, place.number, id)
      : null;
  }

  private at(repository: GithubRepository, number: number, id: string) {
    const issue = repository.issues.get(number);
    if (issue && nodeIdOf(issue) === id) return { repository, issue };
    const discussion = repository.discussions.get(number);
    return discussion && `D_${discussion.id}` === id ? { repository, discussion } : null;
  }
}

/** The resolvers of one query. */
class Query {
  private nodeCount = 0;
  private readonly graphql: GithubGraphql;
  private readonly world: GithubWorld;
  private readonly credentials: GithubCredentials;
  private readonly actor: GithubActor;
  private readonly webUrl: string;

  constructor(
    graphql: GithubGraphql,
    world: GithubWorld,
    credentials: GithubCredentials,
    actor: GithubActor,
    webUrl: string,
  ) {
    this.graphql = graphql;
    this.world = world;
    this.credentials = credentials;
    this.actor = actor;
    this.webUrl = webUrl;
  }

  root() {
    return {
      node: ({ id }: { id: string }) => this.node(id),
      nodes: ({ ids }: { ids: string[] }) => {
        if (ids.length > 100) throw typed('ARGUMENT_LIMIT', 'You may not provide more than 100 node ids.');
        return ids.map((id) => {
          try {
            return this.node(id);
          } catch (error) {
            return error;
          }
        });
      },
      organization: ({ login }: { login: string }) => {
        const found = [...this.world.organizations.values()].find((one) => one.login === login);
        if (!found) throw notFound(`Could not resolve to an Organization with the login of '${login}'.`);
        return this.organization(found);
      },
      enterprise: ({ slug }: { slug: string }) => this.enterprise(slug),
    };
  }

  private node(id: string): unknown {
    const missing = () => notFound(`Could not resolve to a node with the global id of '${id}'`);
    const number = Number(id.split('_')[1]);
    if (id.startsWith('U_')) {
      const user = this.world.users.get(number);
      if (!user) throw missing();
      return this.user(user.id);
    }
    if (id.startsWith('R_')) {
      const repository = this.world.repositories.get(number);
      if (!repository || !this.credentials.canSee(this.actor, repository)) throw missing();
      return this.repository(repository);
    }
    const found = this.graphql.find(id);
    if (!found || !this.credentials.canSee(this.actor, found.repository)) throw missing();
    if (found.discussion) return this.discussion(found.repository, found.discussion);
    return this.issue(found.issue!);
  }

  private user(id: number | null): object | null {
    const user = id === null ? undefined : this.world.users.get(id);
    if (!user) return null;
    return {
      __typename: user.login.endsWith('[bot]') ? 'Bot' : 'User',
      id: `U_${user.id}`,
      databaseId: user.id,
      login: user.login,
      name: user.name,
      organizationVerifiedDomainEmails: ({ login }: { login: string }) => {
        const organization = [...this.world.organizations.values()].find((one) => one.login === login);
        const canRead = this.actor.installation
          ? this.actor.installation.account === organization && this.actor.permissions.members
          : organization?.members.has(this.actor.user!.id) && this.actor.permissions.members;
        const isMember = organization?.members.has(user.id) && organization.hasVerifiedDomain;
        return canRead && isMember ? (user.verifiedEmails[login] ?? []) : [];
      },
    };
  }

  private organization(organization: GithubOrganization): object {
    const { id, login, hasSaml, members } = organization;
    return {
      id: `O_${id}`,
      login,
      samlIdentityProvider: () => {
        const { user, installation, permissions } = this.actor;
        const isOwner = user ? members.get(user.id) === 'admin' : installation?.account === organization;
        if (!isOwner || !permissions.members)
          throw typed('FORBIDDEN', 'You must be an organization owner to view SAML identities.');
        if (!hasSaml) return null;
        const people = [...members.keys()].flatMap((one) => this.world.users.get(one) ?? []);
        return {
          id: `SAML_${id}`,
          externalIdentities: (page: Page) =>
            this.page(
              page,
              people.filter(({ samlNameId }) => samlNameId),
              (person) => ({
                id: `EI_${person.id}`,
                user: this.user(person.id),
                samlIdentity: { nameId: person.samlNameId },
              }),
            ),
        };
      },
    };
  }

  private enterprise(slug: string): object {
    const organizations = [...this.world.organizations.values()].filter((one) => one.enterprise?.slug === slug);
    const user = this.actor.user;
    const isOwner = user && organizations.some(({ members }) => members.get(user.id) === 'admin');
    if (!organizations.length || !isOwner)
      throw notFound(`Could not resolve to a Business with the URL slug of '${slug}'.`);
    const ids = new Set(
      organizations.flatMap(({ members, enterprise }) => [...members.keys(), ...enterprise!.members]),
    );
    return {
      id: `E_${slug}`,
      slug,
      members: (page: Page) =>
        this.page(page, [...ids], (id) => ({
          __typename: 'EnterpriseUserAccount',
          id: `EUA_${id}`,
          login: this.world.users.get(id)!.login,
          user: this.user(id),
        })),
    };
  }

  private repository(repository: GithubRepository): object {
    const { id, issues, discussions, hasDiscussions } = repository;
    const count = (isPull: boolean) => [...issues.values()].filter(({ pull }) => Boolean(pull) === isPull).length;
    return {
      __typename: 'Repository',
      id: `R_${id}`,
      databaseId: id,
      nameWithOwner: this.world.fullName(repository),
      issues: () => ({ totalCount: count(false) }),
      pullRequests: () => ({ totalCount: count(true) }),
      discussions: (page: Page & { orderBy?: { field: 'CREATED_AT' | 'UPDATED_AT'; direction: 'ASC' | 'DESC' } }) => {
        this.require('discussions');
        const { field = 'CREATED_AT', direction = 'DESC' } = page.orderBy ?? {};
        const sign = direction === 'ASC' ? 1 : -1;
        const timeOf = (one: GithubDiscussion) => (field === 'UPDATED_AT' ? one.updatedAt : one.createdAt).getTime();
        const sorted = [...discussions.values()].sort((a, b) => sign * (timeOf(a) - timeOf(b) || a.id - b.id));
        return this.page(page, hasDiscussions ? sorted : [], (one) => this.discussion(repository, one));
      },
      object: ({ oid }: { oid?: string }) => {
        this.require('contents');
        const bytes = oid === undefined ? undefined : this.world.blobs.get(oid);
        return bytes ? this.blob(oid!, bytes) : null;
      },
    };
  }

  private blob(oid: string, bytes: Buffer): object {
    const isBinary = bytes.subarray(0, 8000).includes(0);
    const isTruncated = bytes.length > maxTextBytes;
    const text = isBinary ? null : bytes.subarray(0, maxTextBytes).toString('utf8');
    return { __typename: 'Blob', id: `B_${oid}`, oid, byteSize: bytes.length, isBinary, isTruncated, text };
  }

  private issue(issue: GithubIssue): object {
    this.require(issue.pull ? 'pull_requests' : 'issues');
    const threads = Map.groupBy(issue.pull?.reviewComments ?? [], ({ thread }) => thread);
    return {
      __typename: issue.pull ? 'PullRequest' : 'Issue',
      id: nodeIdOf(issue),
      databaseId: issue.id,
      number: issue.number,
      title: issue.title,
      body: issue.body ?? '',
      author: this.user(issue.user),
      comments: (page: Page) => this.page(page, issue.comments, (one) => this.comment('IC', one)),
      reviews: (page: Page) => this.page(page, issue.pull?.reviews ?? [], (one) => this.review(one)),
      reviewThreads: (page: Page) =>
        this.page(page, [...threads.values()], (comments) => ({
          id: `PRRT_${comments[0].thread}`,
          path: comments[0].path,
          line: comments[0].line,
          isResolved: false,
          comments: (inner: Page) => this.page(inner, comments, (one) => this.comment('PRRC', one)),
        })),
    };
  }

  private review({ id, user, body, state, submittedAt }: GithubReview): object {
    const common = { isMinimized: false, minimizedReason: null };
    return { id: `PRR_${id}`, author: this.user(user), body, state, submittedAt: apiTime(submittedAt), ...common };
  }

  private discussion(repository: GithubRepository, discussion: GithubDiscussion): object {
    this.require('discussions');
    const { id, number, title, body, user, category, comments, createdAt, updatedAt } = discussion;
    return {
      __typename: 'Discussion',
      repository: () => this.repository(repository),
      id: `D_${id}`,
      databaseId: id,
      number,
      title,
      body,
      url: `${this.webUrl}/${this.world.fullName(repository)}/discussions/${number}`,
      author: this.user(user),
      createdAt: apiTime(createdAt),
      updatedAt: apiTime(updatedAt),
      category: { name: category },
      comments: (page: Page) => this.page(page, comments, (one) => this.comment('DC', one)),
    };
  }

  private comment(prefix: string, comment: GithubComment): object {
    const { id, user, body, createdAt, minimizedReason, replies } = comment;
    return {
      id: `${prefix}_${id}`,
      author: this.user(user),
      body,
      createdAt: apiTime(createdAt),
      isMinimized: minimizedReason !== null,
      minimizedReason,
      replies: (page: Page) => this.page(page, replies, (one) => this.comment('DC', one)),
    };
  }

  private page<T>({ first, after }: Page, rows: T[], toNode: (row: T) => unknown) {
    if (first === null || first === undefined) {
      // only the count is needed
      return {
        totalCount: rows.length,
        nodes: () => Promise.reject(missingFirst()),
        pageInfo: () => Promise.reject(missingFirst()),
      };
    }
    if (first < 1 || first > 100)
      throw typed(
        'EXCESSIVE_PAGINATION',
        `Requesting ${first} records on the connection exceeds the limit of 100 records.`,
      );
    this.nodeCount += first;
    if (this.nodeCount > maxNodes) throw typed('MAX_NODE_LIMIT_EXCEEDED', 'This query requests too many nodes.');
    const start = after ? Number(Buffer.from(after, 'base64').toString().replace('cursor:', '')) : 0;
    const end = Math.min(rows.length, start + first);
    const endCursor = end > start ? Buffer.from(`cursor:${end}`).toString('base64') : null;
    return {
      totalCount: rows.length,
      nodes: () => rows.slice(start, end).map(toNode),
      pageInfo: { hasNextPage: end < rows.length, endCursor },
    };
  }

  private require(permission: Parameters<GithubCredentials['require']>[1]): void {
    const { permissions, installation } = this.actor;
    if (permissions[permission]) return;
    throw typed('FORBIDDEN', `Resource not accessible by ${installation ? 'integration' : 'personal access token'}`);
  }
}

const typed = (type: string, message: string): GraphQLError => new GraphQLError(message, { extensions: { type } });
const notFound = (message: string): GraphQLError => typed('NOT_FOUND', message);
const missingFirst = (): GraphQLError =>
  typed(
    'MISSING_PAGINATION_BOUNDARIES',
    'You must provide a `first` or `last` value to properly paginate the connection.',
  );
