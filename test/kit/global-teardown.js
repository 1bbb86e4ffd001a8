import { rmSync } from 'node:fs';

export default async function tearDown() {
  await globalThis.postgres.stop();
  rmSync(process.env.TEST_FOLDER, { recursive: true, force: true });
}
