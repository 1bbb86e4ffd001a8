import type { Request } from 'express';
import { z } from 'zod';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { boundedList, parseBody } from '../../platform/http/read-json.js';
import { fileScopeValues } from '../configuration-file.js';
import type { CollectedFile } from './collected-file.js';

export const maxUploadFiles = 500;
const clockToleranceMs = 10 * 60_000;

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const uploadEmail = z.string().trim().max(254);

/** Body of `POST /ingest/estate`. Unknown members are ignored. */
const upload = z.object({
  device: z.string().trim().min(1).max(200),
  platform: z.string().trim().max(100).nullish(),
  owner: uploadEmail.nullish(),
  collectedAt: time.nullish(),
  isComplete: z.boolean().default(false),
  files: boundedList(
    z.array(
      z.object({
        path: z.string().min(1).max(4000),
        location: z.string().min(1).max(4000).nullish(),
        content: z.string().nullish(),
        encoding: z.enum(['utf8', 'base64']).default('utf8'),
        isRedacted: z.boolean().default(false),
        size: z
          .int()
          .min(0)
          .max(2 ** 31 - 1)
          .nullish(),
        modifiedAt: time.nullish(),
        owner: uploadEmail.nullish(),
        scope: z.enum(fileScopeValues).nullish(),
      }),
    ),
    maxUploadFiles,
  ),
});

export interface Upload {
  device: string;
  platform: string | null;
  ownerEmail: string | null;
  /** Never in the future: a clock that is ahead must not block later uploads. */
  collectedAt: Date | null;
  isComplete: boolean;
  files: CollectedFile[];
}

/** Errors never quote the body, because its files contain secrets. */
export function parseUpload(text: string): Upload {
  const { device, platform, owner, collectedAt, isComplete, files } = parseBody(upload, jsonOf(text));
  const ownerEmail = ownerEmailOf(owner);
  const latest = Date.now() + clockToleranceMs;
  return {
    device: printableText(device),
    platform: platform ? printableText(platform) : null,
    ownerEmail,
    collectedAt: collectedAt && collectedAt.getTime() > latest ? new Date() : (collectedAt ?? null),
    isComplete,
    files: files.map((file) => {
      const bytes = typeof file.content === 'string' ? Buffer.from(file.content, file.encoding) : null;
      return {
        path: file.path,
        bytes,
        reason: 'was not sent',
        size: (file.isRedacted ? file.size : undefined) ?? bytes?.length ?? file.size ?? 0,
        modifiedAt: file.modifiedAt ?? null,
        ownerEmail: file.owner ? ownerEmailOf(file.owner) : ownerEmail,
        ...(file.isRedacted && { isRedacted: true }),
        ...(file.location && { location: file.location }),
        ...(file.scope && { scope: file.scope }),
      };
    }),
  };
}

/** The secret that identifies the device, if it sends one. */
export function deviceSecretOf(request: Request): string | null {
  const secret = request.get('Countersign-Device-Secret');
  if (secret === undefined) return null;
  if (/^[\x21-\x7e]{22,200}$/.test(secret)) return secret;
  throw invalidRequest('The header "Countersign-Device-Secret" must have 22 to 200 visible ASCII characters.');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest('The body is not JSON.', { errors: [{ pointer: '', detail: 'not JSON' }] });
  }
}

/** Normalized like other email addresses. */
function ownerEmailOf(typed: string | null | undefined): string | null {
  const email = typed?.trim().normalize('NFC').toLowerCase().normalize('NFC');
  return email && /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]+$/u.test(email) ? email : null;
}

const printableText = (text: string): string => text.toWellFormed().replaceAll(/\p{C}/gu, '\ufffd');
