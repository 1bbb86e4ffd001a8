import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { DiscoveredTool } from './connector-registry.service.js';
import {
  claimedEffect,
  toolDefinitionOf,
  hashDefinition,
  strongerEffect,
  suggestedEffect,
  toolName,
  unusableReason,
} from './tool-definition.js';

const tool: DiscoveredTool = {
  name: 'create_ticket',
  title: 'Create a ticket',
  description: 'Opens a ticket.',
  inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  annotations: { destructiveHint: false },
  server: { name: 'workplace', at: 'https://tickets.example' },
};
const hash = (change: Partial<DiscoveredTool> = {}) => hashDefinition(toolDefinitionOf({ ...tool, ...change }));

describe('the definition of a tool', () => {
  it('does not depend on the order of keys', () => {
    expect(
      hash({ inputSchema: { required: ['title'], properties: { title: { type: 'string' } }, type: 'object' } }),
    ).toBe(hash());
  });

  it.each<[string, Partial<DiscoveredTool>]>([
    ['title', { title: 'Create' }],
    ['no title', { title: undefined }],
    ['description', { description: 'Opens a ticket and tells everybody.' }],
    [
      'arguments',
      { inputSchema: { type: 'object', properties: { title: { type: 'string' }, to: { type: 'string' } } } },
    ],
    ['result', { outputSchema: { type: 'object' } }],
    ['annotations', { annotations: {} }],
    ['server', { server: { name: 'workplace', at: 'https://tickets.example.evil' } }],
  ])('changes with its %s', (_what, change) => {
    expect(hash(change)).not.toBe(hash());
  });

  it('is rejected if it cannot be used', () => {
    expect(unusableReason(tool)).toBeNull();
    expect(unusableReason({ ...tool, name: ' ' })).toMatch('no name');
    expect(unusableReason({ ...tool, inputSchema: { type: 'string' } })).toMatch('object');
    expect(unusableReason({ ...tool, description: 'x'.repeat(70_000) })).toMatch('64 KiB');
    expect(unusableReason({ ...tool, description: 'half \ud800' })).toMatch('JSON');
  });
});

describe('the effect of a tool', () => {
  it('is raised by annotations and never lowered', () => {
    expect(claimedEffect(null)).toBe('write');
    expect(claimedEffect({ readOnlyHint: true })).toBe('write');
    expect(claimedEffect({ destructiveHint: true })).toBe('destructive');
    expect(strongerEffect('read', 'destructive')).toBe('destructive');
    expect(strongerEffect('write', 'read')).toBe('write');
  });
});

describe('the name of a tool', () => {
  it('starts with the slug', () => {
    expect(toolName('tickets', 'create', new Set())).toBe('tickets__create');
    expect(toolName('tickets', 'create', new Set(['tickets__create']))).toMatch(/^tickets__create_[0-9a-f]{8}$/);
  });

  it('is unique, short and made of safe characters for any upstream name', () => {
    const slugs = fc.stringMatching(/^[a-z][a-z0-9-]{0,23}$/);
    const upstream = fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 130 }), { maxLength: 30 });
    fc.assert(
      fc.property(slugs, upstream, (slug, upstreamNames) => {
        const taken = new Set<string>();
        for (const upstreamName of upstreamNames) {
          const name = toolName(slug, upstreamName, taken);
          expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          expect(name.startsWith(`${slug}__`)).toBe(true);
          taken.add(name);
        }
        expect(taken.size).toBe(upstreamNames.length);
      }),
    );
  });
});

it.each([
  [null, null],
  [{}, null],
  [{ openWorldHint: true, idempotentHint: true }, null],
  [{ readOnlyHint: true }, 'read'],
  [{ readOnlyHint: true, destructiveHint: true }, 'destructive'],
  [{ readOnlyHint: false }, 'write'],
  [{ destructiveHint: false }, 'write'],
  [{ destructiveHint: true }, 'destructive'],
  [{ readOnlyHint: 'true' }, null],
])('suggests for the annotations %j the effect %s', (annotations, effect) => {
  expect(suggestedEffect(annotations)).toBe(effect);
});
