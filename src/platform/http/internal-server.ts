import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../config/config.js';
import type { DatabaseService } from '../database/database.service.js';
import { ping } from '../database/database.system.sql.js';
import type { MetricsService } from '../telemetry/metrics.service.js';

/** Health checks and metrics on a separate port, which must not be reachable from outside. */
export async function startInternalServer(
  config: Config,
  database: DatabaseService,
  metrics: MetricsService,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '').then(([status, type, body]) =>
      response.writeHead(status, { 'Content-Type': type }).end(body),
    );
  });
  const answer = async (url: string): Promise<[number, string, string]> => {
    if (url === '/metrics') return [200, metrics.registry.contentType, await metrics.registry.metrics()];
    if (url === '/healthz') return [200, 'text/plain', 'ok\n'];
    if (url === '/readyz')
      return (await isDatabaseReachable(database))
        ? [200, 'text/plain', 'ready\n']
        : [503, 'text/plain', 'the database does not respond\n'];
    return [404, 'text/plain', 'not found\n'];
  };
  await listenOn(server, config.internalPort, config.internalHost);
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const isDatabaseReachable = (database: DatabaseService): Promise<boolean> =>
  database.systemPool.execute(ping).then(
    () => true,
    () => false,
  );

const listenOn = (server: Server, port: number, host: string) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
