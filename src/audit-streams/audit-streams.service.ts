import { lookup } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { type SealedBacklog, SealedEventsService } from '../audit/sealed-events.service.js';
import { Config } from '../platform/config/config.js';
import { newId } from '../platform/crypto/ids.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import {
  type AuditStreamSettings,
  type GivenAuditStreamSettings,
  isPlainHttp,
  readSettings,
  refuseSetting,
} from './audit-stream-settings.js';
import { AuditStream } from './audit-stream.entity.js';
import { auditStreamNotFound, auditStreamNotStopped, tooManyAuditStreams } from './audit-streams.error.js';
import { lockAuditStreams } from './audit-streams.sql.js';

export interface NewAuditStream extends GivenAuditStreamSettings {
  name: string;
  /** Default: the first event that is sealed from now on. */
  fromPosition?: number | null;
}
export interface IssuedAuditStream {
  stream: AuditStream;
  signingSecret: string | null;
}

const maxStreams = 10;
const notStopped = { stoppedAt: null, rejectedPosition: null, rejectedHeadSize: null };

/** The streams of an organization. Only a person in a session changes where its audit log goes. */
@Injectable()
export class AuditStreamsService {
  constructor(
    private readonly config: Config,
    private readonly database: DatabaseService,
    private readonly seal: SealService,
    private readonly audit: AuditService,
    private readonly events: SealedEventsService,
  ) {}

  list(principal: Principal): Promise<AuditStream[]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, (tx) =>
      tx.find(AuditStream, { where: { tenantId }, order: { name: 'ASC', id: 'ASC' } }),
    );
  }

  /** In the order of the positions. */
  findBacklogs(principal: Principal, positions: readonly number[]): Promise<SealedBacklog[]> {
    return this.events.findBacklogs(principal, positions);
  }

  /** The signing secret of a webhook is shown only now. */
  async create(principal: Principal, { name, fromPosition, ...given }: NewAuditStream): Promise<IssuedAuditStream> {
    requireSession(principal);
    const { tenantId } = principal;
    const { settings, target } = readSettings(given);
    if (isPlainHttp(settings.address) && !(await this.isAllowedPrivate(settings.address)))
      throw refuseSetting('address', 'must start with https://, except for private addresses that the operator allows');
    const start = await this.events.findStart(principal);
    const sealed = await this.events.countSealed(principal);
    if (fromPosition != null && fromPosition > sealed)
      throw refuseSetting('fromPosition', `must not be greater than ${sealed}, the number of sealed events`);
    const position = Math.max(start, fromPosition ?? sealed);
    const id = newId();
    const now = new Date();
    const stream: AuditStream = {
      tenantId,
      id,
      name: name.trim(),
      kind: given.kind,
      target,
      sealedSettings: this.seal.seal(JSON.stringify(settings), sealContextOf(id)),
      createdAt: now,
      pausedAt: null,
      position,
      headSize: position,
      sentCount: 0,
      skippedCount: 0,
      rejectedCount: 0,
      ...notStopped,
      lastSentAt: null,
      attempts: 0,
      lastError: null,
      lastErrorAt: null,
      nextAttemptAt: now,
      failingSince: null,
      outageNotifiedAt: null,
      leaseToken: null,
      leaseUntil: null,
    };
    await this.database.tenant(principal, async (tx) => {
      await tx.run(lockAuditStreams, [tenantId]);
      if ((await tx.count(AuditStream, { where: { tenantId } })) >= maxStreams)
        throw tooManyAuditStreams('The organization already has ten audit streams.');
      await tx.insert(AuditStream, stream);
      const detail = { kind: stream.kind, target, position };
      await this.audit.record(tx, principal, { kind: 'audit_stream.created', ...subjectOf(stream), detail });
    });
    return { stream, signingSecret: settings.signingSecret };
  }

  setPaused(principal: Principal, id: string, isPaused: boolean): Promise<AuditStream> {
    const kind = isPaused ? 'audit_stream.paused' : 'audit_stream.resumed';
    return this.change(principal, id, kind, { pausedAt: isPaused ? new Date() : null, nextAttemptAt: new Date() });
  }

  /** Does not wait for the time of the next attempt. */
  retry(principal: Principal, id: string): Promise<AuditStream> {
    return this.change(principal, id, 'audit_stream.retried', { nextAttemptAt: new Date(), ...notStopped });
  }

  /** Continues after the record that the receiver rejects. */
  async skip(principal: Principal, id: string): Promise<AuditStream> {
    requireSession(principal);
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const stream = await tx.findOne(AuditStream, {
        where: { tenantId, id },
        lock: { mode: 'pessimistic_write' },
      });
      if (!stream) throw auditStreamNotFound('There is no such audit stream.');
      if (!stream.stoppedAt) throw auditStreamNotStopped('The stream does not wait at a rejected event.');
      const { rejectedPosition, rejectedHeadSize, position } = stream;
      const values = {
        position: rejectedPosition === null ? position : rejectedPosition + 1,
        headSize: rejectedHeadSize ?? stream.headSize,
        // retention removed what lies between
        skippedCount: stream.skippedCount + (rejectedPosition === null ? 0 : rejectedPosition - position),
        rejectedCount: stream.rejectedCount + 1,
        ...notStopped,
        attempts: 0,
        lastError: null,
        lastErrorAt: null,
        nextAttemptAt: new Date(),
      };
      await tx.update(AuditStream, { tenantId, id }, values);
      const detail = rejectedPosition === null ? { head: rejectedHeadSize } : { position: rejectedPosition };
      await this.audit.record(tx, principal, { kind: 'audit_stream.event_skipped', ...subjectOf(stream), detail });
      return { ...stream, ...values };
    });
  }

  async remove(principal: Principal, id: string): Promise<AuditStream> {
    requireSession(principal);
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const stream = await tx.findOneBy(AuditStream, { tenantId, id });
      if (!stream) throw auditStreamNotFound('There is no such audit stream.');
      await tx.delete(AuditStream, { tenantId, id });
      const { position } = stream;
      await this.audit.record(tx, principal, {
        kind: 'audit_stream.removed',
        ...subjectOf(stream),
        detail: { position },
      });
      return stream;
    });
  }

  openSettings({ id, sealedSettings }: Pick<AuditStream, 'id' | 'sealedSettings'>): AuditStreamSettings {
    return JSON.parse(this.seal.open(sealedSettings, sealContextOf(id)).toString()) as AuditStreamSettings;
  }

  /** A name that cannot be resolved is in no network. */
  private async isAllowedPrivate(address: string): Promise<boolean> {
    const host = new URL(address).hostname.replace(/^\[|\]$/g, '');
    const found = await lookup(host, { all: true }).catch(() => []);
    const allowed = this.config.allowPrivateNetworks;
    return (
      found.length > 0 && found.every(({ address: ip, family }) => allowed.check(ip, family === 6 ? 'ipv6' : 'ipv4'))
    );
  }

  private async change(principal: Principal, id: string, kind: string, values: Partial<AuditStream>) {
    requireSession(principal);
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      await tx.update(AuditStream, { tenantId, id }, values);
      const stream = await tx.findOneBy(AuditStream, { tenantId, id });
      if (!stream) throw auditStreamNotFound('There is no such audit stream.');
      await this.audit.record(tx, principal, { kind, ...subjectOf(stream) });
      return stream;
    });
  }
}

const sealContextOf = (row: string) => ({ table: 'audit_streams', column: 'sealed_settings', row });
const subjectOf = ({ id, name }: AuditStream) => ({ subject: { type: 'audit_stream', id, name } });
