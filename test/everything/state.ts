import { createRequestStateCodec } from '@modelcontextprotocol/server';
import { randomBytes } from 'node:crypto';

/** Seals what goes to the client between two rounds of a call; whatever comes back changed is refused before a tool sees it. */
export const state = createRequestStateCodec<{ round: number }>({ key: randomBytes(32) });
