import { describe, expect, it } from 'vitest';
import { redirectUriFaults } from '../clients/redirect-uri.js';
import { knownAssistants } from './known-assistants.js';
import { serverNameOf } from './server-name.js';

const reach = {
  address: 'https://door.larkmoor.example/v1/mcp',
  clientId: '01a1f94e-2721-742a-95b1-cbf9e3400491',
  serverName: 'support-desk',
};

describe.each(knownAssistants.map((assistant) => [assistant.id, assistant] as const))('%s', (_, assistant) => {
  it('can be registered as it is', () => {
    expect(redirectUriFaults(assistant.redirectUris(reach.address), assistant)).toEqual([]);
  });

  it('is set up with the address and the client id', () => {
    const pasted = assistant.steps(reach).map(({ paste }) => paste);
    for (const part of [reach.address, reach.clientId]) expect(pasted.join('\n')).toContain(part);
  });
});

it('writes settings that are JSON where they look like it', () => {
  const pasted = knownAssistants.flatMap((assistant) => assistant.steps(reach).map(({ paste = '' }) => paste));
  const settings = pasted.filter((text) => text.startsWith('{')).map((text) => JSON.parse(text) as object);
  expect(settings.map((one) => Object.keys(one))).toEqual([['mcpServers'], ['servers'], ['mcpServers']]);
});

it('marks the callback of Codex as Codex does', () => {
  const codex = knownAssistants.find(({ id }) => id === 'codex')!;
  // the mark that was seen in a request of Codex 0.147 for this server (github.com/openai/codex/issues/30460)
  expect(codex.redirectUris('https://api.us.elevenlabs.io/v1/mcp')[1]).toMatch(/\/callback\/6MFBM1In3Ey-$/);
});

it.each([
  ['Support desk', 'support-desk'],
  ['Übergabe – Linie 3!', 'ubergabe-linie-3'],
  ['(3rd) line', '3rd-line'],
  ['支持', 'countersign'],
  ['a'.repeat(80), 'a'.repeat(32)],
])('calls %s %s', (name, called) => expect(serverNameOf(name)).toBe(called));
