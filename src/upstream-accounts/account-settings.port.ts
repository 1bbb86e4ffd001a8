import type { InvalidField } from '../platform/errors/problem.js';
import type { Connection } from '../connections/connection.entity.js';
import type { ConnectorField } from '../connections/connector-registry.service.js';

type Settings = Connection['settings'];

/** Whether calls use each person's own credential instead of a shared one. */
export const hasPersonalCredentials = ({ credentials }: Settings): boolean => credentials === 'personal';

export const accountFields: readonly ConnectorField[] = [
  {
    name: 'credentials',
    label: 'Credentials',
    type: 'choice',
    required: false,
    help: 'Shared token: all calls use the token above. Personal accounts: each person connects their own account by signing in at the server (OAuth). Not available to agents.',
    options: ['shared', 'personal'],
    optionLabels: ['Shared token', 'Personal accounts'],
    isTarget: true,
  },
  {
    name: 'clientId',
    label: 'Client id',
    type: 'text',
    required: false,
    help: 'For personal accounts if the server has no client registration. Register a client there with a redirect URI that ends in /connections/<id of this connection>/callback, and enter its id.',
    isTarget: true,
  },
  {
    name: 'clientSecret',
    label: 'Client secret',
    type: 'secret',
    required: false,
    help: 'The secret of this client, if it has one.',
  },
];

export function accountFaults(settings: Settings): InvalidField[] {
  const { command, header, clientId } = settings;
  const fault = (name: string, detail: string) => [{ pointer: `/settings/${name}`, detail }];
  if (!hasPersonalCredentials(settings)) return clientId ? fault('clientId', 'is only for personal credentials') : [];
  return [
    ...(command ? fault('credentials', 'cannot be personal for a command on this machine') : []),
    ...(header ? fault('header', 'is only for a shared token; personal tokens use the Authorization header') : []),
  ];
}
