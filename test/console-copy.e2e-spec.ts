import { afterAll, beforeAll, it } from 'vitest';
import { openConsole, inChromium } from './kit/console.js';
import { button } from './kit/form.js';
import { anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

inChromium('a copy button', () => {
  it('says that nothing was copied if the browser has no clipboard', async () => {
    const { admin } = await anOrganization(server);
    const page = await openConsole(server, admin);
    await page.addInitScript({ content: 'delete Navigator.prototype.clipboard;' });
    await page.goto('/console/organization/sign-in');
    await button(page, 'Copy URL').click();
    await page.getByText('Not copied: the browser permits this only over HTTPS.').waitFor();
  });
});
