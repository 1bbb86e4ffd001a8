import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../platform/database/database.service.js';
import { Queue } from '../../../platform/queue/queue.service.js';
import { type Principal, systemPrincipal } from '../../../principal/principal.js';
import { ClientVersions } from '../../../spend/estate-facts/client-versions.service.js';
import { Judging } from '../judging/judging.service.js';
import { judgeAlone } from '../judging/judging.sql.js';
import { organizationsWithFiles } from './comparing.system.sql.js';
import { OwnEstate } from './own-estate.service.js';
import { VendorView } from './vendor-view.service.js';

const job = 'estate.compare';
/** What vendors counted is asked for at most as often, however many devices upload. */
const pauseMs = 30_000;
/** And as often where no file changes: what vendors count does. */
const everySeconds = 600;

/** When files are seen together. */
@Injectable()
export class Comparing implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly queue: Queue,
    private readonly judging: Judging,
    private readonly own: OwnEstate,
    private readonly vendor: VendorView,
    private readonly versions: ClientVersions,
  ) {}

  onModuleInit(): void {
    this.judging.whenJudged(async (tx, principal) => {
      await this.own.compare(tx, principal);
      await this.askSoon(tx, principal);
    });
    this.queue.handle(job, async ({ tenantId }) => this.compare(systemPrincipal(String(tenantId), 'estate')));
    this.queue.every('estate.compare', everySeconds, () => this.askForAll());
  }

  /** With what vendors count. */
  compare(principal: Principal): Promise<void> {
    return this.database.tenant(principal, async (tx) => {
      await tx.query(judgeAlone, [principal.tenantId]);
      await this.vendor.compare(tx, principal);
    });
  }

  private async askForAll(): Promise<void> {
    const withFiles = await this.database.system('estate compare', organizationsWithFiles);
    for (const tenantId of new Set([...withFiles, ...(await this.versions.tenants())])) {
      const principal = systemPrincipal(tenantId, 'estate');
      await this.database.tenant(principal, async (tx) => {
        await this.judging.ask(tx, principal);
        await this.queue.add(tx, job, { tenantId }, { key: `${job}:${tenantId}` });
      });
    }
  }

  /** At the end of the current pause: asking again does not put it off. */
  private async askSoon(tx: EntityManager, { tenantId }: Principal): Promise<void> {
    const pause = Math.ceil((Date.now() + 1) / pauseMs);
    const runAt = new Date(pause * pauseMs);
    await this.queue.add(tx, job, { tenantId }, { key: `${job}:${tenantId}:${pause}`, runAt });
  }
}
