import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { EntitySchema, MixedList } from 'typeorm';
import { Config } from './config/config.js';
import { MASTER_KEYS, Seal } from './crypto/seal.service.js';
import { Database } from './database/database.service.js';
import type { OpenDatabase } from './database/open.js';
import { OwnConnections } from './database/own-connections.service.js';
import { workSource } from './database/sources.js';
import { ADDRESSES } from './database/tokens.js';
import { Outbox } from './events/outbox.service.js';
import { Wakes } from './events/wakes.service.js';
import { Closing } from './http/closing.service.js';
import { Outgoing } from './http/outgoing.service.js';
import { Idempotency } from './idempotency/idempotency.service.js';
import { Queue } from './queue/queue.service.js';
import { TelemetryModule } from './telemetry/telemetry.module.js';

/** The ground: it knows no word of the domain. */
@Global()
@Module({})
export class PlatformModule {
  static with(
    config: Config,
    opened: OpenDatabase,
    entities: MixedList<(new () => unknown) | EntitySchema>,
  ): DynamicModule {
    const database = {
      provide: Database,
      useFactory: async () => {
        const app = workSource(opened.at, 'cs_app', entities, config.databasePool);
        const system = workSource(opened.at, 'cs_system', entities, config.databaseSystemPool);
        await Promise.all([app.initialize(), system.initialize()]);
        return new Database(app, system);
      },
    };
    const provided = [Database, OwnConnections, Config, Seal, Wakes, Outbox, Queue, Outgoing, Closing, Idempotency];
    return {
      module: PlatformModule,
      imports: [TelemetryModule],
      providers: [
        { provide: Config, useValue: config },
        { provide: ADDRESSES, useValue: opened.at },
        { provide: MASTER_KEYS, useValue: opened.masterKeys },
        database,
        OwnConnections,
        Seal,
        Wakes,
        Outbox,
        Queue,
        Outgoing,
        Closing,
        Idempotency,
      ],
      exports: provided,
    };
  }
}
