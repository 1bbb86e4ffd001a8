import { describe, expect, it } from 'vitest';
import { aConfiguration, anEntry } from '../../../../test/kit/estate-entry.js';
import { broadFileRoot } from './broad-file-root.js';

const given = (...args: string[]) => broadFileRoot.check(anEntry({ command: 'npx', args }), aConfiguration());
const container = (...args: string[]) => broadFileRoot.check(anEntry({ command: 'docker', args }), aConfiguration());
const env = (variables: Record<string, string>) =>
  broadFileRoot.check(anEntry({ definition: { env: variables } }), aConfiguration());

describe('broad file root', () => {
  it.each([
    ['/', 'high'],
    ['C:\\', 'high'],
    ['C:/', 'high'],
    ['file:///', 'high'],
    ['/home', 'high'],
    ['/Users/', 'high'],
    ['C:\\Users', 'high'],
    ['/etc', 'high'],
    ['~/.ssh', 'high'],
    ['/home/me/.aws/', 'high'],
    ['~', 'medium'],
    ['~/', 'medium'],
    ['${userHome}', 'medium'],
    ['$HOME', 'medium'],
    ['${env:HOME}/', 'medium'],
    ['%USERPROFILE%', 'medium'],
    ['/home/me', 'medium'],
    ['/Users/me/**', 'medium'],
    ['C:\\Users\\me\\', 'medium'],
    ['--root=/', 'high'],
    ['--allowed-dir=~', 'medium'],
    ['--dirs=/srv/data,/', 'high'],
  ])('rates %s as %s', (path, severity) =>
    expect(given('-y', 'mcp-files', path)).toMatchObject([{ at: '/args/2', severity }]),
  );

  it.each(['${workspaceFolder}', '/home/me/projects', '~/notes', '.', './', '-y', '/c', '--verbose', '', 'a/b'])(
    'accepts %j',
    (path) => expect(given('mcp-files', path)).toEqual([]),
  );

  it.each([
    [['run', '-v', '/:/host', 'mcp/files'], '/args/2'],
    [['run', '--volume=/home/me:/data:ro', 'mcp/files'], '/args/1'],
    [['run', '-v', 'C:\\:/host', 'mcp/files'], '/args/2'],
    [['run', '--mount', 'type=bind,src=/,dst=/host', 'mcp/files'], '/args/2'],
    [['run', '--mount=type=bind,source=${userHome},target=/h', 'mcp/files'], '/args/1'],
  ])('checks the mounts of a container: %j', (args, at) => expect(container(...args)).toMatchObject([{ at }]));

  it.each([
    [['run', '-v', '/srv/data:/data', 'mcp/files', '/']],
    [['run', '-v', 'volume:/data', 'mcp/files']],
    [['run', '--mount', 'type=volume,src=/,dst=/data', 'mcp/files']],
  ])('accepts files inside a container: %j', (args) => expect(container(...args)).toEqual([]));

  it('checks variables that grant access to folders, and ignores those that only locate the home folder', () => {
    expect(env({ ALLOWED_DIRECTORIES: '/srv/a,/', HOME: '/home/me', PATH: '/:/bin', TOKEN: '/' })).toMatchObject([
      { at: '/env/ALLOWED_DIRECTORIES', severity: 'high' },
    ]);
    expect(env({ VAULT_PATH: '~/notes:~' })).toMatchObject([{ at: '/env/VAULT_PATH', severity: 'medium' }]);
  });
});
