import { Config } from '../../src/platform/config/config.js';
import { OutboundHttpClient } from '../../src/platform/http/outbound-http-client.service.js';

/** The real outbound client, which may reach servers on this machine. Close it with `onApplicationShutdown`. */
export const localOutgoing = (): OutboundHttpClient =>
  new OutboundHttpClient(Config.from({ ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8,::1/128' }));
