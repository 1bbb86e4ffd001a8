import { z } from 'zod';
import { toSingleLine } from '../../platform/text/quote-external-text.js';
import { notionRichText, type NotionProperty, type NotionRichText } from './notion-wire.js';

const richTexts = z.array(notionRichText);

/** The rich text in this value, or none if it has another form. */
export function richTextIn(value: unknown): NotionRichText[] {
  const read = richTexts.safeParse(value);
  return read.success ? read.data : [];
}

export const plainText = (parts: readonly NotionRichText[]): string => parts.map((part) => part.plain_text).join('');

/** Rich text as Markdown: code, equations and links. Other styles do not matter for searching. */
export function markdownOf(parts: readonly NotionRichText[]): string {
  return parts
    .map(({ plain_text: text, href, type, equation, annotations }) => {
      if (type === 'equation' && equation) return `$${equation.expression}$`;
      if (annotations?.code && !text.includes('`')) return `\`${text}\``;
      return href ? linkTo(text, href) : text;
    })
    .join('');
}

/** A Markdown link, or only the text if the address is not of the web. */
export function linkTo(text: string, href: string): string {
  const label = toSingleLine(text).replace(/[[\]\\]/g, '\\$&');
  if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return label;
  const { href: address } = new URL(href);
  return `[${label || address}](${address.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}

const name = z.object({ name: z.string() });
const names = z.array(z.object({ name: z.string().nullish() }));
const date = z.object({ start: z.string(), end: z.string().nullish() });
const uniqueId = z.object({ prefix: z.string().nullish(), number: z.number().nullish() });

/** The value of a property of a database row as one line. Empty if it has none, or none that people read. */
export function propertyText(property: NotionProperty): string {
  const { type } = property;
  const value = property[type];
  if (value === null || value === undefined) return '';
  switch (type) {
    case 'rich_text':
      return plainText(richTextIn(value));
    case 'select':
    case 'status':
    case 'created_by':
    case 'last_edited_by':
      return name.safeParse(value).data?.name ?? '';
    case 'multi_select':
    case 'people':
    case 'files':
      return (names.safeParse(value).data ?? []).flatMap((one) => one.name ?? []).join(', ');
    case 'date': {
      const read = date.safeParse(value).data;
      return read ? [read.start, read.end].filter(Boolean).join(' to ') : '';
    }
    case 'checkbox':
      return value === true ? 'yes' : 'no';
    case 'unique_id': {
      const { prefix, number } = uniqueId.safeParse(value).data ?? {};
      return [prefix, number].filter((part) => part !== null && part !== undefined).join('-');
    }
    case 'formula':
    case 'rollup':
      return computedText(value);
    case 'number':
    case 'url':
    case 'email':
    case 'phone_number':
    case 'created_time':
      return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    default:
      return '';
  }
}

const computed = z.looseObject({ type: z.string() });

/** The result of a formula or rollup: a value of its own type, or several of them. */
function computedText(value: unknown): string {
  const result = computed.safeParse(value).data;
  if (!result) return '';
  const inner = result[result.type];
  if (result.type === 'string' || result.type === 'boolean' || result.type === 'number')
    return inner === null || inner === undefined ? '' : String(inner as string | boolean | number);
  if (result.type === 'array' && Array.isArray(inner))
    return inner
      .map((one) => computed.safeParse(one).data)
      .map((one) => (one && !['formula', 'rollup'].includes(one.type) ? propertyText(one) : ''))
      .filter(Boolean)
      .join(', ');
  return result.type === 'date' ? propertyText(result) : '';
}
