import { z } from 'zod';
import { UnreadableDocument } from '../../connections/connections.error.js';
import type { DocumentsContext, SourceDocument } from '../../connections/knowledge-source.port.js';
import { compareNumericIds } from '../atlassian/numeric-ids.js';
import { slices } from '../atlassian/slices.js';
import { BatchLoader } from '../source-kit/batch-loader.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import type { CommentCensus } from './comment-census.js';
import type { ConfluenceClient, ConnectConfluence } from './confluence-client.js';
import type { ConfluenceContent, ConfluenceSpace, ContentType } from './confluence-schemas.js';
import { chosenSpaces } from './confluence-spaces.js';
import { contentHtml } from './content-html.js';
import { confluenceAudienceId, SpaceTree } from './space-tree.js';

const perCheckpoint = 250;
const spacesPerQuery = 100;
const confluenceProgress = z.object({
  /** The space that is being read. Spaces with smaller ids are complete. */
  space: z.string(),
  /** Pages and blog posts of this space up to this id are complete. Null: the whole space is complete. */
  after: z.string().nullable(),
});

interface CensusEntry {
  type: ContentType;
  content: ConfluenceContent;
}

/**
 * Reads all pages and blog posts of the chosen spaces. Confluence has no feed of moves and restrictions, so each pass
 * reads a census of ids, versions and parents, and then the texts of new versions only.
 */
export async function* confluenceDocuments(
  context: DocumentsContext,
  connect: ConnectConfluence,
): AsyncGenerator<SourceDocument> {
  const confluence = connect(context, { quota: (status) => context.quota(status) });
  await confluence.assertSignedIn();
  const read = confluenceProgress.safeParse(context.progress);
  const progress = read.success ? read.data : null;
  const spaces = await chosenSpaces(confluence, context.settings);
  await estimate(context, confluence, spaces);
  const pass = new ContentPass(confluence, await confluence.comments(spaces));
  for (const space of spaces) {
    const order = progress ? compareNumericIds(space.id, progress.space) : 1;
    if (order < 0 || (order === 0 && progress?.after === null)) continue;
    const tree = new SpaceTree(confluence);
    const entries = await censusOf(confluence, tree, space);
    const after = order === 0 ? progress!.after! : null;
    const rest = entries.filter(({ content }) => after === null || compareNumericIds(content.id, after) > 0);
    for (const part of slices(rest, perCheckpoint)) {
      yield* pass.documents(space, tree, part);
      await context.checkpoint({ space: space.id, after: part.at(-1)!.content.id });
    }
    await context.checkpoint({ space: space.id, after: null });
  }
  // with a revoked credential, some responses are shorter lists for anonymous visitors instead of errors
  await confluence.assertSignedIn();
}

/** Lists the pages and blog posts of a space in the order of their ids, and adds them to the tree. */
export async function censusOf(
  confluence: ConfluenceClient,
  tree: SpaceTree,
  space: ConfluenceSpace,
): Promise<CensusEntry[]> {
  const entries: CensusEntry[] = [];
  for (const type of ['pages', 'blogposts'] as const)
    for await (const contents of confluence.contents(space, type)) {
      await tree.add(contents);
      for (const content of contents) entries.push({ type, content });
    }
  return entries.sort((a, b) => compareNumericIds(a.content.id, b.content.id));
}

class ContentPass {
  private readonly names = new Map<string, string | null>();
  private readonly bodies: Record<ContentType, BatchLoader<string, ConfluenceContent | undefined>>;

  constructor(
    private readonly confluence: ConfluenceClient,
    private readonly comments: CommentCensus,
  ) {
    const reader = (type: ContentType) => {
      const load = async (ids: string[]) => {
        const bodies = await this.confluence.bodies(type, ids);
        return ids.map((id) => bodies.get(id));
      };
      return new BatchLoader(load, { size: this.confluence.bodiesPerRead });
    };
    this.bodies = { pages: reader('pages'), blogposts: reader('blogposts') };
  }

  async *documents(
    space: ConfluenceSpace,
    tree: SpaceTree,
    entries: readonly CensusEntry[],
  ): AsyncGenerator<SourceDocument> {
    await this.loadNames(entries.map(({ content }) => content));
    const readsOf = (type: ContentType) => {
      const ids = entries.filter((entry) => entry.type === type).map(({ content }) => content.id);
      const reads = this.bodies[type].page(ids);
      return new Map(ids.map((id, at) => [id, reads[at]]));
    };
    const reads = { pages: readsOf('pages'), blogposts: readsOf('blogposts') };
    for (const { type, content } of entries) {
      const { id, title, version, _links } = content;
      const audience = confluenceAudienceId(this.confluence.address, space.id, await tree.restrictedPath(id));
      yield {
        externalId: `${type === 'pages' ? 'page' : 'blogpost'}/${id}`,
        kind: 'doc',
        title: title || 'Untitled',
        author: this.nameOf(content) ?? undefined,
        url: `${this.confluence.address}${_links.webui ?? `/pages/viewpage.action?pageId=${id}`}`,
        container: space.name || space.key,
        updatedAt: new Date(version.createdAt),
        mediaType: 'text/html',
        audience,
        fingerprint: [version.number, this.comments.fingerprintOf(id)].join('-'),
        content: async () => this.html(type, content, await reads[type].get(id)!(), audience),
      };
    }
  }

  private async html(
    type: ContentType,
    listed: ConfluenceContent,
    read: ConfluenceContent | undefined,
    audience: string,
  ): Promise<string> {
    if (!read?.body?.storage)
      throw new UnreadableDocument('was deleted, or hidden from the account, while it was read');
    // the new parent may have fewer readers
    if ((read.parentId ?? null) !== (listed.parentId ?? null) || read.spaceId !== listed.spaceId)
      throw new UnreadableDocument('was moved while it was read; the next sync reads it');
    const thread = this.comments.has(listed.id) ? await this.comments.threadOf(type, listed.id) : [];
    const isNewer = read.version.number !== listed.version.number || !this.comments.isCurrent(listed.id, thread);
    // text that was written after a restriction must not be visible to the earlier readers
    if (isNewer && (await this.audienceOf(type, read)) !== audience)
      throw new UnreadableDocument('has other readers since it was listed; the next sync reads it');
    await this.loadNames(thread.map(({ version }) => version));
    const comments = thread.map(({ version, body }) => ({
      author: this.nameOf(version),
      at: version.createdAt,
      storage: body?.storage?.value ?? '',
    }));
    return contentHtml(read.title, read.body.storage.value, comments);
  }

  /** The audience from the current parents and restrictions. */
  private async audienceOf(type: ContentType, read: ConfluenceContent): Promise<string> {
    const tree = new SpaceTree(this.confluence);
    const content = type === 'pages' ? await this.currentPage(read.id) : read; // a blog post has no parent
    await tree.add([content]);
    return confluenceAudienceId(this.confluence.address, content.spaceId, await tree.restrictedPath(content.id));
  }

  private currentPage(id: string): Promise<ConfluenceContent> {
    return this.confluence.page(id).catch((error: unknown) => {
      if (!isSourceFault(error, 'missing', 'forbidden')) throw error;
      throw new UnreadableDocument('was deleted, or hidden from the account, while it was read');
    });
  }

  private async loadNames(authors: readonly Author[]): Promise<void> {
    const unnamed = authors.filter(({ authorId, authorName }) => authorId && !authorName && !this.names.has(authorId));
    if (!unnamed.length) return;
    const names = await this.confluence.names([...new Set(unnamed.map(({ authorId }) => authorId))]);
    for (const [id, name] of names) this.names.set(id, name);
  }

  private nameOf({ authorId, authorName }: Author): string | null {
    return authorName || (this.names.get(authorId) ?? null);
  }
}

type Author = Pick<ConfluenceContent, 'authorId' | 'authorName'>;

/** The estimate is only for the progress display, so a rejected search is not an error. */
async function estimate(
  context: DocumentsContext,
  confluence: ConfluenceClient,
  spaces: readonly ConfluenceSpace[],
): Promise<void> {
  try {
    let total = 0;
    for (const part of slices(spaces, spacesPerQuery)) total += await confluence.count(part.map(({ key }) => key));
    context.expects(total);
  } catch (error) {
    if (!isSourceFault(error, 'refused', 'missing', 'forbidden')) throw error;
  }
}
