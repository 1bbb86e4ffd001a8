import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenRequestLimiter } from '../src/limits/open-request-limiter.service.js';
import { OauthRateLimitService } from '../src/oauth/oauth-rate-limit.service.js';
import { SharedRateLimitService } from '../src/limits/shared-rate-limit.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { Config } from '../src/platform/config/config.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { RequiredExtensionsService } from '../src/tasks/required-extensions.service.js';
import { GateFixture } from './kit/gate-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

/* State that a process shares between tenants, with keys that a tenant chooses. */

let server: TestServer;
let workplace: Workplace;
let own: GateFixture;
let other: Organization;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  own = await GateFixture.create(server, workplace);
  other = await anOrganization(server);
});
afterAll(async () => {
  await server?.close();
  await workplace?.stop();
});

describe('shared state', () => {
  it('keeps the rate limit of an address separate from a client id with the same text', async () => {
    const limits = server.app.get(OauthRateLimitService);
    const attempts = server.app.get(SharedRateLimitService);
    const office = '203.0.113.7';
    const counted: string[] = [];
    const over = attempts.findExceeded.bind(attempts);
    attempts.findExceeded = (limitOf) => {
      counted.push(...Object.keys(limitOf));
      return over(limitOf);
    };
    try {
      await limits.countRefusal('198.51.100.1', office);
      const ofStranger = counted.splice(0);
      await limits.countRefusal(office, 'a product');
      const ofOffice = counted.splice(0);
      expect(ofStranger.filter((name) => ofOffice.includes(name))).toEqual([]);
      await limits.countRefusal('a', 'b c');
      const one = counted.splice(0);
      await limits.countRefusal('c a', 'b');
      expect(one.filter((name) => counted.includes(name))).toEqual([]);
    } finally {
      attempts.findExceeded = over;
    }
  });

  it('does not reveal a cached configuration to another organization', async () => {
    const required = server.app.get(RequiredExtensionsService);
    const asOwn = await own.principalOf();
    const { id } = await server.app.get(ConfigurationsService).create(asOwn, {
      name: 'Private',
      description: '',
      connectionIds: [own.connectionId],
      groupIds: [],
    });
    await required.findFor(asOwn, id);
    await expect(required.findFor(other.system, id)).rejects.toThrow();
  });

  it('counts the open requests of each caller separately', async () => {
    const requests = server.app.get(OpenRequestLimiter);
    const agentOf = (tenantId: string) => ({ ...other.system, tenantId, agentId: newId() });
    const busy = agentOf(own.agent.tenantId);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const open = Array.from({ length: server.app.get(Config).limits.openRequests }, () =>
      requests.run(busy, () => ended),
    );
    await expect(requests.run(busy, async () => 'free')).rejects.toThrow();
    await expect(requests.run(agentOf(other.tenant.id), async () => 'free')).resolves.toBe('free');
    end();
    await Promise.all(open);
  });
});
