import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { NextFunction, Request, Response } from 'express';
import { AuditService } from '../audit/audit.service.js';
import { hashToken, tokenKind, type TokenKind } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { bearer } from '../platform/http/bearer.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { systemPrincipal } from '../principal/principal.js';
import { type CredentialHolder, holderOfAdminToken, holderOfTenantKey } from './credentials.system.sql.js';

export type { CredentialHolder } from './credentials.system.sql.js';

/** The endpoint that received the credential, and the client address. */
export interface RefusalOrigin {
  endpoint: string;
  address: string;
}
type FindHolder = (hash: Buffer) => Promise<CredentialHolder | null>;

interface CredentialRefusal {
  kind: TokenKind;
  hash: Buffer;
  count: number;
  endpoints: Set<string>;
  addresses: Set<string>;
}

const refusalFlushIntervalMs = 10_000;
const maxCredentials = 1000;
const maxDetails = 10;

/**
 * Records in the tenant's audit log when a credential is used at the wrong endpoint or after it expired or was revoked.
 * At most one event per credential and process every ten seconds, so that many refusals do not cause many events.
 */
@Injectable()
export class RefusedCredentialsService implements OnModuleInit, OnModuleDestroy {
  private readonly holders = new Map<TokenKind, FindHolder>();
  private readonly refusals = new Map<string, CredentialRefusal>();
  private recording?: Promise<void>;

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    this.register('adm', (hash) => this.database.systemPool.one(holderOfAdminToken, [hash]));
    this.register('ten', (hash) => this.database.systemPool.one(holderOfTenantKey, [hash]));
  }

  async onModuleDestroy(): Promise<void> {
    await this.recording;
    await this.flushOrLog();
  }

  /** Called by the module that stores this kind of credential, in `onModuleInit`. */
  register(kind: TokenKind, find: FindHolder): void {
    this.holders.set(kind, find);
  }

  /**
   * Middleware for every path that inspects the response. GraphQL responds with 200 even if a field rejects the
   * credential.
   */
  readonly middleware = (request: Request, response: Response, next: NextFunction): void => {
    const token = bearer(request);
    if (token) {
      response.once('finish', () => {
        const isRefused = response.statusCode === 401 || (request.baseUrl + request.path).startsWith('/graphql');
        if (!isRefused || request.user) return;
        const endpoint = `/${request.originalUrl.split(/[/?]/)[1] ?? ''}`;
        this.recordRefusal(token, { endpoint, address: request.ip ?? 'unknown' });
      });
    }
    next();
  };

  /** Writes the refusals collected since the last flush. */
  async flush(): Promise<void> {
    for (const key of [...this.refusals.keys()]) {
      const refusal = this.refusals.get(key);
      if (!refusal) continue; // a concurrent flush has written it
      this.refusals.delete(key);
      await this.recordHolderRefusal(refusal); // if it fails, the rest waits for the next flush
    }
  }

  recordRefusal(token: string, { endpoint, address }: RefusalOrigin): void {
    const kind = tokenKind(token);
    if (!kind || !this.holders.has(kind)) return;
    const hash = hashToken(token);
    const key = hash.toString('base64');
    const known = this.refusals.get(key);
    if (!known && this.refusals.size >= maxCredentials && !this.startEarlyFlush()) return;
    const refusal = known ?? { kind, hash, count: 0, endpoints: new Set(), addresses: new Set() };
    refusal.count++;
    addUpTo(refusal.endpoints, endpoint);
    addUpTo(refusal.addresses, address);
    this.refusals.set(key, refusal);
  }

  /** Frees space, so that many unknown credentials cannot hide a known one. False: a flush is already running. */
  private startEarlyFlush(): boolean {
    if (this.recording) return false;
    this.recording = this.flushOrLog().finally(() => (this.recording = undefined));
    return true;
  }

  private async recordHolderRefusal({ kind, hash, count, endpoints, addresses }: CredentialRefusal): Promise<void> {
    const holder = await this.holders.get(kind)!(hash);
    if (!holder) return; // well-formed, but unknown
    const principal = systemPrincipal(holder.tenantId, 'sign-in');
    await this.database.tenant(principal, (tx) =>
      this.audit.record(tx, principal, {
        kind: 'credential.refused',
        subject: { type: subjects[kind] ?? kind, id: holder.id, name: holder.name },
        detail: { count, endpoints: [...endpoints], addresses: [...addresses] },
      }),
    );
  }

  @Interval(refusalFlushIntervalMs)
  protected async flushOrLog(): Promise<void> {
    await this.flush().catch((error: unknown) =>
      this.log.error({ err: error }, 'refused credentials could not be recorded'),
    );
  }
}

const subjects: Partial<Record<TokenKind, string>> = {
  adm: 'admin_token',
  ten: 'tenant_key',
  a2a: 'a2a_key',
  api: 'api_token',
  mcp: 'mcp_token',
  cli: 'cli_token',
  ref: 'refresh_token',
  sec: 'client_secret',
};

const addUpTo = (set: Set<string>, value: string) => (set.size < maxDetails ? set.add(value) : set);
