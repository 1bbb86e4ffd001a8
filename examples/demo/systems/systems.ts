import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { startChat } from './chat.ts';
import { startCodeHost } from './code-host.ts';
import { startTracker } from './tracker.ts';

export interface SystemAccount {
  name: string;
  email: string;
}

/** How an administrator connects a system. */
export interface SystemConnection {
  kind: 'github' | 'jira' | 'slack';
  name: string;
  settings: Record<string, string>;
  secrets: Record<string, string>;
}

export interface System {
  name: string;
  about: string;
  url: string;
  connection: SystemConnection;
  stop(): Promise<void>;
}

/** Ports and tokens, which are stored in the connections, so the next start needs the same ones. */
interface Stored {
  ports: { github: number; jira: number; slack: number };
  githubToken: string;
  slackToken: string;
  since: string;
}

const week = 7 * 86_400_000;

/** Starts a Git host, a tracker and a chat, in which two people share some documents and not others. */
export async function startSystems(
  stateFile: string,
  port: (fixed: number) => number,
  accounts: SystemAccount[],
): Promise<System[]> {
  const stored: Stored = existsSync(stateFile)
    ? (JSON.parse(readFileSync(stateFile, 'utf8')) as Stored)
    : {
        ports: { github: port(8093), jira: port(8094), slack: port(8095) },
        githubToken: `github_pat_${randomBytes(20).toString('hex')}`,
        slackToken: `xoxb-${randomBytes(20).toString('hex')}`,
        since: new Date(Date.now() - week).toISOString(),
      };
  const { ports, githubToken, slackToken, since } = stored;
  const systems: System[] = [];
  try {
    const github = await startCodeHost(ports.github, githubToken, accounts);
    systems.push({
      name: 'GitHub',
      about: 'simulated Git host with two repositories',
      url: github.url,
      connection: {
        kind: 'github',
        name: 'Code',
        settings: { access: 'token', url: github.url },
        secrets: { token: githubToken },
      },
      stop: () => github.stop(),
    });
    const { simulator: jira, email, token } = await startTracker(ports.jira, accounts);
    systems.push({
      name: 'Jira',
      about: 'simulated tracker with one project',
      url: jira.url,
      connection: { kind: 'jira', name: 'Tickets', settings: { url: jira.url, email }, secrets: { token } },
      stop: () => jira.stop(),
    });
    const slack = await startChat(ports.slack, slackToken, new Date(since), accounts);
    systems.push({
      name: 'Slack',
      about: 'simulated chat with two channels',
      url: slack.url,
      connection: { kind: 'slack', name: 'Chat', settings: { url: slack.url }, secrets: { token: slackToken } },
      stop: () => slack.stop(),
    });
    const used = { github: portOf(github.url), jira: portOf(jira.url), slack: portOf(slack.url) };
    writeFileSync(stateFile, JSON.stringify({ ...stored, ports: used }, null, 2), { mode: 0o600 });
    return systems;
  } catch (error) {
    await Promise.all(systems.map((system) => system.stop())); // a listening server would keep the demo running
    throw error;
  }
}

const portOf = (url: string): number => Number(new URL(url).port);
