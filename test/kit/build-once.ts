import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** A folder that the first worker which needs it fills for all. */
export async function buildOnce(name: string, build: (folder: string) => Promise<void>): Promise<string> {
  const folder = path.join(process.env.TEST_FOLDER!, name);
  const result = `${folder}.result`;
  const isFirst = (await mkdir(folder, { recursive: true })) !== undefined;
  if (isFirst) {
    const problem = await build(folder).then(
      () => '',
      (error: Error) => error.message,
    );
    await writeFile(`${result}.tmp`, problem);
    await rename(`${result}.tmp`, result);
  }
  while (!existsSync(result)) await setTimeout(100);
  const problem = await readFile(result, 'utf8');
  if (problem) throw new Error(`${name} could not be built: ${problem}`);
  return folder;
}
