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

describe('the unpinned_package rule', () => {
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
  ] as [Package, string, string][])('rates %j as %s and suggests %s', (written, severity, way) => {
    const [found] = unpinnedPackage.check(running(written), aConfiguration());
    expect(found).toMatchObject({ severity });
    expect(found.fix).toContain(way);
  });

  it.each([[null], [npm('mcp-files', '1.2.3', true)]])('accepts %j', (written) =>
    expect(unpinnedPackage.check(running(written), aConfiguration())).toEqual([]),
  );
});

describe('the vulnerable_package rule', () => {
  it('names the advisories, the fixed version and the new spec', () => {
    const [found] = vulnerablePackage.check(running(npm('mcp-remote', '0.1.3', true)), aConfiguration());
    expect(found).toMatchObject({
      severity: 'critical',
      evidence: {
        package: 'mcp-remote',
        version: '0.1.3',
        advisories: [{ id: 'CVE-2025-6514', fixedIn: '0.1.16' }],
        advisoriesAsOf: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      },
      fix: 'Update it to 0.1.16 or later: “mcp-remote@0.1.16”.',
    });
    expect(found.reason).toContain('CVE-2025-6514');
  });

  it('reports a possible vulnerability if a cached version may run', () => {
    const [found] = vulnerablePackage.check(running(npm('mcp-remote', null)), aConfiguration());
    expect(found).toMatchObject({ severity: 'low' });
    expect(found.reason).toContain('does not set a version');
  });

  it('recommends removing a package without a fixed version', () => {
    const [found] = vulnerablePackage.check(running(npm('postmark-mcp', '1.0.16')), aConfiguration());
    expect(found).toMatchObject({ severity: 'critical', fix: expect.stringMatching(/^Remove “postmark-mcp”/) });
  });

  it('writes Python specs for Python packages', () => {
    const written: Package = { manager: 'pypi', name: 'mcp-server-git', versionSpec: '==2025.1.14', isPinned: true };
    const [found] = vulnerablePackage.check(running(written), aConfiguration());
    expect(found.fix).toContain('“mcp-server-git==2025.12.17”');
  });

  it.each([[null], [npm('mcp-remote', '0.1.29', true)], [npm('of-nobody', '0.0.1', true)]])('accepts %j', (written) =>
    expect(vulnerablePackage.check(running(written), aConfiguration())).toEqual([]),
  );
});
