import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { OutboxService } from '../platform/events/outbox.service.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import type { Principal } from '../principal/principal.js';
import { encodeUpstreamChange } from './catalogue-change.port.js';
import { Connection } from './connection.entity.js';
import { lockConnectionRevision } from './connections.sql.js';
import type { DiscoveredTool } from './connector-registry.service.js';
import {
  toolDefinitionOf,
  initialEffect,
  hashDefinition,
  strongerEffect,
  toolName,
  unusableReason,
} from './tool-definition.js';
import { Tool } from './tool.entity.js';
import { markToolsSeen } from './tools.sql.js';
import { upstreamCatalogueTopic } from './connections.events.js';

const maxTools = 500;

export interface DiscoveryOutcome {
  offered: number;
  added: string[];
  /** Offered with a changed definition: pending review until confirmed. */
  changed: string[];
  gone: string[];
  rejected: { name: string; reason: string }[];
}

/** Stores the tools that the system of a connection currently offers. */
@Injectable()
export class ToolDiscoveryService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly outbox: OutboxService,
  ) {}

  save(principal: Principal, connection: Connection, discovered: readonly DiscoveredTool[]): Promise<DiscoveryOutcome> {
    return this.database.tenant(principal, (tx) => this.saveIn(tx, principal, connection, discovered));
  }

  async saveIn(
    tx: Tx,
    principal: Principal,
    connection: Connection,
    discovered: readonly DiscoveredTool[],
  ): Promise<DiscoveryOutcome> {
    // serializes discoveries; saves nothing for a connection that was changed or removed during the request
    const current = await tx.one(lockConnectionRevision, [connection.tenantId, connection.id]);
    const { usable, rejected } = splitUsable(discovered);
    const outcome: DiscoveryOutcome = { offered: usable.length, added: [], changed: [], gone: [], rejected };
    if (current?.revision !== connection.revision) return outcome;
    const known = await tx.findBy(Tool, { tenantId: connection.tenantId, connectionId: connection.id });
    const isReoffered = known.some(
      ({ goneAt, upstreamName }) => goneAt && usable.some(({ name }) => name === upstreamName),
    );
    const before = known.length;
    for (const found of usable) await this.upsert(tx, principal, connection, known, found, outcome);
    await tx.save(known.slice(before));
    const usableNames = usable.map(({ name }) => name);
    await tx.execute(markToolsSeen, [connection.tenantId, connection.id, usableNames]);
    await this.markMissing(tx, principal, known, usable, outcome);
    const { added, changed, gone } = outcome;
    if (isReoffered || added.length + changed.length + gone.length) this.publishChange(tx, connection);
    return outcome;
  }

  private publishChange(tx: Tx, { id }: Connection): void {
    tx.afterCommit(() =>
      this.wakeupChannel.publish(upstreamCatalogueTopic, encodeUpstreamChange({ connectionId: id, change: 'tools' })),
    );
  }

  /** Only appends a new tool to `known`; the caller saves it. */
  private async upsert(
    tx: Tx,
    principal: Principal,
    connection: Connection,
    known: Tool[],
    found: DiscoveredTool,
    outcome: DiscoveryOutcome,
  ): Promise<void> {
    const definition = toolDefinitionOf(found);
    const definitionHash = hashDefinition(definition);
    const before = known.find((tool) => tool.upstreamName === found.name);
    if (!before) {
      const tool = newTool(connection, found, new Set(known.map(({ name }) => name)));
      Object.assign(tool, {
        definition,
        definitionHash,
        confirmedHash: definitionHash,
        confirmedDefinition: definition,
      });
      known.push(tool);
      outcome.added.push(tool.name);
      return;
    }
    if (before.definitionHash === definitionHash) return;
    const from = before.definitionHash;
    const effect = strongerEffect(before.effect, initialEffect(found));
    await tx.save(Object.assign(before, describedFields(found), { definition, definitionHash, effect }));
    outcome.changed.push(before.name);
    await this.audit.record(tx, principal, {
      kind: 'tool.changed',
      subject: { type: 'tool', id: before.id, name: before.name },
      detail: { from, to: definitionHash, isHeldBack: before.confirmedHash !== definitionHash },
    });
    if (before.isPendingReview) await this.outbox.write(tx, connection.tenantId, 'tool.blocked', { toolId: before.id });
  }

  private async markMissing(
    tx: Tx,
    principal: Principal,
    known: Tool[],
    usable: DiscoveredTool[],
    outcome: DiscoveryOutcome,
  ): Promise<void> {
    const offered = new Set(usable.map(({ name }) => name));
    for (const tool of known.filter(({ upstreamName, goneAt }) => !goneAt && !offered.has(upstreamName))) {
      await tx.update(Tool, { tenantId: tool.tenantId, id: tool.id }, { goneAt: new Date() });
      await this.audit.record(tx, principal, {
        kind: 'tool.vanished',
        subject: { type: 'tool', id: tool.id, name: tool.name },
      });
      outcome.gone.push(tool.name);
    }
  }
}

function splitUsable(discovered: readonly DiscoveredTool[]): {
  usable: DiscoveredTool[];
  rejected: { name: string; reason: string }[];
} {
  const usable: DiscoveredTool[] = [];
  const rejected: { name: string; reason: string }[] = [];
  const names = new Set<string>();
  for (const tool of discovered) {
    const reason =
      unusableReason(tool) ??
      (names.has(tool.name) ? 'it is listed twice' : null) ??
      (usable.length >= maxTools ? `the server offers more than ${maxTools} tools` : null);
    names.add(tool.name);
    if (reason) rejected.push({ name: tool.name, reason });
    else usable.push(tool);
  }
  return { usable, rejected };
}

const describedFields = (found: DiscoveredTool) => ({
  operation: found.operation ?? 'tool',
  title: found.title ?? found.name,
  description: found.description ?? '',
  inputSchema: found.inputSchema,
  outputSchema: found.outputSchema ?? null,
  annotations: found.annotations ?? null,
});

function newTool(connection: Connection, found: DiscoveredTool, taken: ReadonlySet<string>): Tool {
  return Object.assign(new Tool(), {
    tenantId: connection.tenantId,
    id: newId(),
    connectionId: connection.id,
    connectionSlug: connection.slug,
    name: toolName(connection.slug, found.name, taken),
    upstreamName: found.name,
    ...describedFields(found),
    effect: initialEffect(found),
    confirmedAt: null,
    confirmedBy: null,
    seenAt: new Date(),
    goneAt: null,
    pausedAt: null,
    resultRules: null,
  });
}
