import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Wakes } from '../../platform/events/wakes.service.js';
import { Log } from '../../platform/telemetry/log.service.js';
import { systemPrincipal } from '../../principal/principal.js';
import { toWake } from '../catalogue-change.js';
import { ConnectionsService } from '../connections.service.js';
import { catalogueTopic } from '../topics.js';
import type { McpTarget } from './mcp-target.js';

/** Several changes in a row are one; and no server makes us look more often than this, whatever it tells. */
const settlingMs = 200;
const betweenMs = 5000;

/** What servers say is new: its tools are looked at at once, whoever shows its lists is told. */
@Injectable()
export class McpNews implements OnModuleDestroy {
  private readonly told = new Map<string, number>();
  private readonly waiting = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly connections: ConnectionsService,
    private readonly wakes: Wakes,
    private readonly log: Log,
  ) {}

  onModuleDestroy(): void {
    for (const timer of this.waiting.values()) clearTimeout(timer);
  }

  tell(target: McpTarget, list: 'tools' | 'resources' | 'prompts'): void {
    const key = `${target.connectionId} ${list}`;
    if (this.waiting.has(key)) return;
    const waitMs = Math.max(settlingMs, (this.told.get(key) ?? 0) + betweenMs - Date.now());
    const act = () => {
      this.waiting.delete(key);
      this.remember(key);
      if (list === 'tools') void this.look(target);
      else this.wakes.send(catalogueTopic, toWake({ connectionId: target.connectionId, change: list }));
    };
    this.waiting.set(key, setTimeout(act, waitMs).unref());
  }

  /** What is found is told by whoever keeps the tools. */
  private async look({ tenantId, connectionId }: McpTarget): Promise<void> {
    try {
      await this.connections.verify(systemPrincipal(tenantId, 'connections'), connectionId);
    } catch (error) {
      this.log.info({ err: error, connectionId }, 'a server told of other tools, and could not be asked for them');
    }
  }

  private remember(key: string): void {
    const before = Date.now() - betweenMs;
    for (const [other, at] of this.told) if (at < before) this.told.delete(other);
    this.told.set(key, Date.now());
  }
}
