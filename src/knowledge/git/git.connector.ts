import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { BlockList } from 'node:net';
import path from 'node:path';
import type { ConnectionContext, Connector, Verification } from '../../connections/connector-registry.service.js';
import type { ChangesContext, DocumentsContext } from '../../connections/knowledge-source.port.js';
import { toSingleLine } from '../../platform/text/quote-external-text.js';
import { InvalidGitAddress } from './git-address.js';
import { repositoryChanges, walkRepository, type GitPass } from './git-documents.js';
import { GitFailure } from './git-failure.js';
import { standardGitLimits, type GitLimits } from './git-repository.js';
import { gitCredentialOf, gitFields, gitSettingsFaults, gitSettingsOf } from './git-settings.js';
import { tipOf } from './git-tip.js';
import { GitTransport } from './git-transport.js';
import { requireGit } from './git-version.js';
import { withRepository } from './repository-pass.js';

export interface GitConnectorOptions {
  /** The folder for the copies of repositories. */
  root: string;
  allowedNetworks: BlockList;
  limits?: Partial<GitLimits>;
}

export const gitConnectorId = 'git';
const verifySeconds = 15;

/** A repository on any host that supports the git protocol over HTTPS or SSH. */
export function gitConnector({ root, allowedNetworks, limits: given }: GitConnectorOptions): Connector {
  const limits = { ...standardGitLimits, ...given };
  const { memoryKibibytes } = limits;
  return {
    id: gitConnectorId,
    title: 'Git repository',
    about: 'Documents and source code of a repository on any Git host.',
    setUp:
      'Reads Markdown, text, HTML, PDF and source code at the tip of one branch, and the wikis of GitHub and GitLab. ' +
      'For https, create a token that can only read this repository: on GitHub a fine-grained token with Contents: read, on GitLab a ' +
      'project access token with the role Reporter and read_repository. For SSH, add a read-only deploy key. ' +
      'git has no read permissions per person: everyone in the groups that you name below can search the whole repository. ' +
      'Links, submodules, files in Git LFS and generated files are skipped.',
    fields: gitFields,
    offers: ['knowledge'],
    pullCadence: '5m',
    check: gitSettingsFaults,
    verify,
    documents: (context) => read(context, (pass) => walkRepository(pass, context)),
    changes: (context) => read(context, (pass) => repositoryChanges(pass, context)),
  };

  async function verify(context: ConnectionContext): Promise<Verification> {
    await mkdir(root, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(path.join(root, 'verify-'));
    try {
      await requireGit(folder, context.signal);
      const { branch } = gitSettingsOf(context.settings);
      const transport = await openTransport(context, folder, context.signal);
      const tip = await tipOf(transport, branch, verifySeconds);
      return { status: 'connected', reason: tip.branch ? `Reads the branch ${toSingleLine(tip.branch)}.` : undefined };
    } catch (error) {
      if (error instanceof GitFailure || error instanceof InvalidGitAddress)
        return { status: 'failed', reason: error.message };
      throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  function openTransport(context: ConnectionContext, folder: string, signal: AbortSignal): Promise<GitTransport> {
    const { address } = gitSettingsOf(context.settings);
    const credential = gitCredentialOf(context.settings, context.secret);
    return GitTransport.open(address, credential, { folder, allowedNetworks, signal, memoryKibibytes });
  }

  function read<T>(
    context: DocumentsContext | ChangesContext,
    work: (pass: GitPass) => AsyncGenerator<T>,
  ): AsyncGenerator<T> {
    const settings = gitSettingsOf(context.settings);
    const credential = gitCredentialOf(context.settings, context.secret);
    return withRepository({ root, allowedNetworks, limits }, context, { settings, credential }, work);
  }
}
