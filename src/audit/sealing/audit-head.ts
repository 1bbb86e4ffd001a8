import { canonicalJson } from '../../platform/json/strict-json.js';
import { sha256 } from '../../platform/crypto/digest.js';
import type { AuditEvent } from '../audit-event.entity.js';

/** A signed statement about the tree of a tenant: its size and root, and the hash of the head before. */
export interface AuditHead {
  tenantId: string;
  size: number;
  root: string;
  previous: string | null;
  at: string;
  epoch: number;
  signature: string;
}

/** The columns of a head. */
export interface AuditHeadRow {
  tenantId: string;
  size: number;
  root: Buffer;
  previous: Buffer | null;
  at: Date;
  epoch: number;
  signature: Buffer;
}

/** The signed text. Its first line names the purpose, so that the signature is valid for nothing else. */
export const signedText = (head: Omit<AuditHead, 'signature'>): string =>
  `countersign audit head v1\n${canonicalJson(head)}`;

export const headHash = (head: Omit<AuditHead, 'signature'>): Buffer => sha256(signedText(head));

export const endorsedText = (epoch: number, publicKey: Buffer): string =>
  `countersign audit key v1\n${canonicalJson({ epoch, publicKey: publicKey.toString('hex') })}`;

export const toHead = ({ tenantId, size, root, previous, at, epoch, signature }: AuditHeadRow): AuditHead => ({
  tenantId,
  size,
  root: root.toString('hex'),
  previous: previous?.toString('hex') ?? null,
  at: at.toISOString(),
  epoch,
  signature: signature.toString('hex'),
});

type EventFields = Omit<AuditEvent, 'tenantId'>;

/** An event as it is exported. Its canonical JSON is the data of its leaf. */
export const exportedEvent = ({ id, at, kind, actor, subject, detail, requestId }: EventFields) => ({
  id,
  at: at.toISOString(),
  kind,
  actor,
  subject,
  detail,
  requestId,
});
