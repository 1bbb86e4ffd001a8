import { sha256 } from '../../platform/crypto/digest.js';
import type { ConfluenceComment, ContentType } from './confluence-schemas.js';

/** In characters. Leaves space for the page within the size limit of a document. */
export const maxThreadLength = 2_500_000;

/**
 * The ids and versions of all comments. They are read in every pass, because a comment does not change the version of its
 * page.
 */
export abstract class CommentCensus {
  private readonly versions = new Map<string, string[]>();

  has(contentId: string): boolean {
    return this.versions.has(contentId);
  }

  fingerprintOf(contentId: string): string {
    return digestOf(this.versions.get(contentId) ?? []);
  }

  /** Whether these comments of a page or blog post are the same as when the census was taken. */
  isCurrent(contentId: string, thread: readonly ConfluenceComment[]): boolean {
    return digestOf(thread.map(versionOf)) === this.fingerprintOf(contentId);
  }

  /** The comments of a page or blog post. Each one is followed by its replies. */
  abstract threadOf(type: ContentType, contentId: string): Promise<ConfluenceComment[]>;

  /** Returns the id of the page or blog post. Null: the comment is on a file, for example. */
  protected add(comment: ConfluenceComment): string | null {
    const contentId = contentOf(comment);
    if (!contentId) return null;
    const list = this.versions.get(contentId);
    if (list) list.push(versionOf(comment));
    else this.versions.set(contentId, [versionOf(comment)]);
    return contentId;
  }
}

export const contentOf = ({ pageId, blogPostId }: ConfluenceComment): string | null => pageId ?? blogPostId ?? null;

export const lengthOf = (comments: readonly ConfluenceComment[]): number =>
  comments.reduce((sum, { body }) => sum + (body?.storage?.value.length ?? 0), 0);

const versionOf = ({ id, version }: ConfluenceComment): string => `${id}:${version.number}`;

const digestOf = (versions: readonly string[]): string =>
  versions.length ? sha256(versions.toSorted().join()).toString('base64url').slice(0, 16) : '';
