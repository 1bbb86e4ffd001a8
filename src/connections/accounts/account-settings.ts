import type { InvalidField } from '../../platform/errors/problem.js';
import type { ConnectorField } from '../connector-registry.service.js';
import type { Settings } from '../settings.js';

/** With whose credential calls go out: everybody's the same, or each person's own. */
export const hasPersonalCredentials = ({ credentials }: Settings): boolean => credentials === 'personal';

export const accountFields: readonly ConnectorField[] = [
  {
    name: 'credentials',
    label: 'Credentials',
    type: 'choice',
    required: false,
    help: 'shared: everybody’s calls go out with the token above. personal: each person connects an account of their own, by signing in at the server (OAuth); agents, which are nobody, cannot use it then.',
    options: ['shared', 'personal'],
    isTarget: true,
  },
  {
    name: 'clientId',
    label: 'Client id',
    type: 'text',
    required: false,
    help: 'For personal credentials at a server that registers no clients by itself: as whom it knows us. The address to register there ends in /connections/<id of this connection>/callback.',
    isTarget: true,
  },
  {
    name: 'clientSecret',
    label: 'Client secret',
    type: 'secret',
    required: false,
    help: 'Belongs to the client id, if the server gave one.',
  },
];

export function accountFaults(settings: Settings): InvalidField[] {
  const { command, header, clientId } = settings;
  const fault = (name: string, detail: string) => [{ pointer: `/settings/${name}`, detail }];
  if (!hasPersonalCredentials(settings)) return clientId ? fault('clientId', 'is for personal credentials') : [];
  return [
    ...(command ? fault('credentials', 'cannot be personal for a command on this machine') : []),
    ...(header ? fault('header', 'is for a shared token; people’s own go out as the protocol has it') : []),
  ];
}
