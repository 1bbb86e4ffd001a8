import { z } from 'zod';
import { UnreadableDocument } from '../../connections/connections.error.js';
import { toSingleLine } from '../../platform/text/quote-external-text.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import type { NotionApi } from './notion-api.js';
import { linkTo, markdownOf, plainText, richTextIn } from './notion-text.js';
import { notionBlock, type NotionBlock } from './notion-wire.js';

const maxBlocks = 20_000;
const maxDepth = 30;

const content = z.looseObject({
  rich_text: z.unknown().optional(),
  caption: z.unknown().optional(),
  cells: z.array(z.unknown()).nullish().catch(null),
  checked: z.boolean().nullish().catch(null),
  language: z.string().nullish().catch(null),
  expression: z.string().nullish().catch(null),
  title: z.string().nullish().catch(null),
  url: z.string().nullish().catch(null),
  synced_from: z.object({ block_id: z.string().nullish() }).nullish().catch(null),
});
type BlockContent = z.infer<typeof content>;

/** Pages and databases below a page are documents of their own, so their blocks are not read with it. */
const isOwnDocument = ({ type }: NotionBlock): boolean => type === 'child_page' || type === 'child_database';
const headings: Record<string, string> = { heading_1: '##', heading_2: '###', heading_3: '####', heading_4: '#####' };
const listItems = new Set(['bulleted_list_item', 'numbered_list_item', 'to_do']);

/** Reads the blocks of one page as Markdown. */
export class NotionPageText {
  private blocks = 0;

  constructor(private readonly api: NotionApi) {}

  async read(pageId: string): Promise<string> {
    return this.below(pageId, [pageId]);
  }

  private async below(id: string, path: readonly string[]): Promise<string> {
    if (path.length > maxDepth) throw new UnreadableDocument(`has blocks nested more than ${maxDepth} levels deep`);
    const sections: string[] = [];
    let isInList = false;
    for await (const block of this.children(id)) {
      const section = await this.section(block, path);
      if (!section) continue;
      const isItem = listItems.has(block.type);
      if (isItem && isInList) sections.push(`${sections.pop()!}\n${section}`);
      else sections.push(section);
      isInList = isItem;
    }
    return sections.join('\n\n');
  }

  private async *children(id: string): AsyncGenerator<NotionBlock> {
    for await (const { items } of this.api.pages({ path: `/v1/blocks/${id}/children` }, notionBlock)) {
      this.blocks += items.length;
      if (this.blocks > maxBlocks) throw new UnreadableDocument(`has more than ${maxBlocks} blocks`);
      yield* items.filter((block) => !block.in_trash && !block.archived);
    }
  }

  private async section(block: NotionBlock, path: readonly string[]): Promise<string> {
    const own: BlockContent = content.safeParse(block[block.type]).data ?? {};
    if (block.type === 'table') return this.table(block);
    if (block.type === 'synced_block' && own.synced_from?.block_id) return this.synced(own.synced_from.block_id, path);
    const text = textOf(block.type, own);
    if (!block.has_children || isOwnDocument(block)) return text;
    const below = await this.below(block.id, [...path, block.id]);
    if (listItems.has(block.type)) return `${text}\n${prefixed(below, '  ')}`;
    const nested = block.type === 'callout' || block.type === 'quote' ? prefixed(below, '> ') : below;
    return [text, nested].filter(Boolean).join('\n\n');
  }

  /** The original of a synced block. Skipped if it is on a page that is not shared with the integration. */
  private async synced(original: string, path: readonly string[]): Promise<string> {
    if (path.includes(original)) return '';
    try {
      return await this.below(original, [...path, original]);
    } catch (error) {
      if (isSourceFault(error, 'missing')) return '';
      throw error;
    }
  }

  private async table({ id }: NotionBlock): Promise<string> {
    const lines: string[] = [];
    for await (const row of this.children(id)) {
      const cells = content.safeParse(row[row.type]).data?.cells ?? [];
      if (!cells.length) continue;
      lines.push(`| ${cells.map((cell) => cellText(cell)).join(' | ')} |`);
      if (lines.length === 1) lines.push(`|${' --- |'.repeat(cells.length)}`);
    }
    return lines.join('\n');
  }
}

const cellText = (cell: unknown): string => toSingleLine(markdownOf(richTextIn(cell))).replaceAll('|', '\\|');
const prefixed = (text: string, prefix: string): string => text.replace(/^(?=.)/gm, prefix);

/** The text of a block without the blocks below it. Empty for types without text, such as images without a caption. */
function textOf(type: string, own: BlockContent): string {
  const text = markdownOf(richTextIn(own.rich_text));
  const caption = markdownOf(richTextIn(own.caption));
  if (Object.hasOwn(headings, type)) return text ? `${headings[type]} ${toSingleLine(text)}` : '';
  switch (type) {
    case 'bulleted_list_item':
      return `- ${prefixed(text, '  ').trimStart()}`;
    case 'numbered_list_item':
      return `1. ${prefixed(text, '   ').trimStart()}`;
    case 'to_do':
      return `- [${own.checked ? 'x' : ' '}] ${prefixed(text, '  ').trimStart()}`;
    case 'quote':
    case 'callout':
      return prefixed(text, '> ');
    case 'code':
      return [codeBlock(plainText(richTextIn(own.rich_text)), own.language ?? ''), caption]
        .filter(Boolean)
        .join('\n\n');
    case 'equation':
      return own.expression ? `$$\n${own.expression}\n$$` : '';
    case 'child_page':
    case 'child_database':
      return toSingleLine(own.title ?? '');
    case 'bookmark':
    case 'embed':
    case 'link_preview':
      return own.url ? linkTo(plainText(richTextIn(own.caption)), own.url) : caption;
    default:
      return text || caption;
  }
}

function codeBlock(code: string, language: string): string {
  const longest = (code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${/^[\w+#-]{1,30}$/.test(language) ? language : ''}\n${code}\n${fence}`;
}
