import { expect, it } from 'vitest';
import { chainBehind, inChain } from '../console/kit/surface.ts';

const ada = { kind: 'member', id: '1', name: 'Ada' };
const portal = { kind: 'client', id: '2', name: 'Line portal' };
const desk = { kind: 'configuration', id: '3', name: 'Desk' };

it('names a person who uses a product once', () => {
  expect(chainBehind({ kind: 'member', chain: [ada, portal, desk] })).toEqual([portal, desk]);
  expect([portal, desk].map(({ kind, name }) => `${inChain(kind)} ${name}`)).toEqual([
    'using Line portal',
    'delegated by configuration Desk',
  ]);
});

it('names the person behind an agent', () => {
  expect(chainBehind({ kind: 'agent', chain: [ada] })).toEqual([ada]);
  expect(inChain(ada.kind)).toBe('on behalf of member');
  expect(chainBehind({ kind: 'system' })).toEqual([]);
});
