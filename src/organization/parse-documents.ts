import type { z } from 'zod';
import { organizationDocumentSchema, documentSchemas, type OrganizationDocument } from './documents.js';

/** One problem of a document. */
export interface DocumentIssue {
  path: (string | number)[];
  message: string;
}

/** The document with its defaults, or everything that is wrong with it. */
export function parseDocument(value: unknown): { document: OrganizationDocument } | { issues: DocumentIssue[] } {
  const parsed = organizationDocumentSchema.safeParse(value, { reportInput: true });
  return parsed.success ? { document: parsed.data } : { issues: parsed.error.issues.flatMap(issuesOf) };
}

function issuesOf(issue: z.core.$ZodIssue): DocumentIssue[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], message: 'is not a known field' }));
    case 'invalid_union':
      return path[0] === 'kind'
        ? [{ path, message: `must be one of: ${Object.keys(documentSchemas).join(', ')}` }]
        : [{ path, message: 'has a value of the wrong type' }];
    case 'invalid_type':
      return [{ path, message: typeMessage(issue) }];
    case 'invalid_value':
      return [{ path, message: `must be one of: ${issue.values.map(String).join(', ')}` }];
    default:
      return [{ path, message: lowercased(issue.message) }];
  }
}

function typeMessage({ input, expected }: z.core.$ZodIssueInvalidType): string {
  if (input === undefined) return 'is required';
  if (expected === 'string' && typeof input !== 'object') return 'must be text: put it in quotes';
  return `must be of type ${expected}`;
}

const lowercased = (message: string) => message.charAt(0).toLowerCase() + message.slice(1);
