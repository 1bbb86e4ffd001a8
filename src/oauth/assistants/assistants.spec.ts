import { describe, expect, it } from 'vitest';
import { redirectUriFaults } from '../clients/redirect-uri.js';
import { knownAssistants } from './known-assistants.js';
import { serverNameOf } from './server-name.js';

const reach = {
  address: 'https://gateway.larkmoor.example/v1/mcp',
  clientId: '01a1f94e-2721-742a-95b1-cbf9e3400491',
  serverName: 'support-desk',
};

describe.each(knownAssistants.map((assistant) => [assistant.id, assistant] as const))('%s', (_, assistant) => {
  it('has valid redirect URIs', () => {
    expect(redirectUriFaults(assistant.redirectUris(reach.address), assistant)).toEqual([]);
  });

  it('includes the address and the client id in its steps', () => {
    const pasted = assistant.steps(reach).map(({ paste }) => paste);
    for (const part of [reach.address, reach.clientId]) expect(pasted.join('\n')).toContain(part);
  });
});

it('writes valid JSON settings', () => {
  const pasted = knownAssistants.flatMap((assistant) => assistant.steps(reach).map(({ paste = '' }) => paste));
  const settings = pasted.filter((text) => text.startsWith('{')).map((text) => JSON.parse(text) as object);
  expect(settings.map((one) => Object.keys(one))).toEqual([['mcpServers'], ['servers'], ['mcpServers']]);
});

it('computes the callback suffix of Codex like Codex', () => {
  const codex = knownAssistants.find(({ id }) => id === 'codex')!;
  // observed in a request of Codex 0.147 for this server (github.com/openai/codex/issues/30460)
  expect(codex.redirectUris('https://api.us.elevenlabs.io/v1/mcp')[1]).toMatch(/\/callback\/6MFBM1In3Ey-$/);
});

it.each([
  ['Support desk', 'support-desk'],
  ['Übergabe – Linie 3!', 'ubergabe-linie-3'],
  ['(3rd) line', '3rd-line'],
  ['支持', 'countersign'],
  ['a'.repeat(80), 'a'.repeat(32)],
])('names the server of %s %s', (name, expected) => expect(serverNameOf(name)).toBe(expected));
