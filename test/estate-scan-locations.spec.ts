import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationSearch } from '../cli/estate/configuration-search.js';
import { knownFile, normalizedPath } from '../src/estate/parsing/known-files.js';
import { knownLocations } from '../src/estate/parsing/known-locations.js';
import { writeFiles } from './kit/scan-home.js';

/* Where each client stores its servers, by the systems. Written out, so that no mistake of the code is repeated here. */

const macOs = 'Library/Application Support';
const inVsCode = (name: string) =>
  ['Code', 'Code - Insiders'].flatMap((code) =>
    [macOs, '.config', 'AppData/Roaming'].map((folder) => `${folder}/${code}/User/${name}`),
  );

/** Below a home folder. */
const ofUsers: Record<string, string[]> = {
  cursor: [
    '.cursor/mcp.json',
    '.cursor/plugins/cache/acme/1.0/mcp.json',
    '.cursor/plugins/cache/acme/1.0/.mcp.json',
    '.cursor/plugins/local/mine/mcp.json',
    '.cursor/plugins/local/.mcp.json',
  ],
  'claude-desktop': [
    `${macOs}/Claude/claude_desktop_config.json`,
    'AppData/Roaming/Claude/claude_desktop_config.json',
    '.config/Claude/claude_desktop_config.json',
  ],
  'claude-code': [
    '.claude.json',
    '.claude/plugins/cache/acme/tools/1.0/.mcp.json',
    '.claude/plugins/repos/acme/.mcp.json',
    '.claude/plugins/cache/acme/tools/1.0/.claude-plugin/plugin.json',
    '.claude/plugins/repos/acme/.claude-plugin/plugin.json',
  ],
  vscode: [...inVsCode('mcp.json'), ...inVsCode('profiles/-1a2b/mcp.json'), ...inVsCode('settings.json')],
  'copilot-cli': ['.copilot/mcp-config.json'],
  windsurf: ['.codeium/windsurf/mcp_config.json'],
  devin: ['.config/devin/mcp_config.json', 'AppData/Roaming/devin/mcp_config.json', '.devin/mcp_config.json'],
  codex: [
    '.codex/config.toml',
    '.codex/work.config.toml',
    '.codex/plugins/cache/acme/.codex-plugin/plugin.json',
    '.codex/plugins/cache/acme/.mcp.json',
  ],
  'gemini-cli': ['.gemini/settings.json', '.gemini/extensions/maps/gemini-extension.json'],
  zed: ['.config/zed/settings.json', 'AppData/Roaming/Zed/settings.json'],
  cline: [
    ...inVsCode('globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'),
    '.cline/data/settings/cline_mcp_settings.json',
  ],
  roo: inVsCode('globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json'),
  continue: ['.continue/config.yaml', '.continue/mcpServers/a.yaml', '.continue/mcpServers/a.json'],
  junie: ['.junie/mcp/mcp.json'],
  'amazon-q': ['.aws/amazonq/mcp.json', '.aws/amazonq/agents/default.json', '.aws/amazonq/agents/mcp.json'],
  kiro: ['.kiro/settings/mcp.json', '.kiro/agents/mine.json'],
  goose: ['.config/goose/config.yaml', 'AppData/Roaming/Block/goose/config/config.yaml'],
  opencode: ['.config/opencode/opencode.json', '.config/opencode/opencode.jsonc'],
  warp: ['.warp/.mcp.json'],
  'lm-studio': ['.lmstudio/mcp.json'],
  antigravity: ['.gemini/antigravity/mcp_config.json', '.gemini/config/mcp_config.json'],
};

/** From the root of the disk. */
const ofMachines: Record<string, string[]> = {
  'claude-code': [
    `${macOs}/ClaudeCode/managed-mcp.json`,
    'etc/claude-code/managed-mcp.json',
    'Program Files/ClaudeCode/managed-mcp.json',
  ],
  codex: ['etc/codex/config.toml', 'ProgramData/OpenAI/Codex/config.toml'],
  'gemini-cli': ['etc/gemini-cli', `${macOs}/GeminiCli`, 'ProgramData/gemini-cli'].flatMap((folder) => [
    `${folder}/settings.json`,
    `${folder}/system-defaults.json`,
  ]),
  opencode: ['etc/opencode', `${macOs}/opencode`, 'ProgramData/opencode'].flatMap((folder) => [
    `${folder}/opencode.json`,
    `${folder}/opencode.jsonc`,
  ]),
};

/** Below any folder. */
const ofProjects: Record<string, string[]> = {
  cursor: ['.cursor/mcp.json'],
  'claude-code': ['.mcp.json'],
  vscode: [
    '.vscode/mcp.json',
    '.devcontainer/devcontainer.json',
    '.devcontainer/python/devcontainer.json',
    '.devcontainer.json',
    'shop.code-workspace',
  ],
  'copilot-cli': ['.github/mcp.json'],
  windsurf: ['.windsurf/mcp.json'],
  devin: ['.devin/mcp_config.json', '.devin/mcp_config.local.json'],
  codex: ['.codex/config.toml'],
  'gemini-cli': ['.gemini/settings.json'],
  zed: ['.zed/settings.json'],
  roo: ['.roo/mcp.json'],
  continue: ['.continue/mcpServers/a.yaml', '.continue/mcpServers/a.yml', '.continue/mcpServers/a.json'],
  junie: ['.junie/mcp/mcp.json'],
  'amazon-q': ['.amazonq/mcp.json', '.amazonq/default.json'],
  kiro: ['.kiro/settings/mcp.json', '.kiro/agents/a.json'],
  opencode: ['opencode.json', 'opencode.jsonc'],
  warp: ['.warp/.mcp.json'],
  antigravity: ['.agents/mcp_config.json'],
};

let folder: string;
beforeAll(() => (folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'scan-locations-')))));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes the files below a folder, searches it, and returns what was found in the same form. */
async function foundIn(
  name: string,
  files: Record<string, string[]>,
  search: (search: ConfigurationSearch, root: string) => Promise<void>,
): Promise<Record<string, string[]>> {
  const root = path.join(folder, name);
  writeFiles(root, Object.fromEntries(Object.values(files).flatMap((paths) => paths.map((file) => [file, '{}']))));
  const searching = new ConfigurationSearch();
  await search(searching, root);
  expect(searching.skipped).toEqual([]);
  const found: Record<string, string[]> = {};
  for (const { path: file, known } of searching.found.values()) {
    expect([file, known.scope, known.oddities]).toEqual([file, name === 'projects' ? 'project' : 'user', []]);
    (found[known.client] ??= []).push(path.relative(root, file));
  }
  return sorted(found);
}
const sorted = (files: Record<string, string[]>) =>
  Object.fromEntries(
    Object.keys(files)
      .sort()
      .map((client) => [client, files[client].toSorted()]),
  );

describe('the known locations', () => {
  it('are found in a home folder', async () => {
    expect(await foundIn('home', ofUsers, (search, root) => search.searchHome(root))).toEqual(sorted(ofUsers));
  });

  it('are found on a machine', async () => {
    expect(await foundIn('disk', ofMachines, (search, root) => search.searchMachine(root))).toEqual(sorted(ofMachines));
  });

  it('are found in projects', async () => {
    expect(await foundIn('projects', ofProjects, (search, root) => search.searchFolder(root))).toEqual(
      sorted(ofProjects),
    );
  });

  it('are recognized by the paths of each system', () => {
    const homes = ['/home/ines', '/Users/ines', '/root', 'C:\\Users\\ines'];
    for (const [client, paths] of Object.entries(ofUsers))
      for (const home of homes)
        for (const name of paths) {
          const file = home.includes('\\') ? `${home}\\${name.replaceAll('/', '\\')}` : `${home}/${name}`;
          expect([file, knownFile(normalizedPath(file))]).toMatchObject([
            file,
            { client, scope: 'user', oddities: [] },
          ]);
        }
  });

  it('are all in this test', () => {
    const files = [ofUsers, ofMachines, ofProjects].flatMap((list) => Object.values(list).flat());
    const untested = knownLocations.filter(({ path: place }) => {
      const pattern = place
        .replaceAll('.', '\\.')
        .replaceAll('**/', '(?:.+/)?')
        .replace(/(?<!\.)\*/g, '[^/]+');
      return !files.some((file) => new RegExp(`^${pattern}$`).test(file));
    });
    expect(untested.map(({ path: place }) => place)).toEqual([]);
  });

  it('are found in linked folders, also with any name', async () => {
    const root = path.join(folder, 'linked');
    const files = ['kiro/settings/mcp.json', 'kiro/agents/a.json', 'continue/mcpServers/a.yaml'];
    writeFiles(root, Object.fromEntries(files.map((file) => [`dotfiles/${file}`, '{}'])));
    for (const name of ['kiro', 'continue']) symlinkSync(`dotfiles/${name}`, path.join(root, `.${name}`));
    const searches = [new ConfigurationSearch(), new ConfigurationSearch()];
    await searches[0].searchFolder(root);
    await searches[1].searchHome(root);
    for (const { found } of searches)
      expect([...found.keys()].map((file) => path.relative(root, file)).sort()).toEqual([
        '.continue/mcpServers/a.yaml',
        '.kiro/agents/a.json',
        '.kiro/settings/mcp.json',
      ]);
    // below a plugin folder, the files have their own paths
    writeFiles(root, { 'dotfiles/claude/plugins/cache/a/.claude-plugin/plugin.json': '{}' });
    symlinkSync('dotfiles/claude', path.join(root, '.claude'));
    await searches[1].searchHome(root);
    expect([...searches[1].found.keys()]).toContain(
      path.join(root, 'dotfiles/claude/plugins/cache/a/.claude-plugin/plugin.json'),
    );
  });

  it('that are not UTF-8 are reported', async () => {
    const root = path.join(folder, 'bytes');
    writeFiles(root, { '.continue/mcpServers/a.json': '{}' });
    for (const name of ['.continue/mcpServers/', ''])
      writeFileSync(Buffer.concat([Buffer.from(`${root}/${name}`), Buffer.from([0xff]), Buffer.from('.json')]), '{}');
    mkdirSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]));
    const search = new ConfigurationSearch();
    await search.searchHome(root);
    await search.searchFolder(root);
    const reason = 'has a name that is not UTF-8';
    expect(search.skipped.map((one) => [path.relative(root, one.path), one.reason]).sort()).toEqual([
      ['.continue/mcpServers/\ufffd.json', reason],
      ['\ufffd', reason],
    ]);
  });

  it('include folders that environment variables name', async () => {
    const root = path.join(folder, 'elsewhere');
    const files = ['a/.claude.json', 'a/plugins/cache/x/.mcp.json', 'a/plugins/cache/x/.claude-plugin/plugin.json'];
    const others = [
      'b/config.toml',
      'b/work.config.toml',
      'c/mcp-config.json',
      'd/data/settings/cline_mcp_settings.json',
      'e/zed/settings.json',
      'e/Code/User/profiles/-1a2b/mcp.json',
      'e/goose/config.yaml',
      'e/tools/config.yaml',
      'f/Zed/settings.json',
      'g/settings.json',
      'e/oc.json',
    ];
    writeFiles(root, Object.fromEntries([...files, ...others].map((file) => [file, '{}'])));
    const search = new ConfigurationSearch();
    const usual = {
      ...{ a: '.claude', b: '.codex', c: '.copilot', d: '.cline', nowhere: '.codex' },
      ...{ e: '.config', 'e/tools': '.config/goose', f: 'AppData/Roaming', g: '.gemini' },
    };
    for (const [name, place] of Object.entries(usual)) await search.searchClientFolder(path.join(root, name), place);
    await search.addClientFile(path.join(root, 'e/oc.json'), '~/.config/opencode/opencode.json');
    await search.addClientFile(path.join(root, 'e/absent.json'), '~/.config/opencode/opencode.json');
    await search.addClientFile(path.join(root, 'absent/oc.json'), '~/.config/opencode/opencode.json');
    expect(
      [...search.found.values()].map(({ path: file, known, location }) => [
        path.relative(root, file),
        known.client,
        location,
      ]),
    ).toEqual([
      ['a/plugins/cache/x/.mcp.json', 'claude-code', '~/.claude/plugins/cache/x/.mcp.json'],
      [
        'a/plugins/cache/x/.claude-plugin/plugin.json',
        'claude-code',
        '~/.claude/plugins/cache/x/.claude-plugin/plugin.json',
      ],
      ['a/.claude.json', 'claude-code', '~/.claude/.claude.json'],
      ['b/config.toml', 'codex', '~/.codex/config.toml'],
      ['b/work.config.toml', 'codex', '~/.codex/work.config.toml'],
      ['c/mcp-config.json', 'copilot-cli', '~/.copilot/mcp-config.json'],
      ['d/data/settings/cline_mcp_settings.json', 'cline', '~/.cline/data/settings/cline_mcp_settings.json'],
      ['e/Code/User/profiles/-1a2b/mcp.json', 'vscode', '~/.config/Code/User/profiles/-1a2b/mcp.json'],
      ['e/zed/settings.json', 'zed', '~/.config/zed/settings.json'],
      ['e/goose/config.yaml', 'goose', '~/.config/goose/config.yaml'],
      ['e/tools/config.yaml', 'goose', '~/.config/goose/config.yaml'],
      ['f/Zed/settings.json', 'zed', '~/AppData/Roaming/Zed/settings.json'],
      ['g/settings.json', 'gemini-cli', '~/.gemini/settings.json'],
      ['e/oc.json', 'opencode', '~/.config/opencode/opencode.json'],
    ]);
    expect([...search.found.values()].map(({ known }) => known.scope)).toEqual(Array(14).fill('user'));
    expect(search.skipped).toEqual([]);
    expect(search.isIncomplete).toBe(false);
  });

  it('are reported as unreadable if a variable names a folder or file that cannot be opened', async () => {
    const tooLong = path.join(os.tmpdir(), 'x'.repeat(300));
    const search = new ConfigurationSearch();
    await search.searchClientFolder(tooLong, '.codex');
    expect(search.isIncomplete).toBe(true);
    expect(search.skipped).toHaveLength(1);
    const ofFile = new ConfigurationSearch();
    await ofFile.addClientFile(path.join(tooLong, 'oc.json'), '~/.config/opencode/opencode.json');
    expect(ofFile.isIncomplete).toBe(true);
  });
});
