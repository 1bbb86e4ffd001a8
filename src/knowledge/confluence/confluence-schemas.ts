import { z } from 'zod';

/** Schemas of the response fields that the connector uses. Fields that depend on permissions are optional. */

export type ContentType = 'pages' | 'blogposts';

const text = z.string().catch('');
const id = z.union([z.string(), z.number()]).transform(String);
export const links = z
  .object({ next: z.string().optional(), webui: text.optional(), editui: text.optional() })
  .catch({});

/** A page of a list of API version 2. The next cursor is in a link. */
export const cursorList = <T extends z.ZodType>(item: T) =>
  z.object({ results: z.array(item), _links: z.object({ next: z.string().optional() }).optional() });
/** A page of a list of API version 1. */
export const offsetList = <T extends z.ZodType>(item: T) =>
  z.object({ results: z.array(item), size: z.number(), _links: z.object({ next: z.string().optional() }).optional() });

export const confluenceSpace = z.object({ id, key: z.string(), name: text, type: text, status: text });
export type ConfluenceSpace = z.infer<typeof confluenceSpace>;

/** Lists return it empty. */
export const storageBody = z.object({ storage: z.object({ value: z.string() }).optional() }).optional();
/** Only Data Center returns the name. */
const authorName = z.string().optional();
const version = z.object({ number: z.number(), createdAt: text, authorId: text, authorName });

export const confluenceContent = z.object({
  id,
  status: text,
  title: text,
  spaceId: id,
  /** Determines permissions, so an invalid value fails the request. */
  parentId: id.nullish(),
  parentType: z.string().nullish(),
  authorId: text,
  authorName,
  version,
  body: storageBody,
  _links: links,
});
export type ConfluenceContent = z.infer<typeof confluenceContent>;

export const confluenceFolder = z.object({ id, parentId: id.nullish(), parentType: z.string().nullish() });

export const confluenceComment = z.object({
  id,
  status: text,
  pageId: id.nullish(),
  blogPostId: id.nullish(),
  parentCommentId: id.nullish(),
  version,
  body: storageBody,
});
export type ConfluenceComment = z.infer<typeof confluenceComment>;

export const spacePermission = z.object({
  principal: z.object({ type: z.string(), id: z.string() }),
  operation: z.object({ key: z.string(), targetType: z.string() }),
});
export const roleAssignment = z.object({
  principal: z.object({ principalType: z.string(), principalId: z.string() }),
  roleId: z.string(),
});
export const spaceRole = z.object({ id: z.string(), spacePermissions: z.array(z.string()) });
/** API version 1. Version 2 does not return anonymous access. */
export const spacePermissionsV1 = z.object({
  permissions: z.array(
    z.object({
      operation: z.object({ operation: z.string(), targetType: z.string() }),
      anonymousAccess: z.boolean().catch(false),
    }),
  ),
});

const restrictionLists = z.object({
  user: z.object({ results: z.array(z.object({ accountId: z.string() })), size: z.number().optional() }),
  group: z.object({ results: z.array(z.object({ id: z.string() })), size: z.number().optional() }),
});
/** The accounts and groups that may view a page or folder. It has no restriction of its own if both lists are empty. */
export const readRestriction = z.object({ restrictions: restrictionLists });
export type ReadRestriction = z.infer<typeof restrictionLists>;
export const searchedContent = z.object({ id, restrictions: z.object({ read: readRestriction }) });

export const confluenceUser = z.object({
  accountId: z.string(),
  accountType: text,
  accountStatus: z.string().optional(),
  displayName: text,
  publicName: text,
  email: text,
});
export type ConfluenceUser = z.infer<typeof confluenceUser>;
export const groupMember = z.object({ accountId: z.string() });
export const createdPage = z.object({ id, _links: links.and(z.object({ base: text.optional() })) });
export const currentUser = z.object({ type: text, accountId: z.string() });
