import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { StdioCommand } from '../../src/mcp-client/stdio/stdio-session.js';

/**
 * The server of stdio-server.mjs in a folder that the user "nobody" can read: under root, commands run as that user.
 */
export function stdioCommand() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-stdio-'));
  const script = path.join(folder, 'server.mjs');
  const node = path.join(folder, 'node');
  chmodSync(folder, 0o755);
  copyFileSync('test/kit/stdio-server.mjs', script);
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o755);
  return {
    folder,
    command: (name: string, limits: Partial<StdioCommand> = {}, ...args: string[]): StdioCommand => ({
      name,
      command: node,
      args: [script, ...args],
      memoryMb: 512,
      silenceSeconds: 30,
      ...limits,
    }),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
