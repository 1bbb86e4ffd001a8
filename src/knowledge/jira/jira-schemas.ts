import { z } from 'zod';

/** Schemas of the response fields that the connector uses. Fields that apps or permissions can remove are optional. */

const text = z.string().catch('');
const person = z.object({ accountId: z.string(), displayName: text }).nullish().catch(null);

export const jiraUser = z.object({
  accountId: z.string(),
  accountType: text,
  displayName: text,
  emailAddress: z.string().optional().catch(undefined),
  active: z.boolean(),
});
export type JiraUser = z.infer<typeof jiraUser>;

export const jiraProject = z.object({
  id: z.string(),
  key: z.string(),
  name: text,
  style: text,
  isPrivate: z.boolean().optional().catch(undefined),
  lead: z.object({ accountId: z.string() }).nullish().catch(null),
});
export type JiraProject = z.infer<typeof jiraProject>;

export const jiraHolder = z.object({
  type: z.string(),
  parameter: z.string().optional(),
  value: z.string().optional(),
});
export type JiraHolder = z.infer<typeof jiraHolder>;

export const permissionScheme = z.object({
  permissions: z.array(z.object({ permission: z.string(), holder: jiraHolder })),
});
export const securityScheme = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  levels: z.array(z.object({ id: z.union([z.string(), z.number()]).transform(String), name: text })).catch([]),
});
export const levelMember = z.object({
  issueSecurityLevelId: z.union([z.string(), z.number()]).transform(String),
  holder: jiraHolder,
});
export const projectRole = z.object({
  actors: z
    .array(
      z.object({
        actorUser: z.object({ accountId: z.string() }).nullish(),
        actorGroup: z.object({ groupId: z.string() }).nullish(),
      }),
    )
    .default([]),
});
export const applicationRole = z.object({
  key: z.string(),
  groupDetails: z.array(z.object({ groupId: z.string() })),
});

/** A page of a list with `startAt`. */
export const offsetPage = <T extends z.ZodType>(item: T) =>
  z.object({ values: z.array(item), isLast: z.boolean().optional(), total: z.number().optional() });

export const jiraComment = z.object({
  id: z.string(),
  author: person,
  body: z.unknown().optional(),
  created: text,
  updated: text,
  /** Present if only a group or role may read it. */
  visibility: z.unknown().optional(),
  /** False: an internal note of a service project. */
  jsdPublic: z.boolean().optional().catch(false),
});
export type JiraComment = z.infer<typeof jiraComment>;

const named = z.object({ name: text }).nullish().catch(null);
const issueType = z.object({ name: text, hierarchyLevel: z.number().optional().catch(undefined) });
const linked = z.object({ key: z.string() }).nullish().catch(null);

export const jiraIssue = z.object({
  id: z.string(),
  key: z.string(),
  fields: z.object({
    summary: text,
    /** The short name of an epic of Jira Data Center. */
    epicName: z.string().optional(),
    /** Determines permissions, so a missing or invalid value fails the request. */
    project: z.object({ id: z.string(), key: z.string(), name: text }),
    security: z.object({ id: z.string() }).nullish(),
    issuerestriction: z.object({ issuerestrictions: z.record(z.string(), z.unknown()) }).nullish(),
    reporter: person,
    assignee: person,
    updated: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
    status: named,
    issuetype: issueType.nullish().catch(null),
    priority: named,
    resolution: named,
    labels: z.array(z.string()).catch([]),
    parent: linked,
    issuelinks: z
      .array(
        z.object({
          type: z.object({ inward: text, outward: text }).catch({ inward: '', outward: '' }),
          inwardIssue: linked,
          outwardIssue: linked,
        }),
      )
      .catch([]),
    description: z.unknown().optional(),
    comment: z.object({ comments: z.array(jiraComment), total: z.number().catch(0) }).nullish(),
  }),
});
export type JiraIssue = z.infer<typeof jiraIssue>;

export const searchPage = z.object({
  issues: z.array(jiraIssue),
  nextPageToken: z.string().nullish(),
  isLast: z.boolean().optional(),
});
export const bulkFetched = z.object({ issues: z.array(jiraIssue) });

export const accountOfToken = z.object({ accountId: z.string(), displayName: text });
export const ownPermissions = z.object({
  permissions: z.record(z.string(), z.object({ havePermission: z.boolean() })),
});
export const siteClock = z.object({ serverTime: z.string() });
export const transitionList = z.object({
  transitions: z.array(z.object({ id: z.string(), name: text, to: named })),
});
export const createdIssue = z.object({ id: z.string(), key: z.string() });
export const createdComment = z.object({ id: z.string() });
export const projectName = z.object({ id: z.string(), key: z.string() });
export const issueProject = z.object({
  id: z.string(),
  key: z.string(),
  fields: z.object({ project: z.object({ id: z.string() }), status: named }),
});
