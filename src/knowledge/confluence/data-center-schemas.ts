import { z } from 'zod';
import { links, storageBody, type ConfluenceComment, type ConfluenceContent } from './confluence-schemas.js';

/** Schemas of Confluence Data Center. They return the shapes of Confluence Cloud: the key of an account is its id. */

const text = z.string().catch('');
const id = z.union([z.string(), z.number()]).transform(String);
/** Anonymous authors and deleted accounts have no key. */
const person = z.object({ userKey: text, displayName: text }).nullish().catch(null);
const version = z.object({ number: z.number(), when: text, by: person });
const history = z.object({ createdBy: person }).nullish().catch(null);
const ancestors = z.array(z.object({ id }));

const content = z.object({
  id,
  type: text,
  status: text,
  title: text,
  space: z.object({ id }),
  version,
  history,
  body: storageBody,
  _links: links,
});

type Person = z.infer<typeof person>;
const versionOf = ({ number, when, by }: z.infer<typeof version>): ConfluenceContent['version'] => ({
  number,
  createdAt: when,
  authorId: by?.userKey ?? '',
  authorName: by?.displayName,
});

const contentOf = (read: z.infer<typeof content>, author: Person, parentId: string | null): ConfluenceContent => ({
  id: read.id,
  status: read.status,
  title: read.title,
  spaceId: read.space.id,
  parentId,
  parentType: parentId && 'page',
  authorId: author?.userKey ?? '',
  authorName: author?.displayName,
  version: versionOf(read.version),
  body: read.body,
  _links: read._links,
});

/** The ancestors determine permissions, so a page without them fails the request. */
export const dataCenterPage = content
  .extend({ ancestors })
  .transform((page) => contentOf(page, page.history?.createdBy, page.ancestors.at(-1)?.id ?? null));
export const dataCenterPost = content.transform((post) => contentOf(post, post.history?.createdBy, null));

/** A list with `start` or `cursor`. */
export const linkedList = <T extends z.ZodType>(item: T) =>
  z.object({ results: z.array(item), _links: z.object({ next: z.string().optional() }).optional() });

/** The ancestors of a comment are the comments that it replies to. */
export const spaceComment = z
  .object({
    id,
    status: text,
    version,
    ancestors: ancestors.catch([]),
    container: z.object({ id, type: text }).nullish().catch(null),
    body: storageBody,
  })
  .transform((comment): ConfluenceComment => ({
    id: comment.id,
    status: comment.status,
    ...(comment.container?.type === 'page' && { pageId: comment.container.id }),
    ...(comment.container?.type === 'blogpost' && { blogPostId: comment.container.id }),
    parentCommentId: comment.ancestors.at(-1)?.id ?? null,
    version: versionOf(comment.version),
    body: comment.body,
  }));

const restrictionLists = z
  .object({
    user: z.object({ results: z.array(z.object({ userKey: z.string() })) }),
    group: z.object({ results: z.array(z.object({ name: z.string() })) }),
  })
  .transform(({ user, group }) => ({
    user: { results: user.results.map(({ userKey }) => ({ accountId: userKey })) },
    group: { results: group.results.map(({ name }) => ({ id: name })) },
  }));
export const dataCenterRestriction = z.object({ restrictions: restrictionLists });
export const restrictedContent = z.object({ id, restrictions: z.object({ read: dataCenterRestriction }) });

/** Permissions of a space or of the site. */
export const permissionList = z.array(
  z.object({
    operation: z.object({ operationKey: z.string(), targetType: z.string() }),
    subject: z
      .object({ type: text, name: z.string().optional(), userKey: z.string().optional() })
      .nullish()
      .catch(null),
  }),
);

/** The JSON-RPC API, for versions before 9.1. It reports errors with status 200. */
export const permissionSets = z.object({
  result: z.array(
    z.object({
      type: z.string(),
      spacePermissions: z.array(z.object({ userName: z.string().nullish(), groupName: z.string().nullish() })),
    }),
  ),
});

export const keyedUser = z.object({
  userKey: z.string(),
  username: text,
  displayName: text,
  /** "current", "deactivated" or "unknown". */
  status: text,
  email: z.string().optional().catch(undefined),
});
export const member = z.object({ userKey: z.string() });
export const mobileProfile = z.object({ email: z.string().optional().catch(undefined) });
export const signedInUser = z.object({ type: text });
export const createdDraft = z.object({ id, _links: links });
