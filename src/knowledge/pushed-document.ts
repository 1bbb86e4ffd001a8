import { z } from 'zod';
import type { SourceDocument } from '../connections/knowledge-source.port.js';
import { sha256 } from '../platform/crypto/digest.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { boundedList } from '../platform/http/read-json.js';
import { documentKinds } from './document.entity.js';
import { formatOfMediaType } from './text/document-format.js';

/** Body of `PUT /ingest/documents/{source}/{externalId}`. Unknown fields are ignored. */
export const pushedDocumentSchema = z
  .object({
    title: z.string().trim().min(1).max(300),
    kind: z.enum(documentKinds).default('doc'),
    author: z.string().max(300).optional(),
    url: z
      .url({ protocol: /^https?$/, error: 'is not a complete http(s) URL' })
      .max(2000)
      .optional(),
    /** its project, space or channel */
    container: z.string().max(300).optional(),
    updatedAt: z.iso.datetime({ offset: true }).optional(),
    mediaType: z
      .string()
      .max(200)
      .refine(
        (type) => formatOfMediaType(type) !== null,
        'is not supported: use text/markdown, text/plain, text/html, application/pdf or source code',
      )
      .default('text/plain'),
    /** names of groups; omitted or null: everyone who may use the connection */
    groups: boundedList(z.array(z.string().min(1).max(100)), 100).nullish(),
    content: z.string().optional(),
    /** for PDF */
    contentBase64: z.base64({ error: 'is not base64' }).optional(),
  })
  .refine(({ content, contentBase64 }) => (content === undefined) !== (contentBase64 === undefined), {
    path: ['content'],
    message: 'is required, either as text or as "contentBase64"',
  });

export function toSourceDocument(externalId: string, pushed: z.output<typeof pushedDocumentSchema>): SourceDocument {
  const { content, contentBase64, updatedAt, groups, ...described } = pushed;
  const bytes = contentBase64 === undefined ? content! : Buffer.from(contentBase64, 'base64');
  return {
    ...described,
    externalId,
    groups: groups ?? null,
    updatedAt: updatedAt ? new Date(updatedAt) : undefined,
    content: bytes,
    fingerprint: sha256(JSON.stringify([pushed.mediaType, updatedAt, sha256(bytes).toString('hex')])).toString(
      'base64url',
    ),
  };
}

export function parseExternalId(segment: string): string {
  const isUsable =
    segment.length <= 500 && segment.trim() === segment && segment.isWellFormed() && !/\p{Cc}/u.test(segment);
  if (!isUsable)
    throw invalidRequest(
      'The id of a document must have 1 to 500 characters, no control characters, and no spaces at its ends.',
    );
  return segment;
}
