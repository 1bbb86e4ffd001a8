import type { DataCenterDirectory, DataCenterPerson } from '../atlassian/data-center-directory.ts';
import type {
  ConfluenceSite,
  SimulatedContent,
  SimulatedPrincipal,
  SimulatedThreadComment,
} from '../confluence/confluence-site.ts';

const directoryOf = (site: ConfluenceSite) => site.directory as DataCenterDirectory;

/** The documented API returns no address. */
export const userPayload = ({ accountId, username, displayName, isActive }: DataCenterPerson, hasStatus = false) => ({
  type: 'known',
  username,
  userKey: accountId,
  displayName,
  ...(hasStatus && { status: isActive ? 'current' : 'deactivated' }),
});

const authorPayload = (site: ConfluenceSite, id: string) => {
  const person = directoryOf(site).person(id);
  return person ? userPayload(person) : { type: 'anonymous', displayName: 'Anonymous' };
};

const versionPayload = (
  site: ConfluenceSite,
  { authorId, updated, version }: SimulatedContent | SimulatedThreadComment,
) => ({
  by: authorPayload(site, authorId),
  when: new Date(updated).toISOString(),
  number: version,
  minorEdit: false,
});

/** The ancestors of a page, from the root. */
function ancestorsOf(site: ConfluenceSite, { parentId }: SimulatedContent): { id: string; type: string }[] {
  const parent = site.contents.get(parentId ?? '');
  return parent ? [...ancestorsOf(site, parent), { id: parent.id, type: parent.type }] : [];
}

/** Only expanded properties are in the response. */
export function contentPayload(site: ConfluenceSite, content: SimulatedContent, expand: ReadonlySet<string>): object {
  const { id, type, status, title, spaceId, storage } = content;
  const space = site.spaces.get(spaceId)!;
  return {
    id,
    type,
    status,
    title,
    ...(expand.has('space') && { space: { id: Number(space.id), key: space.key, name: space.name, type: space.type } }),
    ...(expand.has('version') && { version: versionPayload(site, content) }),
    ...(expand.has('history') && { history: { latest: true, createdBy: authorPayload(site, content.authorId) } }),
    ...(expand.has('ancestors') && { ancestors: ancestorsOf(site, content) }),
    ...(expand.has('body.storage') && { body: { storage: { value: storage, representation: 'storage' } } }),
    ...(expand.has('restrictions.read.restrictions.user') && {
      restrictions: { read: restrictionPayload(site, content) },
    }),
    _links: { webui: `/pages/viewpage.action?pageId=${id}`, self: `/rest/api/content/${id}` },
    _expandable: { container: `/rest/api/space/${space.key}` },
  };
}

export function commentPayload(
  site: ConfluenceSite,
  comment: SimulatedThreadComment,
  expand: ReadonlySet<string>,
): object {
  const { id, contentId, parentCommentId, storage, place } = comment;
  const { type } = site.contents.get(contentId)!;
  return {
    id,
    type: 'comment',
    status: 'current',
    extensions: { location: place },
    ...(expand.has('version') && { version: versionPayload(site, comment) }),
    ...(expand.has('container') && { container: { id: contentId, type } }),
    ...(expand.has('ancestors') && { ancestors: parentCommentId ? [{ id: parentCommentId, type: 'comment' }] : [] }),
    ...(expand.has('body.storage') && { body: { storage: { value: storage, representation: 'storage' } } }),
  };
}

export function restrictionPayload(site: ConfluenceSite, { readers }: SimulatedContent): object {
  const list = (results: object[]) => ({ results, start: 0, limit: 100, size: results.length });
  const users = readers.filter(({ type }) => type === 'user').map(({ id }) => directoryOf(site).person(id));
  return {
    operation: 'read',
    restrictions: {
      user: list(users.filter((person) => person !== undefined).map((person) => userPayload(person))),
      group: list(readers.filter(({ type }) => type === 'group').map(({ id }) => ({ type: 'group', name: id }))),
    },
  };
}

/** Users have only their key (CONFSERVER-100505). */
export const subjectPayload = ({ type, id }: SimulatedPrincipal) =>
  type === 'user' ? { type, userKey: id } : { type, name: id };
