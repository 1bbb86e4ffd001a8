import { z } from 'zod';
import { jiraComment, jiraIssue, jiraProject, type JiraHolder } from './jira-schemas.js';

/** Schemas of Jira Data Center. They return the shapes of Jira Cloud: the key of an account is its id. */

const text = z.string().catch('');
const withKey = z.object({ key: z.string(), displayName: text });
const person = withKey
  .transform(({ key, displayName }) => ({ accountId: key, displayName }))
  .nullish()
  .catch(null);

export const dataCenterAccount = z.object({ key: z.string(), name: z.string() });

export const groupMemberUser = withKey
  .extend({ emailAddress: z.string().optional().catch(undefined), active: z.boolean() })
  .transform(({ key, emailAddress, ...user }) => ({
    ...user,
    accountId: key,
    accountType: 'atlassian',
    // empty if the administrator hides addresses
    emailAddress: emailAddress || undefined,
  }));

export const dataCenterProject = jiraProject.extend({
  style: text.transform(() => ''),
  archived: z.boolean().optional().catch(undefined),
  lead: withKey
    .transform(({ key }) => ({ accountId: key }))
    .nullish()
    .catch(null),
});

const commentProperty = z.object({ key: z.string(), value: z.unknown() });
const publicMark = z.object({ internal: z.union([z.literal(false), z.literal('false')]) });
const wikiComment = jiraComment.extend({ author: person });
/** With its properties. Jira leaves out an empty list, and a comment without a mark is public. */
export const markedComment = wikiComment
  .extend({ properties: z.array(commentProperty).nullish() })
  .transform(({ properties, ...comment }) => ({
    ...comment,
    jsdPublic: (properties ?? []).every(
      ({ key, value }) => key !== 'sd.public.comment' || publicMark.safeParse(value).success,
    ),
  }));

/** Projects without internal notes. */
const typesWithoutNotes = ['software', 'business'];

/** The ids of custom fields. Null: the field does not exist. */
export interface EpicFields {
  link: string | null;
  name: string | null;
}

const fields = jiraIssue.shape.fields;

/** An issue, with its epic as its parent. */
export const dataCenterIssue = ({ link, name }: EpicFields) => {
  const shape = z.object({
    id: z.string(),
    key: z.string(),
    fields: fields
      .extend({
        project: fields.shape.project.extend({ projectTypeKey: text }),
        reporter: person,
        assignee: person,
        comment: z.object({ comments: z.array(wikiComment), total: z.number().catch(0) }).nullish(),
      })
      .loose(),
  });
  return shape.transform(({ fields: { ...all }, ...issue }) => {
    const epic = link === null ? undefined : all[link];
    const epicName = name === null ? undefined : all[name];
    if (!all.parent && typeof epic === 'string' && epic) all.parent = { key: epic };
    if (typeof epicName === 'string' && epicName) all.epicName = epicName;
    // only the list of comments marks internal notes, not the issue
    if (all.comment && !typesWithoutNotes.includes(all.project.projectTypeKey))
      all.comment = { comments: [], total: all.comment.total };
    return { ...issue, fields: all };
  });
};

export const fieldList = z.array(
  z.object({ id: z.string(), schema: z.object({ custom: z.string().optional() }).optional().catch(undefined) }),
);

/** A user without its key gets no access, because the parameter could be a name that was reassigned. */
export const dataCenterHolder = z
  .object({
    type: z.string(),
    parameter: z.string().optional(),
    user: z.object({ key: z.string() }).optional().catch(undefined),
    group: z.object({ name: z.string() }).optional().catch(undefined),
  })
  .transform(({ type, parameter, user, group }): JiraHolder => {
    const value = type === 'user' ? user?.key : type === 'group' ? (group?.name ?? parameter) : parameter;
    return { type, ...(value !== undefined && { value }) };
  });

export const dataCenterScheme = z.object({
  permissions: z.array(z.object({ permission: z.string(), holder: dataCenterHolder })),
});

export const dataCenterRole = z.object({
  actors: z.array(z.object({ type: z.string(), name: z.string() })).default([]),
});

export const dataCenterApplicationRole = z.object({ key: z.string(), groups: z.array(z.string()) });

export const offsetSearch = <T extends z.ZodType>(issue: T) => z.object({ issues: z.array(issue), total: z.number() });

export const leveledIssues = offsetSearch(
  z.object({ fields: z.object({ security: z.object({ id: z.string() }).nullish() }) }),
);
