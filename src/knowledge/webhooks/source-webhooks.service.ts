import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { ConnectionTenantsService } from '../../connections/connection-tenants.service.js';
import { Connection } from '../../connections/connection.entity.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { ConnectorRegistry, type Connector } from '../../connections/connector-registry.service.js';
import type { SourceDelivery, SourceNotification } from '../../connections/knowledge-source.port.js';
import { cadenceSeconds } from '../../connections/pull-cadence.port.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { newId } from '../../platform/crypto/ids.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { notFound, rateLimited } from '../../platform/errors/general.error.js';
import { networkOf } from '../../platform/http/network-of.js';
import { withinDeadline } from '../../platform/events/within-deadline.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { RateLimit } from '../../platform/limits/rate-limit.js';
import { QueueService } from '../../platform/queue/queue.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { systemPrincipal, type Principal } from '../../principal/principal.js';
import { countHints, deleteAllHints, insertHints } from '../passes.sql.js';
import { SourceRostersService } from '../permissions/source-rosters.service.js';
import { hastenSource } from '../sources.sql.js';
import { insertDelivery } from './deliveries.sql.js';
import { deleteOldDeliveries, forgetOldWebhookTokens } from './deliveries.system.sql.js';
import { webhookTokenHours, WebhookTokensService } from './webhook-tokens.service.js';

/** Sources redeliver within hours. A later replay only starts a sync early. */
const retentionHours = 24;
const sweepSeconds = 3600;
const verificationMs = 5_000;
const perMinute = { network: 1_200, source: 3_000 };
/** If there are more, the next sync lists all documents instead. */
const maxHints = 1_000;
const maxHintLength = 16 * 1024;
const minSecondsBetweenChanges = 2;
const minSecondsBetweenListings = 60;

const refusal = 'Nothing exists at this address.';

export interface WebhookRequest {
  headers: IncomingHttpHeaders;
  body: unknown;
  /** The network address of the sender. */
  address: string;
}

/**
 * Accepts each webhook once, if the connector verifies it. Otherwise the response is the same as for an unknown
 * connection.
 */
@Injectable()
export class SourceWebhooksService implements OnModuleInit {
  private readonly networks = new RateLimit();
  private readonly sources = new RateLimit();

  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly tenants: ConnectionTenantsService,
    private readonly connectors: ConnectorRegistry,
    private readonly connections: ConnectionsService,
    private readonly rosters: SourceRostersService,
    private readonly tokens: WebhookTokensService,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    this.queue.every('knowledge.deliveries', sweepSeconds, () =>
      this.database.system('sweep webhook deliveries', async (tx) => {
        await tx.execute(deleteOldDeliveries, [retentionHours]);
        await tx.execute(forgetOldWebhookTokens, [webhookTokenHours]);
      }),
    );
  }

  /** Returns the body of the response, if the source expects one. */
  async receive(connectionId: string, request: WebhookRequest): Promise<JsonObject | null> {
    limit(this.networks, networkOf(request.address), perMinute.network);
    const opened = isUUID(connectionId) ? await this.open(connectionId) : null;
    if (!opened) throw notFound(refusal);
    limit(this.sources, connectionId, perMinute.source);
    const notification = await this.verify(opened, request);
    if (!notification) throw notFound(refusal);
    await this.accept(opened, notification);
    return notification.reply ?? null;
  }

  private async open(connectionId: string): Promise<OpenedSource | null> {
    const tenantId = (await this.tenants.findByConnectionIds([connectionId])).get(connectionId);
    if (!tenantId) return null;
    const principal = systemPrincipal(tenantId, 'Webhook');
    const connection = await this.connections.find(principal, connectionId);
    const connector = connection && this.connectors.find(connection.kind);
    return connection && connector?.receive && !connection.pausedAt ? { principal, connection, connector } : null;
  }

  private async verify(
    { principal, connection, connector }: OpenedSource,
    { headers, body }: WebhookRequest,
  ): Promise<SourceNotification | null> {
    const signal = AbortSignal.timeout(verificationMs);
    const delivery: SourceDelivery = {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
      ),
      body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    };
    try {
      const { context } = await this.connections.open(principal, connection, signal);
      return await withinDeadline(signal, connector.receive!(context, delivery));
    } catch (error) {
      this.log.warn({ err: error, connectionId: connection.id }, 'webhook could not be verified');
      return null;
    }
  }

  /** Stores the delivery and its hints and changes the schedule in one transaction, so that none of them is lost alone. */
  private accept(
    { principal, connection: { id }, connector }: OpenedSource,
    notification: SourceNotification,
  ): Promise<void> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      if (notification.offeredToken !== undefined) {
        // nobody signed it, so it leaves no other trace
        if (!(await this.tokens.store(tx, tenantId, id, notification.offeredToken))) throw notFound(refusal);
        return;
      }
      if (!(await tx.execute(insertDelivery, [tenantId, id, sha256(notification.id)]))) return;
      if (notification.hints) {
        const isListingDue = connector.changes ? await this.storeHints(tx, principal, id, notification.hints) : false;
        const due = [tenantId, id, minSecondsBetween(connector), isListingDue] as const;
        // the connection may have been removed while the connector verified the delivery
        if (!(await tx.execute(hastenSource, due))) throw notFound(refusal);
      }
      if (notification.isRosterStale) await this.rosters.hasten(tx, tenantId, id);
    });
  }

  /** Returns true if the next sync has to list all documents, because there are too many hints. */
  private async storeHints(
    tx: Tx,
    { tenantId }: Principal,
    connectionId: string,
    hints: readonly JsonObject[],
  ): Promise<boolean> {
    if (!hints.length) return false;
    const texts = hints.map((hint) => JSON.stringify(hint));
    const [{ count }] = await tx.run(countHints, [tenantId, connectionId]);
    if (count + hints.length > maxHints || !texts.every(isStorable)) {
      await tx.execute(deleteAllHints, [tenantId, connectionId]);
      return true;
    }
    await tx.execute(insertHints, [tenantId, connectionId, hints.map(() => newId()), texts]);
    return false;
  }
}

function limit(requests: RateLimit, key: string, perMinute: number): void {
  const seconds = requests.secondsToWait(key, perMinute);
  if (seconds) throw rateLimited('Too many requests.', { headers: { 'Retry-After': String(seconds) } });
}

/** PostgreSQL cannot store NUL characters. */
const isStorable = (text: string): boolean => text.length <= maxHintLength && !text.includes('\\u0000');

interface OpenedSource {
  principal: Principal;
  connection: Connection;
  connector: Connector;
}

/** Without `changes`, each webhook starts a complete listing. */
const minSecondsBetween = ({ changes, pullCadence = '15m' }: Connector): number =>
  changes ? minSecondsBetweenChanges : Math.max(minSecondsBetweenListings, cadenceSeconds(pullCadence) / 5);
