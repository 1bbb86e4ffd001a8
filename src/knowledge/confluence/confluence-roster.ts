import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { ReaderSet, RosterEntry, SourceAudience } from '../../connections/knowledge-source.port.js';
import { siteOf } from '../atlassian/atlassian-site.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { ConfluenceClient } from './confluence-client.js';
import { censusOf } from './confluence-documents.js';
import type { ConfluenceSpace } from './confluence-schemas.js';
import { chosenSpaces } from './confluence-spaces.js';
import { SpacePermissions, type SpaceReaders } from './space-readers.js';
import { confluenceAudienceId, SpaceTree, type RestrictedPath } from './space-tree.js';

const usersPerRead = 250;

/** The audiences of all spaces and restricted pages, with the groups and accounts that these name. */
export async function* confluenceRoster(context: ConnectionContext): AsyncGenerator<RosterEntry> {
  const confluence = new ConfluenceClient(context);
  await confluence.assertSignedIn();
  const permissions = new SpacePermissions(confluence);
  const accounts = new Set<string>();
  const groups = new Set<string>();
  for (const space of await chosenSpaces(confluence, context.settings))
    for await (const audience of audiencesOf(confluence, permissions, siteOf(context), space)) {
      if (typeof audience.readers !== 'string')
        for (const set of audience.readers) {
          set.accounts?.forEach((account) => accounts.add(account));
          set.groups?.forEach((group) => groups.add(group));
        }
      yield { audience };
    }
  for (const id of groups) {
    const members = await membersOf(confluence, id);
    if (!members) continue;
    members.forEach((account) => accounts.add(account));
    yield { group: { id, accounts: members } };
  }
  const ids = [...accounts];
  for (let at = 0; at < ids.length; at += usersPerRead)
    for (const user of await confluence.users(ids.slice(at, at + usersPerRead))) {
      const { accountId, accountType, accountStatus, displayName, publicName, email } = user;
      if (accountType !== 'atlassian' || (accountStatus ?? 'active') !== 'active') continue;
      yield { account: { id: accountId, name: displayName || publicName || accountId, ...(email && { email }) } };
    }
}

async function* audiencesOf(
  confluence: ConfluenceClient,
  permissions: SpacePermissions,
  site: string,
  space: ConfluenceSpace,
): AsyncGenerator<SourceAudience> {
  const spaceReaders = await permissions.readersOf(space);
  const tree = new SpaceTree(confluence);
  const yielded = new Set<string>();
  const paths: RestrictedPath[] = [[]];
  for (const { content } of await censusOf(confluence, tree, space)) paths.push(await tree.restrictedPath(content.id));
  for (const path of paths) {
    const id = confluenceAudienceId(site, space.id, path);
    if (yielded.has(id)) continue;
    yielded.add(id);
    yield {
      id,
      title: [
        space.name || space.key,
        path?.length && `restricted by ${path.length === 1 ? 'a page' : `${path.length} pages`}`,
      ]
        .filter(Boolean)
        .join(', '),
      url: path?.length
        ? `${site}/wiki/pages/viewpage.action?pageId=${path.at(-1)}`
        : `${site}/wiki/spaces/${encodeURIComponent(space.key)}`,
      rule: ruleOf(spaceReaders, path),
      readers: readersOf(spaceReaders, tree, path),
    };
  }
}

/** Everyone who may read the space and is named by each restricted page on the path. */
function readersOf({ readers }: SpaceReaders, tree: SpaceTree, path: RestrictedPath): SourceAudience['readers'] {
  if (path === null || readers === 'unreadable') return 'unreadable';
  const restrictions = path.map((id) => tree.readersOf(id));
  if (restrictions.includes(null)) return 'unreadable';
  const sets = [...(readers === 'everyone' ? [] : [readers]), ...(restrictions as ReaderSet[])];
  return sets.length ? sets : 'everyone';
}

function ruleOf({ readers, gaps }: SpaceReaders, path: RestrictedPath): string {
  if (path === null) return 'The account of the integration may not read a restriction, or a parent of these pages.';
  if (readers === 'unreadable') return 'The account of the integration may not read the permissions of this space.';
  const space = readers === 'everyone' ? 'Anonymous access to the space is on' : 'Accounts that may view the space';
  const pages = `${readers === 'everyone' ? ', for those whom' : ' and whom'} the view restrictions of ${
    path.length === 1 ? 'one page' : `${path.length} pages`
  } on the path to the root name`;
  return `${space}${path.length ? pages : ''}.${gaps.length ? ` Not included: ${gaps.join(', ')}.` : ''}`;
}

/** Null: the group is gone, so that it opens nothing. */
async function membersOf(confluence: ConfluenceClient, groupId: string): Promise<string[] | null> {
  const members: string[] = [];
  try {
    for await (const page of confluence.groupMembers(groupId)) members.push(...page);
    return members;
  } catch (error) {
    if (isSourceFault(error, 'missing')) return null;
    throw error;
  }
}
