import { canonicalJson } from '../../platform/json/strict-json.js';
import { sha256 } from '../../platform/crypto/digest.js';
import type { AuditEvent } from '../audit-event.entity.js';
import { MerkleTree } from './merkle-tree.js';

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

/** A signed statement that retention removed the events from a position up to, and without, another one. */
export interface AuditTombstone {
  tenantId: string;
  from: number;
  to: number;
  count: number;
  /** Roots of the complete subtrees before `to`, the largest first: the tree continues from them. */
  subtrees: string[];
  /** The head at `to` is older. */
  cutoff: string;
  at: string;
  epoch: number;
  signature: string;
}

/** The columns of a tombstone. */
export interface AuditTombstoneRow {
  tenantId: string;
  from: number;
  to: number;
  frontier: Buffer;
  cutoff: Date;
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

export const tombstoneText = (tombstone: Omit<AuditTombstone, 'signature'>): string =>
  `countersign audit tombstone v1\n${canonicalJson(tombstone)}`;

export const tombstoneStatement = (row: Omit<AuditTombstoneRow, 'signature'>): Omit<AuditTombstone, 'signature'> => ({
  tenantId: row.tenantId,
  from: row.from,
  to: row.to,
  count: row.to - row.from,
  subtrees: new MerkleTree(row.to, row.frontier).subtrees().map(({ hash }) => hash.toString('hex')),
  cutoff: row.cutoff.toISOString(),
  at: row.at.toISOString(),
  epoch: row.epoch,
});

export const toTombstone = (row: AuditTombstoneRow): AuditTombstone => ({
  ...tombstoneStatement(row),
  signature: row.signature.toString('hex'),
});

type EventFields = Omit<AuditEvent, 'tenantId'>;

/** An event as it is exported. */
export const exportedEvent = ({ id, at, kind, actor, subject, detail, requestId }: EventFields) => ({
  id,
  at: at.toISOString(),
  kind,
  actor,
  subject,
  detail,
  requestId,
});

/** The data of a leaf. */
export const eventText = ({
  id,
  at,
  kind,
  actor,
  subject,
  detail,
  requestId,
}: ReturnType<typeof exportedEvent>): string => canonicalJson({ actor, at, detail, id, kind, requestId, subject });

type StoredEvent = { [Field in keyof EventFields]: EventFields[Field] | null } & { id: string };

/** False: only the seal of the event remains. */
export const isPresent = <Event extends StoredEvent>(event: Event): event is Event & EventFields =>
  event.at !== null && event.kind !== null && event.actor !== null && event.detail !== null;
