import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.service.js';
import { Queue } from '../../../platform/queue/queue.service.js';
import { SpendVendors } from '../../vendors.service.js';
import { settledAfterMs } from '../days.js';
import { closeDays, openDays } from './calendar.system.sql.js';

const everySeconds = 300;

/** Days come and go whether somebody pulls or not: each has a row from its first moment, and is closed when it is out of reach. */
@Injectable()
export class Calendar implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly queue: Queue,
    private readonly vendors: SpendVendors,
  ) {}

  onModuleInit(): void {
    this.queue.every('spend.days', everySeconds, () => this.turnPages());
  }

  turnPages(): Promise<void> {
    const kinds = this.vendors.kinds();
    const values = [kinds, kinds.map((kind) => this.vendors.get(kind).daysBack), settledAfterMs / 3_600_000];
    return this.database.system('spend days', async (tx) => {
      await tx.query(openDays, values);
      await tx.query(closeDays, values);
    });
  }
}
