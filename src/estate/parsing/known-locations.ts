/** Where AI clients store their configuration. */
export interface KnownLocation {
  client: string;
  /** End of the path. `*` stands for a name or its beginning, `**` for any number of folders. */
  path: string;
  /**
   * `home`: below a home folder. `machine`: from the root of the disk. `project`: anywhere. `both`: in a home folder for
   * the user, elsewhere for a project.
   */
  place: 'home' | 'machine' | 'project' | 'both';
  /** The file also contains other settings, so that it may declare no servers. */
  isSettings?: boolean;
}

const settings = { isSettings: true };

/** Folders of application settings in a home folder, by system: macOS, Linux, Windows. */
const applicationFolders = ['Library/Application Support', '.config', 'AppData/Roaming'];
const inApplications = (path: string) => applicationFolders.map((folder) => `${folder}/${path}`);
/** The user folders of VS Code and its preview. */
const inVsCode = (path: string) =>
  ['Code', 'Code - Insiders'].flatMap((code) => inApplications(`${code}/User/${path}`));
/** Plugins declare their servers in a file of their own or in their manifest. */
const inPlugins = (folder: string) => `${folder}/**/.claude-plugin/plugin.json`;

const of = (
  client: string,
  place: KnownLocation['place'],
  paths: readonly string[],
  more: Pick<KnownLocation, 'isSettings'> = {},
): KnownLocation[] => paths.map((path) => ({ client, path, place, ...more }));

/** The first location that matches a path determines its client, so that special paths come before `.mcp.json`. */
export const knownLocations: readonly KnownLocation[] = [
  ...of('cursor', 'both', ['.cursor/mcp.json']),
  ...of('cursor', 'home', ['.cursor/plugins/**/mcp.json', '.cursor/plugins/**/.mcp.json']),
  ...of('claude-desktop', 'home', inApplications('Claude/claude_desktop_config.json'), settings),
  ...of('claude-code', 'home', ['.claude.json'], settings),
  ...of('claude-code', 'home', ['.claude/plugins/cache/**/.mcp.json', '.claude/plugins/repos/**/.mcp.json']),
  ...of('claude-code', 'home', ['.claude/plugins/cache', '.claude/plugins/repos'].map(inPlugins), settings),
  ...of('claude-code', 'machine', [
    'etc/claude-code/managed-mcp.json',
    'Library/Application Support/ClaudeCode/managed-mcp.json',
    'Program Files/ClaudeCode/managed-mcp.json',
  ]),
  ...of('vscode', 'home', inVsCode('mcp.json')),
  ...of('vscode', 'home', inVsCode('profiles/*/mcp.json')),
  ...of('vscode', 'home', inVsCode('settings.json'), settings),
  ...of('vscode', 'project', ['.vscode/mcp.json']),
  ...of(
    'vscode',
    'project',
    ['.devcontainer/devcontainer.json', '.devcontainer/*/devcontainer.json', '.devcontainer.json', '*.code-workspace'],
    settings,
  ),
  ...of('copilot-cli', 'home', ['.copilot/mcp-config.json']),
  ...of('copilot-cli', 'project', ['.github/mcp.json']),
  ...of('windsurf', 'home', ['.codeium/windsurf/mcp_config.json']),
  ...of('windsurf', 'project', ['.windsurf/mcp.json']),
  ...of('devin', 'home', ['.config/devin/mcp_config.json', 'AppData/Roaming/devin/mcp_config.json']),
  ...of('devin', 'both', ['.devin/mcp_config.json', '.devin/mcp_config.local.json']),
  ...of('codex', 'both', ['.codex/config.toml'], settings),
  ...of('codex', 'home', ['.codex/*.config.toml', '.codex/plugins/**/.codex-plugin/plugin.json'], settings),
  ...of('codex', 'home', ['.codex/plugins/**/.mcp.json']),
  ...of('codex', 'machine', ['etc/codex/config.toml', 'ProgramData/OpenAI/Codex/config.toml'], settings),
  ...of('gemini-cli', 'both', ['.gemini/settings.json'], settings),
  ...of('gemini-cli', 'home', ['.gemini/extensions/*/gemini-extension.json'], settings),
  ...of(
    'gemini-cli',
    'machine',
    ['etc/gemini-cli', 'Library/Application Support/GeminiCli', 'ProgramData/gemini-cli'].flatMap((folder) => [
      `${folder}/settings.json`,
      `${folder}/system-defaults.json`,
    ]),
    settings,
  ),
  ...of('zed', 'home', ['.config/zed/settings.json', 'AppData/Roaming/Zed/settings.json'], settings),
  ...of('zed', 'project', ['.zed/settings.json'], settings),
  ...of('cline', 'home', [
    ...inVsCode('globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'),
    '.cline/data/settings/cline_mcp_settings.json',
  ]),
  ...of('roo', 'home', inVsCode('globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json')),
  ...of('roo', 'project', ['.roo/mcp.json']),
  ...of('continue', 'both', ['.continue/config.yaml'], settings),
  ...of('continue', 'both', [
    '.continue/mcpServers/*.json',
    '.continue/mcpServers/*.yaml',
    '.continue/mcpServers/*.yml',
  ]),
  ...of('junie', 'both', ['.junie/mcp/mcp.json']),
  ...of('amazon-q', 'home', ['.aws/amazonq/mcp.json']),
  ...of('amazon-q', 'home', ['.aws/amazonq/agents/*.json'], settings),
  ...of('amazon-q', 'project', ['.amazonq/mcp.json']),
  ...of('amazon-q', 'project', ['.amazonq/default.json'], settings),
  ...of('kiro', 'both', ['.kiro/settings/mcp.json']),
  ...of('kiro', 'both', ['.kiro/agents/*.json'], settings),
  ...of('goose', 'home', ['.config/goose/config.yaml', 'AppData/Roaming/Block/goose/config/config.yaml'], settings),
  ...of('opencode', 'home', ['.config/opencode/opencode.json', '.config/opencode/opencode.jsonc'], settings),
  ...of(
    'opencode',
    'machine',
    ['etc/opencode', 'Library/Application Support/opencode', 'ProgramData/opencode'].flatMap((folder) => [
      `${folder}/opencode.json`,
      `${folder}/opencode.jsonc`,
    ]),
    settings,
  ),
  ...of('opencode', 'project', ['opencode.json', 'opencode.jsonc'], settings),
  ...of('warp', 'both', ['.warp/.mcp.json']),
  ...of('lm-studio', 'home', ['.lmstudio/mcp.json']),
  ...of('antigravity', 'home', ['.gemini/antigravity/mcp_config.json', '.gemini/config/mcp_config.json']),
  ...of('antigravity', 'project', ['.agents/mcp_config.json']),
  // shared by Claude Code, Copilot CLI and Cursor
  ...of('claude-code', 'project', ['.mcp.json']),
];
