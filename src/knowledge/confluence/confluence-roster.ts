import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { ReaderSet, RosterEntry, SourceAudience } from '../../connections/knowledge-source.port.js';
import { concurrentReads } from '../atlassian/atlassian-site.js';
import { mapConcurrently } from '../source-kit/map-concurrently.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import type { ConfluenceClient, ConnectConfluence } from './confluence-client.js';
import { censusOf } from './confluence-documents.js';
import type { ConfluenceSpace } from './confluence-schemas.js';
import { chosenSpaces } from './confluence-spaces.js';
import type { SpaceReaders } from './space-readers.js';
import { confluenceAudienceId, SpaceTree, type RestrictedPath } from './space-tree.js';

/** Lists the audiences of all spaces and restricted pages, with the groups and accounts that they name. */
export async function* confluenceRoster(
  context: ConnectionContext,
  connect: ConnectConfluence,
): AsyncGenerator<RosterEntry> {
  const confluence = connect(context);
  await confluence.assertSignedIn();
  const accounts = new Set<string>();
  const groups = new Set<string>();
  const spaces = await chosenSpaces(confluence, context.settings);
  const readersOf = async (space: ConfluenceSpace) => ({ space, readers: await confluence.spaceReaders(space) });
  for await (const { space, readers } of mapConcurrently(spaces, concurrentReads, readersOf))
    for await (const audience of audiencesOf(confluence, readers, space)) {
      if (typeof audience.readers !== 'string')
        for (const set of audience.readers) {
          set.accounts?.forEach((account) => accounts.add(account));
          set.groups?.forEach((group) => groups.add(group));
        }
      yield { audience };
    }
  const groupOf = async (id: string) => ({ id, members: await membersOf(confluence, id) });
  for await (const { id, members } of mapConcurrently([...groups], concurrentReads, groupOf)) {
    if (!members) continue;
    members.forEach((account) => accounts.add(account));
    yield { group: { id, accounts: members } };
  }
  for await (const page of confluence.accounts([...accounts])) for (const account of page) yield { account };
  // with a revoked credential, some responses are shorter lists for anonymous visitors instead of errors
  await confluence.assertSignedIn();
}

async function* audiencesOf(
  confluence: ConfluenceClient,
  spaceReaders: SpaceReaders,
  space: ConfluenceSpace,
): AsyncGenerator<SourceAudience> {
  const tree = new SpaceTree(confluence);
  const yielded = new Set<string>();
  const paths: RestrictedPath[] = [[]];
  for (const { content } of await censusOf(confluence, tree, space)) paths.push(await tree.restrictedPath(content.id));
  for (const path of paths) {
    const id = confluenceAudienceId(confluence.address, space.id, path);
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
        ? `${confluence.address}/pages/viewpage.action?pageId=${path.at(-1)}`
        : confluence.spaceAddress(space),
      rule: ruleOf(spaceReaders, path),
      readers: readersOf(spaceReaders, tree, path),
    };
  }
}

/** Accounts that may view the space and are included in each restriction on the path. */
function readersOf(
  { readers, required = [] }: SpaceReaders,
  tree: SpaceTree,
  path: RestrictedPath,
): SourceAudience['readers'] {
  if (path === null || readers === 'unreadable') return 'unreadable';
  const restrictions = path.map((id) => tree.readersOf(id));
  if (restrictions.includes(null)) return 'unreadable';
  if (readers === 'everyone' && !path.length) return 'everyone';
  if (required === 'unreadable') return 'unreadable';
  const sets = [...(readers === 'everyone' ? [] : [readers]), ...required, ...(restrictions as ReaderSet[])];
  return sets.length ? sets : 'everyone';
}

function ruleOf({ readers, required, gaps }: SpaceReaders, path: RestrictedPath): string {
  if (path === null) return 'The account of the integration cannot read a restriction or a parent of these pages.';
  if (readers === 'unreadable') return 'The account of the integration cannot read the permissions of this space.';
  const count = path.length === 1 ? 'one page' : `${path.length} pages`;
  const restrictions = `included in the view restrictions of ${count} on the path to the root`;
  const notIncluded = gaps.length ? ` Not included: ${gaps.join(', ')}.` : '';
  if (required === 'unreadable' && path.length)
    return 'The account of the integration cannot read who can use Confluence.';
  if (readers === 'everyone')
    return path.length ? `Accounts ${restrictions}.` : 'Everyone, because the space allows anonymous access.';
  return `Accounts that may view the space${path.length ? ` and are ${restrictions}` : ''}.${notIncluded}`;
}

/** Null: the group was deleted and gives no access. */
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
