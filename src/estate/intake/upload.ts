import type { Request } from 'express';
import { z } from 'zod';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { boundedList, parseBody } from '../../platform/http/read-json.js';
import { scopes } from '../parsed.js';
import type { FoundFile } from './found-file.js';

export const mostFiles = 500;
const soonest = 10 * 60_000;

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const address = z.string().trim().max(254);

/** Body of `POST /ingest/estate`. Unknown members are ignored. */
const upload = z.object({
  device: z.string().trim().min(1).max(200),
  platform: z.string().trim().max(100).nullish(),
  owner: address.nullish(),
  collectedAt: time.nullish(),
  isComplete: z.boolean().default(false),
  files: boundedList(
    z.array(
      z.object({
        path: z.string().min(1).max(4000),
        content: z.string().nullish(),
        encoding: z.enum(['utf8', 'base64']).default('utf8'),
        size: z
          .int()
          .min(0)
          .max(2 ** 31 - 1)
          .nullish(),
        modifiedAt: time.nullish(),
        owner: address.nullish(),
        scope: z.enum(scopes).nullish(),
      }),
    ),
    mostFiles,
  ),
});

export interface Upload {
  device: string;
  platform: string | null;
  ownerEmail: string | null;
  /** Never later than now: a clock that is ahead must not keep later uploads out. */
  collectedAt: Date | null;
  isComplete: boolean;
  files: FoundFile[];
}

/** No refusal quotes the body: it holds files with secrets in them. */
export function readUpload(text: string): Upload {
  const { device, platform, owner, collectedAt, isComplete, files } = parseBody(upload, jsonOf(text));
  const ownerEmail = ownerOf(owner);
  const latest = Date.now() + soonest;
  return {
    device: shown(device),
    platform: platform ? shown(platform) : null,
    ownerEmail,
    collectedAt: collectedAt && collectedAt.getTime() > latest ? new Date() : (collectedAt ?? null),
    isComplete,
    files: files.map((file) => {
      const bytes = typeof file.content === 'string' ? Buffer.from(file.content, file.encoding) : null;
      return {
        path: file.path,
        bytes,
        reason: 'was not sent',
        size: bytes?.length ?? file.size ?? 0,
        modifiedAt: file.modifiedAt ?? null,
        ownerEmail: file.owner ? ownerOf(file.owner) : ownerEmail,
        ...(file.scope && { scope: file.scope }),
      };
    }),
  };
}

/** What the device proves itself with, where it does. */
export function deviceSecret(request: Request): string | null {
  const secret = request.get('Countersign-Device-Secret');
  if (secret === undefined) return null;
  if (/^[\x21-\x7e]{22,200}$/.test(secret)) return secret;
  throw invalidRequest('The header "Countersign-Device-Secret" has 22 to 200 visible ASCII characters.');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest('The body is not JSON.', { errors: [{ pointer: '', detail: 'not JSON' }] });
  }
}

/** As people's addresses are kept. */
function ownerOf(typed: string | null | undefined): string | null {
  const email = typed?.trim().normalize('NFC').toLowerCase().normalize('NFC');
  return email && /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]+$/u.test(email) ? email : null;
}

const shown = (text: string): string => text.toWellFormed().replaceAll(/\p{C}/gu, '\ufffd');
