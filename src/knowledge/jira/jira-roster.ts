import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { ReaderSet, RosterEntry, SourceAudience } from '../../connections/knowledge-source.port.js';
import { concurrentReads } from '../atlassian/atlassian-site.js';
import { mapConcurrently } from '../source-kit/map-concurrently.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { JiraAccess } from './jira-access.js';
import type { ConnectJira, JiraClient } from './jira-client.js';
import { chosenProjects } from './jira-projects.js';
import type { JiraProject } from './jira-schemas.js';

/** Lists the accounts of the site, the audiences of its projects, and the groups that they name. */
export async function* jiraRoster(context: ConnectionContext, connect: ConnectJira): AsyncGenerator<RosterEntry> {
  const jira = connect(context);
  const access = new JiraAccess(jira);
  await jira.account();
  for await (const users of jira.users())
    for (const { accountId, accountType, displayName, emailAddress, active } of users)
      // customers of service projects see only a portal, and their addresses are not verified
      if (active && accountType === 'atlassian')
        yield {
          account: { id: accountId, name: displayName || accountId, ...(emailAddress && { email: emailAddress }) },
        };
  const groups = new Set<string>();
  for await (const audience of audiences(context, jira, access)) {
    for (const group of groupsIn(audience)) groups.add(group);
    yield { audience };
  }
  const groupOf = async (id: string) => ({ id, accounts: await membersOf(jira, id) });
  for await (const { id, accounts } of mapConcurrently([...groups], concurrentReads, groupOf))
    if (accounts) yield { group: { id, accounts } };
  // with a revoked credential, some responses are shorter lists for anonymous visitors instead of errors
  await jira.account();
}

async function* audiences(
  { settings }: ConnectionContext,
  jira: JiraClient,
  access: JiraAccess,
): AsyncGenerator<SourceAudience> {
  const projects = await chosenProjects(jira, settings);
  const withAudiences = async (project: JiraProject) => ({ project, shared: await access.audiencesOf(project) });
  for await (const { project, shared } of mapConcurrently(projects, concurrentReads, withAudiences)) {
    yield* shared;
    const { browse, levels } = await access.namesPeople(project.id);
    if (!browse && !levels) continue;
    const yielded = new Set<string>();
    const jql = `project = ${project.id}${browse ? '' : ' AND level is not EMPTY'}`;
    for await (const { issues } of jira.search(jql))
      for (const { fields } of issues) {
        const audience = await access.personalAudienceOf(project, fields);
        if (!audience || yielded.has(audience.id)) continue;
        yielded.add(audience.id);
        yield audience;
      }
  }
}

const groupsIn = ({ readers }: SourceAudience): string[] =>
  typeof readers === 'string' ? [] : readers.flatMap(({ groups = [] }: ReaderSet) => groups);

/** Null: the group was deleted and gives no access. */
async function membersOf(jira: JiraClient, groupId: string): Promise<string[] | null> {
  const accounts: string[] = [];
  try {
    for await (const page of jira.groupMembers(groupId)) accounts.push(...page);
    return accounts;
  } catch (error) {
    if (isSourceFault(error, 'missing')) return null;
    throw error;
  }
}
