import { expect, it } from 'vitest';
import { readWebPage } from './web-assets.js';

it('explains a page that was not built', async () => {
  await expect(readWebPage('no-such-page.html')).rejects.toMatchObject({ code: 'not-found' });
});

it('throws any other error of the file system, which is no missing build', async () => {
  await expect(readWebPage('x'.repeat(300))).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
});
