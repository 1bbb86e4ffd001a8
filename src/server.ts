import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { RefusedCredentialsService } from './access/refused-credentials.service.js';
import { AppModule } from './app.module.js';
import { ConnectorRegistry } from './connections/connector-registry.service.js';
import { loadConnectors } from './connectors.js';
import { ConfigFolderService } from './organization/config-folder.service.js';
import { databaseSchema } from './migrations.js';
import type { Config } from './platform/config/config.js';
import { DatabaseService } from './platform/database/database.service.js';
import { openDatabase } from './platform/database/open.js';
import { useBodyParsers } from './platform/http/body-parsers.js';
import { startInternalServer } from './platform/http/internal-server.js';
import { observeRequests } from './platform/http/observe-requests.js';
import { rejectRepeatedHeaders, requestId, strictTransport } from './platform/http/request-head.js';
import { serveWebAssets } from './platform/http/web-assets.js';
import { ShutdownService } from './platform/http/shutdown.service.js';
import { closeStreams } from './platform/http/sse.js';
import { startTracing } from './platform/telemetry/otlp.js';
import { MetricsService } from './platform/telemetry/metrics.service.js';
import { guardGraphql } from './principal/guard-graphql.js';

/**
 * Longer than the usual idle timeout of proxies (60 s): a proxy that reuses a connection while it closes answers 502.
 */
const keepAliveMs = 75_000;

export interface RunningServer {
  app: NestExpressApplication;
  config: Config;
  internalPort: number;
  /** Names of the migrations that this start applied. */
  applied: string[];
  close(): Promise<void>;
}

/** Starts a server. `close`, and a failed start, release everything in reverse order. */
export async function startServer(config: Config): Promise<RunningServer> {
  const connectors = await loadConnectors(config.connectors);
  const cleanups: (() => void | Promise<void>)[] = [await startTracing(config)];
  const close = async () => {
    for (const end of cleanups.splice(0).reverse()) await end();
  };
  try {
    const opened = await openDatabase(config, databaseSchema);
    cleanups.push(() => opened.close());
    const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config, opened), {
      bodyParser: false,
      logger: ['error', 'fatal'],
      abortOnError: false,
    });
    cleanups.push(() => app.close());
    for (const connector of connectors) app.get(ConnectorRegistry).register(connector);
    app.disable('x-powered-by');
    app.set('trust proxy', config.trustedProxies.length ? config.trustedProxies : false);
    app.use(requestId);
    app.use(strictTransport(config));
    app.use(observeRequests(app.get(MetricsService)));
    app.use(rejectRepeatedHeaders);
    app.use(app.get(RefusedCredentialsService).middleware);
    guardGraphql(app, config);
    useBodyParsers(app, config);
    serveWebAssets(app);
    app.getHttpServer().keepAliveTimeout = keepAliveMs;
    if (config.isWeb && config.configDir) {
      await app.init();
      await app.get(ConfigFolderService).applyAtStart();
    }
    await app.listen(config.isWeb ? config.port : 0, config.isWeb ? config.host : '127.0.0.1');
    config.setListeningPort((app.getHttpServer().address() as AddressInfo).port);
    const internal = await startInternalServer(config, app.get(DatabaseService), app.get(MetricsService));
    cleanups.push(
      () => internal.close(),
      closeStreams,
      () => app.get(ShutdownService).begin(),
    );
    return { app, config, internalPort: internal.port, applied: opened.applied, close };
  } catch (error) {
    await close();
    throw error;
  }
}
