import { composeThread, type ThreadEntry } from '../source-kit/thread-text.js';
import type { JiraClient } from './jira-client.js';
import type { ParentName } from './jira-parents.js';
import type { JiraComment, JiraIssue } from './jira-schemas.js';

/** In characters, below the size limit of a document. A longer thread ends with a note. */
const maxTextLength = 3_500_000;

/**
 * Combines an issue and its comments, the oldest first, into one Markdown document. Comments for a group or role, and
 * internal notes of service projects, are left out because they have fewer readers than the issue.
 */
export async function issueText(
  jira: Pick<JiraClient, 'toMarkdown'>,
  { key, fields }: JiraIssue,
  parent: ParentName | null,
  allComments: () => AsyncIterable<JiraComment[]>,
): Promise<string> {
  const body = jira.toMarkdown(fields.description);
  const entries: ThreadEntry[] = [];
  let length = body.length;
  const add = (comments: readonly JiraComment[]) => {
    for (const comment of comments) {
      const entry = isForAllReaders(comment) ? entryOf(jira, comment) : null;
      if (!entry || length > maxTextLength) continue;
      length += entry.text!.length;
      entries.push(entry);
    }
  };
  const { comments = [], total = 0 } = fields.comment ?? {};
  // the list in the issue has no documented order, so it is sorted, which requires all of its comments
  if (comments.length >= total) add(inOrder(comments));
  else
    for await (const page of allComments()) {
      add(page);
      if (length > maxTextLength) break;
    }
  if (length > maxTextLength)
    entries.push({
      label: 'Note',
      author: 'Countersign',
      text: 'Later comments are left out: the thread is too long.',
    });
  return composeThread({ title: `${key}: ${fields.summary}`, facts: factsOf(fields, parent), body, entries });
}

/** A restriction of any form excludes the comment. */
const isForAllReaders = ({ visibility, jsdPublic }: JiraComment): boolean =>
  (visibility === undefined || visibility === null) && jsdPublic !== false;

const entryOf = (jira: Pick<JiraClient, 'toMarkdown'>, comment: JiraComment): ThreadEntry => ({
  label: 'Comment',
  author: comment.author?.displayName,
  at: new Date(comment.created),
  text: jira.toMarkdown(comment.body),
});

const inOrder = (comments: readonly JiraComment[]): JiraComment[] =>
  [...comments].sort((a, b) => Date.parse(a.created) - Date.parse(b.created));

function factsOf(
  fields: JiraIssue['fields'],
  parent: ParentName | null,
): (readonly [string, string | null | undefined])[] {
  // only keys: the linked issues may have fewer readers
  const links = fields.issuelinks.flatMap(({ type, inwardIssue, outwardIssue }) => [
    ...(outwardIssue ? [`${type.outward} ${outwardIssue.key}`] : []),
    ...(inwardIssue ? [`${type.inward} ${inwardIssue.key}`] : []),
  ]);
  return [
    ['Type', fields.issuetype?.name],
    ['Status', fields.status?.name],
    ['Priority', fields.priority?.name],
    ['Resolution', fields.resolution?.name],
    ['Project', fields.project.name],
    ['Reporter', fields.reporter?.displayName],
    ['Assignee', fields.assignee?.displayName],
    ['Labels', fields.labels.join(', ')],
    ['Epic name', fields.epicName],
    [parent?.label ?? 'Parent', parent?.text],
    ['Links', links.join(', ')],
  ];
}
