import { describe, expect, it } from 'vitest';
import { aConfiguration, anEntry } from '../../../../test/kit/estate-entry.js';
import type { Package } from '../../configuration-file.js';
import { unpinnedPackage } from './unpinned-package.js';
import { vulnerablePackage } from './vulnerable-package.js';

const running = (written: Package | null) => anEntry({ package: written });
const npm = (name: string, versionSpec: string | null, isPinned = false): Package => ({
  manager: 'npm',
  name,
  versionSpec,
  isPinned,
});

describe('unpinned package', () => {
  it.each([
    [npm('mcp-files', null), 'medium', '"mcp-files@1.2.3"'],
    [npm('mcp-files', 'latest'), 'medium', 'npm view mcp-files version'],
    [npm('mcp-files', '^1.2.0'), 'low', '"mcp-files@1.2.3"'],
    [npm('mcp-files', 'next'), 'medium', '"mcp-files@1.2.3"'],
    [npm('mcp-files', '>=1'), 'medium', '"mcp-files@1.2.3"'],
    [{ manager: 'pypi', name: 'mcp-time', versionSpec: null, isPinned: false }, 'medium', '"mcp-time==1.2.3"'],
    [{ manager: 'docker', name: 'mcp/git', versionSpec: '1.4', isPinned: false }, 'low', '"mcp/git@sha256:…"'],
    [{ manager: 'docker', name: 'mcp/git', versionSpec: 'latest', isPinned: false }, 'medium', 'sha256'],
    [{ manager: 'go', name: 'x.example/mcp', versionSpec: 'main', isPinned: false }, 'medium', '@v1.2.3'],
  ] as [Package, string, string][])('%j is %s', (written, severity, way) => {
    const [found] = unpinnedPackage.check(running(written), aConfiguration());
    expect(found).toMatchObject({ severity });
    expect(found.fix).toContain(way);
  });

  it.each([[null], [npm('mcp-files', '1.2.3', true)]])('has nothing against %j', (written) =>
    expect(unpinnedPackage.check(running(written), aConfiguration())).toEqual([]),
  );
});

describe('vulnerable package', () => {
  it('names the advisories, the version that is right and what to write', () => {
    const [found] = vulnerablePackage.check(running(npm('mcp-remote', '0.1.3', true)), aConfiguration());
    expect(found).toMatchObject({
      severity: 'critical',
      evidence: {
        package: 'mcp-remote',
        version: '0.1.3',
        advisories: [{ id: 'CVE-2025-6514', fixedIn: '0.1.16' }],
        advisoriesAsOf: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      },
      fix: 'Raise it to 0.1.16 or later: “mcp-remote@0.1.16”.',
    });
    expect(found.reason).toContain('CVE-2025-6514');
  });

  it('says perhaps where whatever was kept runs', () => {
    const [found] = vulnerablePackage.check(running(npm('mcp-remote', null)), aConfiguration());
    expect(found).toMatchObject({ severity: 'low' });
    expect(found.reason).toContain('Nothing says which version');
  });

  it('says to take out what is never right', () => {
    const [found] = vulnerablePackage.check(running(npm('postmark-mcp', '1.0.16')), aConfiguration());
    expect(found).toMatchObject({ severity: 'critical', fix: expect.stringMatching(/^Take “postmark-mcp” out/) });
  });

  it('writes versions as Python does', () => {
    const written: Package = { manager: 'pypi', name: 'mcp-server-git', versionSpec: '==2025.1.14', isPinned: true };
    const [found] = vulnerablePackage.check(running(written), aConfiguration());
    expect(found.fix).toContain('“mcp-server-git==2025.12.17”');
  });

  it.each([[null], [npm('mcp-remote', '0.1.29', true)], [npm('of-nobody', '0.0.1', true)]])(
    'has nothing against %j',
    (written) => expect(vulnerablePackage.check(running(written), aConfiguration())).toEqual([]),
  );
});
