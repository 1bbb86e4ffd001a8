import { expect, it } from 'vitest';
import { type Connector, ConnectorRegistry } from './connector-registry.service.js';

const connectorWith = (id: string, close?: () => Promise<void>): Connector => ({
  id,
  title: id,
  setUp: '',
  fields: [],
  offers: [],
  verify: async () => ({ status: 'connected' }),
  close,
});

it.each(['constructor', '__proto__', 'prototype', 'toString'])(
  'refuses a connector with a field "%s", which would be lost in a map of settings',
  (name) => {
    const field = { name, label: 'Odd', type: 'text', required: false, help: '' } as const;
    const connector = { ...connectorWith('odd'), fields: [field] };
    expect(() => new ConnectorRegistry().register(connector)).toThrow(`has a field "${name}"`);
  },
);

it('closes every connector at shutdown, even if one fails', async () => {
  const registry = new ConnectorRegistry();
  const closed: string[] = [];
  registry.register(connectorWith('holds nothing'));
  registry.register(connectorWith('fails', () => Promise.reject(new Error('it does not close'))));
  registry.register(connectorWith('works', async () => void closed.push('works')));
  await expect(registry.beforeApplicationShutdown()).rejects.toThrow('connectors could not be closed');
  expect(closed).toEqual(['works']);
});
