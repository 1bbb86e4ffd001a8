import { sha256 } from '../../platform/crypto/digest.js';
import type { ReaderSet, SourceAudience } from '../../connections/knowledge-source.port.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import type { JiraClient } from './jira-client.js';
import type { JiraHolder, JiraIssue, JiraProject } from './jira-schemas.js';

/** People whom a permission names by their part in the issue. */
const parts = ['reporter', 'assignee'] as const;
type Part = (typeof parts)[number];

/** The holders of a permission: who may browse a project, or who is in a security level. */
interface Grant {
  holders: readonly JiraHolder[];
  parts: readonly Part[];
}

interface ProjectGrants {
  browse: Grant;
  levels: ReadonlyMap<string, Grant & { name: string }>;
}

/** Whose reading depends on: the issue, and only if a permission names its people, its reporter and assignee. */
interface AudienceKey {
  project: string;
  level: string | null;
  /** A restriction whose readers Jira does not tell. */
  isRestricted: boolean;
  people: Partial<Record<Part, string | null>>;
}

type PermissionFields = Pick<
  JiraIssue['fields'],
  'project' | 'security' | 'issuerestriction' | 'reporter' | 'assignee'
>;

/**
 * Who may read the issues of each project: those who may browse it and, for an issue with a security level, are also in
 * this level. What Jira does not tell opens nothing.
 */
export class JiraAccess {
  private readonly grants = new Map<string, Promise<ProjectGrants | null>>();
  private readonly schemes = new Map<string, Promise<Map<string, JiraHolder[]>>>();
  private readonly roles = new Map<string, Promise<ReaderSet>>();
  private applicationGroups?: Promise<Map<string, readonly string[]> | null>;

  constructor(
    private readonly jira: JiraClient,
    private readonly site: string,
  ) {}

  /** The audience of an issue. Both the documents and the roster derive it, from the same grants. */
  async audienceOf({ project, security, issuerestriction, reporter, assignee }: PermissionFields): Promise<string> {
    const people = { reporter: reporter?.accountId ?? null, assignee: assignee?.accountId ?? null };
    return this.idOf(await this.keyOf(project.id, security?.id ?? null, isRestricted(issuerestriction), people));
  }

  /** True: the readers of some issues depend on their reporters or assignees, so that the roster reads these issues. */
  async namesPeople(projectId: string): Promise<{ browse: boolean; levels: boolean }> {
    const grants = await this.grantsOf(projectId);
    if (!grants) return { browse: false, levels: false };
    const levels = [...grants.levels.values()];
    return { browse: grants.browse.parts.length > 0, levels: levels.some((level) => level.parts.length > 0) };
  }

  /** Changes when audiences of unchanged issues get other ids, so that all issues have to be read again. */
  async shapeOf(projects: readonly JiraProject[]): Promise<string> {
    const shapes: unknown[] = [];
    for (const { id } of projects) {
      const grants = await this.grantsOf(id);
      const levels = grants && [...grants.levels].map(([level, grant]) => [level, grant.parts]).sort();
      shapes.push([id, grants?.browse.parts, levels]);
    }
    return sha256(JSON.stringify(shapes)).toString('base64url');
  }

  /** The audiences of a project that do not depend on the people of an issue. */
  async audiencesOf(project: JiraProject): Promise<SourceAudience[]> {
    const grants = await this.grantsOf(project.id);
    const key = { project: project.id, level: null, isRestricted: false, people: {} };
    const restricted = await this.audience(project, { ...key, isRestricted: true });
    const levels = [...(grants?.levels.keys() ?? [])];
    return [
      await this.audience(project, key),
      ...(await Promise.all(levels.map((level) => this.audience(project, { ...key, level })))),
      ...(project.style === 'next-gen' ? [restricted] : []),
    ];
  }

  /** The audience of an issue whose readers depend on its people; null if they do not. */
  async personalAudienceOf(project: JiraProject, fields: PermissionFields): Promise<SourceAudience | null> {
    const people = { reporter: fields.reporter?.accountId ?? null, assignee: fields.assignee?.accountId ?? null };
    const level = fields.security?.id ?? null;
    const key = await this.keyOf(project.id, level, isRestricted(fields.issuerestriction), people);
    return Object.keys(key.people).length ? this.audience(project, key) : null;
  }

  private async keyOf(
    project: string,
    level: string | null,
    isRestricted: boolean,
    all: Record<Part, string | null>,
  ): Promise<AudienceKey> {
    const grants = await this.grantsOf(project);
    const used = parts.filter(
      (part) => grants?.browse.parts.includes(part) || (level && grants?.levels.get(level)?.parts.includes(part)),
    );
    const people = isRestricted ? {} : Object.fromEntries(used.map((part) => [part, all[part]]));
    return { project, level, isRestricted, people };
  }

  private idOf({ project, level, isRestricted, people }: AudienceKey): string {
    const id = `${new URL(this.site).host}/jira/projects/${project}`;
    if (isRestricted) return `${id}/restricted`;
    const withLevel = level === null ? id : `${id}/levels/${level}`;
    const names = JSON.stringify(parts.map((part) => people[part]));
    return Object.keys(people).length ? `${withLevel}/people/${sha256(names).toString('base64url')}` : withLevel;
  }

  private async audience(project: JiraProject, key: AudienceKey): Promise<SourceAudience> {
    const grants = await this.grantsOf(project.id);
    const level = key.level === null ? null : (grants?.levels.get(key.level) ?? null);
    const described = {
      id: this.idOf(key),
      title: [`${project.name} (${project.key})`, level?.name].filter(Boolean).join(', '),
      url: `${this.site}/browse/${project.key}`,
    };
    if (!grants || key.isRestricted || (key.level !== null && !level))
      return { ...described, rule: unreadableRule(key.isRestricted), readers: 'unreadable' };
    const browse = await this.readersOf(project, grants.browse, key.people);
    const members = level && (await this.readersOf(project, level, key.people));
    const rule = ruleOf(level?.name ?? null, key.people, [...browse.gaps, ...(members?.gaps ?? [])]);
    const sets = [browse.readers, members?.readers].filter((set) => set !== undefined && set !== 'everyone');
    const readers = sets.length ? (sets as ReaderSet[]) : 'everyone';
    return { ...described, rule, readers };
  }

  private async readersOf(
    project: JiraProject,
    grant: Grant,
    people: AudienceKey['people'],
  ): Promise<{ readers: ReaderSet | 'everyone'; gaps: string[] }> {
    const accounts = new Set<string>();
    const groups = new Set<string>();
    const gaps = new Set<string>();
    for (const holder of grant.holders) {
      if (holder.type === 'anyone') return { readers: 'everyone', gaps: [] };
      const found = await this.readersOfHolder(project, holder, people);
      if (!found) gaps.add(gapOf(holder));
      found?.accounts?.forEach((account) => accounts.add(account));
      found?.groups?.forEach((group) => groups.add(group));
    }
    return { readers: { accounts: [...accounts].sort(), groups: [...groups].sort() }, gaps: [...gaps].sort() };
  }

  /** Null: the holder cannot be resolved, and opens nothing. */
  private async readersOfHolder(
    project: JiraProject,
    { type, parameter, value }: JiraHolder,
    people: AudienceKey['people'],
  ): Promise<ReaderSet | null> {
    switch (type) {
      case 'user':
        return parameter || value ? { accounts: [(value ?? parameter)!] } : null;
      case 'group':
        return value ? { groups: [value] } : null; // the parameter is its name, which another group may get
      case 'projectLead':
        return project.lead ? { accounts: [project.lead.accountId] } : null;
      case 'projectRole':
        return value || parameter ? this.roleMembers(project.id, (value ?? parameter)!) : null;
      case 'applicationRole':
        return this.applicationUsers(value || parameter || null);
      case 'reporter':
      case 'assignee': {
        const account = people[type];
        return { accounts: account ? [account] : [] };
      }
      default:
        return null;
    }
  }

  private roleMembers(projectId: string, roleId: string): Promise<ReaderSet> {
    return remember(this.roles, `${projectId}/${roleId}`, async () => {
      const actors = await this.jira.role(projectId, roleId).catch((error: unknown) => {
        if (isSourceFault(error, 'missing')) return [];
        throw error;
      });
      return {
        accounts: actors.flatMap(({ actorUser }) => (actorUser ? [actorUser.accountId] : [])),
        groups: actors.flatMap(({ actorGroup }) => (actorGroup ? [actorGroup.groupId] : [])),
      };
    });
  }

  /** Everyone with access to a product is not everyone: only the members of the groups that give this access. */
  private async applicationUsers(role: string | null): Promise<ReaderSet | null> {
    this.applicationGroups ??= this.jira.applicationRoles().then(
      (roles) => new Map(roles.map(({ key, groupDetails }) => [key, groupDetails.map(({ groupId }) => groupId)])),
      (error: unknown) => {
        if (isSourceFault(error, 'forbidden', 'missing')) return null;
        throw error;
      },
    );
    const roles = await this.applicationGroups;
    if (!roles) return null;
    const groups = role === null ? [...roles.values()].flat() : roles.get(role);
    return groups ? { groups } : null;
  }

  /** Null: the credential may not read the permissions of this project. */
  private grantsOf(projectId: string): Promise<ProjectGrants | null> {
    return remember(this.grants, projectId, async () => {
      try {
        const browse = grantOf(await this.jira.browseHolders(projectId));
        const scheme = await this.jira.securityScheme(projectId);
        const holders = scheme && (await this.levelHolders(scheme.id));
        const levels = (scheme?.levels ?? []).map(({ id, name }) => {
          return [id, { name, ...grantOf(holders?.get(id) ?? []) }] as const;
        });
        return { browse, levels: new Map(levels) };
      } catch (error) {
        if (isSourceFault(error, 'forbidden', 'missing', 'refused')) return null;
        throw error;
      }
    });
  }

  private levelHolders(schemeId: string): Promise<Map<string, JiraHolder[]>> {
    return remember(this.schemes, schemeId, () => this.jira.levelHolders(schemeId));
  }
}

const grantOf = (holders: readonly JiraHolder[]): Grant => ({
  holders,
  parts: parts.filter((part) => holders.some(({ type }) => type === part)),
});

/** Restrictions to roles, in team-managed projects. */
const isRestricted = (restriction: PermissionFields['issuerestriction']): boolean =>
  Object.values(restriction?.issuerestrictions ?? {}).some((list) => !Array.isArray(list) || list.length > 0);

const gapOf = ({ type }: JiraHolder): string =>
  ({
    userCustomField: 'people in custom fields',
    groupCustomField: 'groups in custom fields',
    applicationRole: 'people with access to a product',
    group: 'a group without an id',
    projectLead: 'a project lead who is not named',
  })[type] ?? 'customers and other holders';

const unreadableRule = (isRestricted: boolean): string =>
  isRestricted
    ? 'Restricted to some roles of a team-managed project: Jira does not tell which accounts these are.'
    : 'The account of the integration may not read who may browse this project.';

function ruleOf(level: string | null, people: AudienceKey['people'], gaps: readonly string[]): string {
  const named = parts.filter((part) => part in people);
  return [
    'Accounts with the permission “Browse Projects” in the permission scheme of the project',
    level && `, who are also in the security level “${level}”`,
    named.length > 0 && `; it includes the ${named.join(' and the ')} of the issue`,
    '.',
    gaps.length > 0 && ` Not included: ${[...new Set(gaps)].join(', ')}.`,
  ]
    .filter(Boolean)
    .join('');
}

function remember<T>(known: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const found = known.get(key);
  if (found) return found;
  const reading = read();
  known.set(key, reading);
  return reading;
}
