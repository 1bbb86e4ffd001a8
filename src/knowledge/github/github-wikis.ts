import path from 'node:path';
import { CursorExpired } from '../../connections/connections.error.js';
import type { DocumentsContext, RemovedDocument, SourceDocument } from '../../connections/knowledge-source.port.js';
import { escapedPath } from '../files/git-remote.js';
import { InvalidGitAddress, parseGitAddress } from '../git/git-address.js';
import { repositoryChanges, walkRepository, type GitPass, type GitWalkContext } from '../git/git-documents.js';
import { GitFailure, type GitFailureCode } from '../git/git-failure.js';
import { removeOtherCopies, withRepository, type GitStorage } from '../git/repository-pass.js';
import type { GithubApi } from './github-api.js';
import type { GithubRepositoryCursor } from './github-progress.js';
import type { GithubRepositoryInfo } from './github-repositories.js';
import { githubAudienceId } from './github-site.js';

type Change = SourceDocument | RemovedDocument;
type WikiCursor = Pick<GithubRepositoryCursor, 'wiki' | 'wikiCheckedAt'>;
type WikiProgress = Pick<DocumentsContext, 'progress' | 'checkpoint' | 'expects'>;

/**
 * A webhook about anything else starts a pass within seconds, and each check of a wiki takes a run of git. Most repositories
 * have an enabled wiki without pages.
 */
const checkIntervalMs = { withPages: 5 * 60_000, withoutPages: 60 * 60_000 };
const copiesFolder = 'wikis';
/** Navigation that GitHub shows on every page. */
const navigation = ['_Sidebar.*', '_Footer.*', '_Header.*'];

/** Wikis of repositories. GitHub has no API for them: each is a git repository. */
export class GithubWikis {
  constructor(
    private readonly api: GithubApi,
    private readonly context: DocumentsContext,
    private readonly storage: GitStorage,
  ) {}

  /** All pages. Updates the cursor. */
  async *pages(
    repository: GithubRepositoryInfo,
    cursor: WikiCursor,
    progress: WikiProgress,
  ): AsyncGenerator<SourceDocument> {
    Object.assign(cursor, { wiki: null, wikiCheckedAt: null });
    if (!repository.has_wiki) return;
    const context = { ...progress, ...this.reportsOf(repository, cursor) };
    try {
      for await (const page of this.read(repository, (pass) => walkRepository(pass, context)))
        yield this.document(repository, page);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    cursor.wikiCheckedAt = new Date().toISOString();
  }

  /** Removes the copies of the wikis of other repositories. */
  forgetOthers(repositories: readonly GithubRepositoryInfo[]): Promise<void> {
    const read = new Set(repositories.filter((one) => one.has_wiki).map(({ id }) => String(id)));
    return removeOtherCopies(this.storage, this.context, copiesFolder, read);
  }

  /** Updates the cursor. `isNamed`: a webhook reported a change of the wiki. */
  async *changes(repository: GithubRepositoryInfo, cursor: WikiCursor, isNamed: boolean): AsyncGenerator<Change> {
    const { context } = this;
    // contents are read from the copy of the wiki, so they must be stored before the pass continues
    const checkpoint = () => context.checkpoint(context.progress ?? {});
    const { wiki } = cursor;
    if (wiki && !repository.has_wiki) throw wikiRemoved(repository);
    if (!isNamed && !isDue(cursor)) return;
    if (!wiki) return yield* this.pages(repository, cursor, { progress: null, checkpoint, expects: () => undefined });
    const reports = this.reportsOf(repository, cursor);
    const changes = { ...reports, cursor: wiki, progress: null, checkpoint, expects: () => undefined };
    try {
      for await (const change of this.read(repository, (pass) => repositoryChanges(pass, changes)))
        if ('removed' in change) yield { removed: githubWikiPageId(repository.id, change.removed) };
        else yield this.document(repository, change);
    } catch (error) {
      throw isMissing(error) ? wikiRemoved(repository) : error;
    }
    cursor.wikiCheckedAt = new Date().toISOString();
  }

  private reportsOf({ id }: GithubRepositoryInfo, cursor: WikiCursor): Pick<GitWalkContext, 'setCursor' | 'skipped'> {
    return {
      setCursor: (position) => void (cursor.wiki = position as GithubRepositoryCursor['wiki']),
      skipped: (name, reason) => this.context.skipped(githubWikiPageId(id, name), reason),
    };
  }

  private async *read<T>(
    { id, full_name: name }: GithubRepositoryInfo,
    work: (pass: GitPass) => AsyncGenerator<T>,
  ): AsyncGenerator<T> {
    const page = `${this.api.site.webUrl}/${escapedPath(name)}.wiki`;
    const settings = {
      address: parseGitAddress(`${page}.git`),
      branch: null,
      include: [],
      exclude: navigation,
      webLinks: 'github' as const,
      webAddress: page,
      usesAttributes: false, // everyone who can edit a wiki could start a complete pass over all repositories
    };
    const credential = { token: await this.api.accessToken(), hostKeys: [] };
    const access = { settings, credential, copy: path.join(copiesFolder, String(id)) };
    yield* withRepository(this.storage, this.context, access, work);
  }

  private document({ id, full_name: container }: GithubRepositoryInfo, page: SourceDocument): SourceDocument {
    const title = path.posix.basename(page.externalId, path.posix.extname(page.externalId)).replaceAll('-', ' ');
    const audience = githubAudienceId(this.api.site, id);
    return { ...page, externalId: githubWikiPageId(id, page.externalId), title, container, audience };
  }
}

const isDue = ({ wiki, wikiCheckedAt: checkedAt }: WikiCursor): boolean =>
  checkedAt === null ||
  Date.now() - Date.parse(checkedAt) > (wiki ? checkIntervalMs.withPages : checkIntervalMs.withoutPages);

const githubWikiPageId = (repositoryId: number, name: string): string => `repositories/${repositoryId}/wiki/${name}`;

/** GitHub gives the same answer for a wiki without pages and one that the credential cannot see. */
const isMissing = (error: unknown): boolean => error instanceof GitFailure && error.code === 'not-found';

const wikiRemoved = ({ full_name: name }: GithubRepositoryInfo): CursorExpired =>
  new CursorExpired(`The wiki of ${name} was removed or disabled.`);

/** Until somebody changes the wiki, the server or a setting. Everyone who can edit a wiki can damage it. */
const unreadable: readonly GitFailureCode[] = [
  'refused',
  'not-installed',
  'too-large',
  'files-too-large',
  'corrupt',
  'object-missing',
  'redirected',
  'tls',
];

/** The wiki cannot be read, but everything else of the connection can. */
export const isUnreadableWiki = (error: unknown): error is Error =>
  error instanceof InvalidGitAddress || (error instanceof GitFailure && unreadable.includes(error.code));
