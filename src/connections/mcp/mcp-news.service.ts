import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Wakes } from '../../platform/events/wakes.service.js';
import { Log } from '../../platform/telemetry/log.service.js';
import { systemPrincipal } from '../../principal/principal.js';
import { type ChangedList, toWake } from '../catalogue-change.js';
import { ConnectionsService } from '../connections.service.js';
import { catalogueTopic } from '../topics.js';
import type { McpTarget } from './mcp-target.js';
import { Ration } from './ration.js';

/** Several changes in a row are one. */
const settlingMs = 200;
/** No server makes us look more often than this, whatever it tells: five times, then every five seconds. */
const often = [5, 0.2] as const;
const betweenMs = 5000;
const mostRemembered = 3000;

/** What servers say is new: its tools are looked at at once, whoever shows its lists is told. */
@Injectable()
export class McpNews implements OnModuleDestroy {
  private readonly rations = new Map<string, Ration>();
  private readonly waiting = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly connections: ConnectionsService,
    private readonly wakes: Wakes,
    private readonly log: Log,
  ) {}

  onModuleDestroy(): void {
    for (const timer of this.waiting.values()) clearTimeout(timer);
  }

  tell(target: McpTarget, list: ChangedList): void {
    const key = `${target.connectionId} ${list}`;
    if (this.waiting.has(key)) return;
    const waitMs = this.ration(key).takes() ? settlingMs : betweenMs;
    const act = () => {
      this.waiting.delete(key);
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

  private ration(key: string): Ration {
    const ration = this.rations.get(key) ?? new Ration(...often);
    this.rations.delete(key);
    this.rations.set(key, ration);
    const [oldest] = this.rations.keys();
    if (this.rations.size > mostRemembered) this.rations.delete(oldest);
    return ration;
  }
}
