import { sha256 } from '../../platform/crypto/digest.js';
import type { ReaderSet, SourceAudience } from '../../connections/knowledge-source.port.js';
import { trimTrailing } from '../../platform/text/trim-trailing.js';
import { concurrentReads } from '../atlassian/atlassian-site.js';
import { mapConcurrently } from '../source-kit/map-concurrently.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import type { JiraClient } from './jira-client.js';
import type { JiraHolder, JiraIssue, JiraProject } from './jira-schemas.js';
import { remember } from '../atlassian/remember.js';

/** Fields of an issue with people to whom a permission can be granted. */
const personFields = ['reporter', 'assignee'] as const;
type PersonField = (typeof personFields)[number];

/** The holders of the permission to browse a project, or the members of a security level. */
interface Grant {
  holders: readonly JiraHolder[];
  personFields: readonly PersonField[];
}

interface SecurityLevel extends Grant {
  name: string;
  /** False: the product does not return its members. */
  isReadable: boolean;
}

interface ProjectGrants {
  browse: Grant;
  levels: ReadonlyMap<string, SecurityLevel>;
}

/** Issues with equal keys have the same readers. */
interface AudienceKey {
  project: string;
  level: string | null;
  /** Restricted to roles of a team-managed project. The API does not return the accounts. */
  isRestricted: boolean;
  /** Accounts of the person fields that a permission names. */
  people: Partial<Record<PersonField, string | null>>;
}

type PermissionFields = Pick<
  JiraIssue['fields'],
  'project' | 'security' | 'issuerestriction' | 'reporter' | 'assignee'
>;

/**
 * Resolves who may read issues: accounts with access to Jira that may browse the project and, for an issue with a
 * security level, are members of this level. Holders that cannot be resolved get no access.
 */
export class JiraAccess {
  private readonly grants = new Map<string, Promise<ProjectGrants | null>>();
  private readonly schemes = new Map<string, Promise<Map<string, JiraHolder[]> | null>>();
  private readonly roles = new Map<string, Promise<ReaderSet>>();
  private readonly hiding = new Map<string, Promise<boolean>>();
  private applicationGroups?: Promise<ReadonlyMap<string, readonly string[]> | null>;

  constructor(private readonly jira: JiraClient) {}

  /** The id of the audience of an issue. Documents and the roster derive it from the same grants. */
  async audienceOf(fields: PermissionFields): Promise<string> {
    return this.idOf(await this.keyOf(fields));
  }

  /** Whether everyone who can read issues of the one audience can read the issue with the other fields. */
  async isOpenTo(audience: string, fields: PermissionFields, reader: PermissionFields): Promise<boolean> {
    const key = await this.keyOf(fields);
    if (this.idOf(key) === audience) return true;
    // a level, or a restriction to roles, only narrows the readers of a project
    const isOpen = key.level === null && !key.isRestricted && !Object.keys(key.people).length;
    return isOpen && key.project === reader.project.id;
  }

  /** Whether the readers of issues depend on their reporters or assignees. The roster then lists these issues. */
  async namesPeople(projectId: string): Promise<{ browse: boolean; levels: boolean }> {
    const grants = await this.grantsOf(projectId);
    if (!grants) return { browse: false, levels: false };
    const levels = [...grants.levels.values()];
    return {
      browse: grants.browse.personFields.length > 0,
      levels: levels.some((level) => level.personFields.length > 0),
    };
  }

  /** A digest that changes if unchanged issues get other audience ids. All issues must then be read again. */
  async shapeOf(projects: readonly JiraProject[]): Promise<string> {
    const shapes: unknown[] = [];
    const grantsOf = async ({ id }: JiraProject) => ({ id, grants: await this.grantsOf(id) });
    for await (const { id, grants } of mapConcurrently(projects, concurrentReads, grantsOf)) {
      const levels = grants && [...grants.levels].map(([level, grant]) => [level, grant.personFields]).sort();
      shapes.push([id, grants?.browse.personFields, levels]);
    }
    return sha256(JSON.stringify(shapes)).toString('base64url');
  }

  /** The audiences of a project that do not depend on reporters or assignees. */
  async audiencesOf(project: JiraProject): Promise<SourceAudience[]> {
    const grants = await this.grantsOf(project.id);
    const key = { project: project.id, level: null, isRestricted: false, people: {} };
    const keys: AudienceKey[] = [key];
    for (const level of grants?.levels.keys() ?? []) keys.push({ ...key, level });
    if (project.style === 'next-gen') keys.push({ ...key, isRestricted: true });
    const audiences: SourceAudience[] = [];
    for (const one of keys) audiences.push(await this.audience(project, one));
    return audiences;
  }

  /** The audience of an issue whose readers depend on its reporter or assignee. Null if they do not. */
  async personalAudienceOf(project: JiraProject, fields: PermissionFields): Promise<SourceAudience | null> {
    const key = await this.keyOf(fields);
    return Object.keys(key.people).length ? this.audience(project, key) : null;
  }

  private async keyOf(fields: PermissionFields): Promise<AudienceKey> {
    const project = fields.project.id;
    const level = fields.security?.id ?? null;
    const isRestricted = hasRestriction(fields.issuerestriction);
    const grants = await this.grantsOf(project);
    const used = personFields.filter(
      (field) =>
        grants?.browse.personFields.includes(field) ||
        (level && grants?.levels.get(level)?.personFields.includes(field)),
    );
    const people = Object.fromEntries(used.map((field) => [field, fields[field]?.accountId ?? null]));
    return { project, level, isRestricted, people: isRestricted ? {} : people };
  }

  private idOf({ project, level, isRestricted, people }: AudienceKey): string {
    const { host, pathname } = new URL(this.jira.site);
    const id = `${host}${trimTrailing(pathname, '/')}/jira/projects/${project}`;
    if (isRestricted) return `${id}/restricted`;
    const withLevel = level === null ? id : `${id}/levels/${level}`;
    const names = JSON.stringify(personFields.map((field) => people[field]));
    return Object.keys(people).length ? `${withLevel}/people/${sha256(names).toString('base64url')}` : withLevel;
  }

  private async audience(project: JiraProject, key: AudienceKey): Promise<SourceAudience> {
    const grants = await this.grantsOf(project.id);
    const level = key.level === null ? null : (grants?.levels.get(key.level) ?? null);
    const described = {
      id: this.idOf(key),
      title: [`${project.name} (${project.key})`, level?.name].filter(Boolean).join(', '),
      url: `${this.jira.site}/browse/${project.key}`,
    };
    const unreadable = (rule: string): SourceAudience => ({ ...described, rule, readers: 'unreadable' });
    if (key.isRestricted) return unreadable(unreadableRules.restricted);
    if (!grants || (key.level !== null && !level)) return unreadable(unreadableRules.permissions);
    if (level && !level.isReadable) return unreadable(unreadableRules.level);
    if (await this.hidesLevels(project.id, [...grants.levels.keys()])) return unreadable(unreadableRules.hiddenLevels);
    const resolved = [await this.readersOf(project, grants.browse, key.people)];
    if (level) resolved.push(await this.readersOf(project, level, key.people));
    const sets = resolved.flatMap(({ readers }) => (readers === 'everyone' ? [] : [readers]));
    if (!sets.length) return { ...described, rule: everyoneRule, readers: 'everyone' };
    const productUsers = await this.applicationUsers(null);
    if (!productUsers) return unreadable(unreadableRules.product);
    const gaps = resolved.flatMap((each) => each.gaps);
    return { ...described, rule: ruleOf(level?.name ?? null, key.people, gaps), readers: [...sets, productUsers] };
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

  /** Null: the holder cannot be resolved and gets no access. */
  private async readersOfHolder(
    project: JiraProject,
    { type, parameter, value }: JiraHolder,
    people: AudienceKey['people'],
  ): Promise<ReaderSet | null> {
    switch (type) {
      case 'user':
        return parameter || value ? { accounts: [(value ?? parameter)!] } : null;
      case 'group':
        return value ? { groups: [value] } : null; // the parameter is the name, which can be reassigned to another group
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
      return this.jira.role(projectId, roleId).catch((error: unknown) => {
        if (isSourceFault(error, 'missing')) return {};
        throw error;
      });
    });
  }

  /**
   * The members of the groups that give access to a product, or to any product if `role` is null. Null: the account
   * cannot read them.
   */
  private async applicationUsers(role: string | null): Promise<ReaderSet | null> {
    this.applicationGroups ??= this.jira.applicationGroups().catch((error: unknown) => {
      if (isSourceFault(error, 'forbidden', 'missing')) return null;
      throw error;
    });
    const roles = await this.applicationGroups;
    if (!roles) return null;
    const groups = role === null ? [...roles.values()].flat() : roles.get(role);
    return groups ? { groups: [...new Set(groups)].sort() } : null;
  }

  /** Null: the account cannot read the permissions of this project. */
  private grantsOf(projectId: string): Promise<ProjectGrants | null> {
    return remember(this.grants, projectId, async () => {
      try {
        const browse = grantOf(await this.jira.browseHolders(projectId));
        const scheme = await this.jira.securityScheme(projectId);
        const holders = scheme && (await this.levelHolders(scheme.id));
        const levels = (scheme?.levels ?? []).map(({ id, name }) => {
          return [id, { name, isReadable: Boolean(holders), ...grantOf(holders?.get(id) ?? []) }] as const;
        });
        return { browse, levels: new Map(levels) };
      } catch (error) {
        if (isSourceFault(error, 'forbidden', 'missing', 'refused')) return null;
        throw error;
      }
    });
  }

  private hidesLevels(projectId: string, levelIds: readonly string[]): Promise<boolean> {
    return remember(this.hiding, projectId, async () => {
      return levelIds.length > 0 && (await this.jira.hidesLevels(projectId, levelIds));
    });
  }

  private levelHolders(schemeId: string): Promise<Map<string, JiraHolder[]> | null> {
    return remember(this.schemes, schemeId, () => this.jira.levelHolders(schemeId));
  }
}

const grantOf = (holders: readonly JiraHolder[]): Grant => ({
  holders,
  personFields: personFields.filter((field) => holders.some(({ type }) => type === field)),
});

/** Whether a team-managed project restricts the issue to roles. */
const hasRestriction = (restriction: PermissionFields['issuerestriction']): boolean =>
  Object.values(restriction?.issuerestrictions ?? {}).some((list) => !Array.isArray(list) || list.length > 0);

const gapOf = ({ type }: JiraHolder): string =>
  ({
    userCustomField: 'people in custom fields',
    groupCustomField: 'groups in custom fields',
    applicationRole: 'people with access to a product',
    group: 'a group without an id',
    projectLead: 'a missing project lead',
  })[type] ?? 'customers and other holders';

const everyoneRule = 'Everyone, because anyone on the web may browse the project.';
const unreadableRules = {
  restricted: 'Restricted to roles of a team-managed project. Jira does not return which accounts these are.',
  permissions: 'The account of the integration cannot read the permissions of this project.',
  level: 'Jira Data Center does not return the members of security levels.',
  hiddenLevels:
    'The field configuration of the project hides the security level, so Jira does not return which issues have one.',
  product: 'The account of the integration cannot read who has access to Jira.',
};

function ruleOf(level: string | null, people: AudienceKey['people'], gaps: readonly string[]): string {
  const named = personFields.filter((field) => field in people);
  return [
    'Accounts with access to Jira and the permission “Browse Projects” in the permission scheme of the project',
    level && `, who are also members of the security level “${level}”`,
    named.length > 0 && `, including the ${named.join(' and the ')} of the issue`,
    '.',
    gaps.length > 0 && ` Not included: ${[...new Set(gaps)].join(', ')}.`,
  ]
    .filter(Boolean)
    .join('');
}
