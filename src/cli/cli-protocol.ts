import { readFileSync } from 'node:fs';

/** The versions of this interface that the server understands. A change that breaks a command raises the newest one. */
export const protocol = { oldest: 1, newest: 1 } as const;

/** Sent by the command line, so that an unsuitable one gets an explanation instead of an unexpected response. */
export const protocolHeader = 'Countersign-Protocol';

const packageFile = new URL('../../package.json', import.meta.url);
export const serverVersion = (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version;
