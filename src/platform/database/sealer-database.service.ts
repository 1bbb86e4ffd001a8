import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { DatabaseAddresses } from './addresses.js';
import { endPool } from './guarded-pool.js';
import { poolOf, workSource } from './sources.js';
import { DATABASE_ADDRESSES } from './tokens.js';
import { beginForSystem, transaction } from './transaction.js';
import type { Tx } from './tx.js';

/** One for the periodic sealing, one for an export that seals first. */
const maxSealerConnections = 2;

/**
 * Transactions of the sealer of the audit log, across tenants. Their role (`cs_sealer`) reads events and adds seals; it
 * can access nothing else. The pool opens with the first transaction.
 */
@Injectable()
export class SealerDatabaseService implements OnApplicationShutdown {
  private source?: Promise<DataSource>;

  constructor(@Inject(DATABASE_ADDRESSES) private readonly addresses: DatabaseAddresses) {}

  async transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T> {
    this.source ??= workSource(this.addresses, 'cs_sealer', [], maxSealerConnections).initialize();
    return transaction(await this.source, beginForSystem('seal audit events'), run);
  }

  async onApplicationShutdown(): Promise<void> {
    const source = await this.source;
    if (source) await endPool(poolOf(source), () => source.destroy());
  }
}
