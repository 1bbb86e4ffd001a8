import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import type { EntitySchema, MixedList } from 'typeorm';
import { Config } from './config/config.js';
import { MASTER_KEYS, SealService } from './crypto/seal.service.js';
import { DatabaseService } from './database/database.service.js';
import type { OpenDatabase } from './database/open.js';
import { BulkDatabaseService } from './database/bulk-database.service.js';
import { SealerDatabaseService } from './database/sealer-database.service.js';
import { workSource } from './database/sources.js';
import { DATABASE_ADDRESSES } from './database/tokens.js';
import { OutboxService } from './events/outbox.service.js';
import { WakeupChannel } from './events/wakeup-channel.service.js';
import { ShutdownService } from './http/shutdown.service.js';
import { OutboundHttpClient } from './http/outbound-http-client.service.js';
import { OutboundWebSocketClient } from './http/outbound-web-socket-client.service.js';
import { OutboundTlsClient } from './http/outbound-tls-client.service.js';
import { IdempotencyService } from './idempotency/idempotency.service.js';
import { QueueService } from './queue/queue.service.js';
import { TelemetryModule } from './telemetry/telemetry.module.js';

/** The lowest layer. It contains no domain logic. */
@Global()
@Module({})
export class PlatformModule {
  static with(
    config: Config,
    opened: OpenDatabase,
    entities: MixedList<(new () => unknown) | EntitySchema>,
  ): DynamicModule {
    const database = {
      provide: DatabaseService,
      useFactory: async () => {
        const app = workSource(opened.addresses, 'cs_app', entities, config.databasePool);
        const system = workSource(opened.addresses, 'cs_system', entities, config.databaseSystemPool);
        await Promise.all([app.initialize(), system.initialize()]);
        return new DatabaseService(app, system);
      },
    };
    const provided = [
      DatabaseService,
      BulkDatabaseService,
      SealerDatabaseService,
      Config,
      SealService,
      WakeupChannel,
      OutboxService,
      QueueService,
      OutboundHttpClient,
      OutboundTlsClient,
      OutboundWebSocketClient,
      ShutdownService,
      IdempotencyService,
    ];
    return {
      module: PlatformModule,
      // global, as this module: intervals end only after the modules above have drained their work
      imports: [ScheduleModule.forRoot(), TelemetryModule],
      providers: [
        { provide: Config, useValue: config },
        { provide: DATABASE_ADDRESSES, useValue: opened.addresses },
        { provide: MASTER_KEYS, useValue: opened.masterKeys },
        database,
        BulkDatabaseService,
        SealerDatabaseService,
        SealService,
        WakeupChannel,
        OutboxService,
        QueueService,
        OutboundHttpClient,
        OutboundTlsClient,
        OutboundWebSocketClient,
        ShutdownService,
        IdempotencyService,
      ],
      exports: provided,
    };
  }
}
