import { z } from 'zod';

const text = z.string().nullish();
const id = z.string().regex(/^[0-9a-f-]{32,36}$/i);

export const notionRichText = z.object({
  plain_text: z.string(),
  href: text,
  type: text,
  equation: z.object({ expression: z.string() }).nullish(),
  annotations: z.object({ code: z.boolean().nullish() }).nullish(),
});
export type NotionRichText = z.infer<typeof notionRichText>;

/** Only the id of the type that `type` names is present. Data source parents also name their database. */
const parent = z.object({
  type: z.string(),
  page_id: z.string().nullish(),
  block_id: z.string().nullish(),
  database_id: z.string().nullish(),
  data_source_id: z.string().nullish(),
});
export type NotionParent = z.infer<typeof parent>;

const common = {
  id,
  parent,
  url: text,
  last_edited_time: z.iso.datetime({ offset: true }),
  in_trash: z.boolean().nullish(),
  archived: z.boolean().nullish(),
  created_by: z.object({ id: z.string() }).nullish(),
};

/** A value of a database row: `type` names the field with the value. */
export const notionProperty = z.looseObject({ type: z.string() });
export type NotionProperty = z.infer<typeof notionProperty>;

export const notionPage = z.object({
  object: z.literal('page'),
  ...common,
  properties: z.record(z.string(), notionProperty),
});
export type NotionPage = z.infer<typeof notionPage>;

/** The table of a database. A database has one or more. */
export const notionDataSource = z.object({
  object: z.literal('data_source'),
  ...common,
  /** Where its database is. */
  database_parent: parent.nullish(),
  title: z.array(notionRichText),
  description: z.array(notionRichText).nullish(),
  properties: z.record(z.string(), z.unknown()),
});
export type NotionDataSource = z.infer<typeof notionDataSource>;

export const notionItem = z.discriminatedUnion('object', [notionPage, notionDataSource]);
export type NotionItem = z.infer<typeof notionItem>;

/** A block: `type` names the field with its content. */
export const notionBlock = z.looseObject({
  id,
  type: z.string(),
  has_children: z.boolean(),
  in_trash: z.boolean().nullish(),
  archived: z.boolean().nullish(),
});
export type NotionBlock = z.infer<typeof notionBlock>;

export const notionComment = z.object({
  id: z.string(),
  created_time: z.string(),
  created_by: z.object({ id: z.string() }).nullish(),
  rich_text: z.array(notionRichText),
});

export const notionParentBlock = z.object({ parent });
export const notionBot = z.object({ bot: z.object({ workspace_name: text }).nullish() });
export const notionUser = z.object({ id: z.string(), name: text });

export const notionList = <T extends z.ZodType>(item: T) =>
  z.object({
    results: z.array(item),
    has_more: z.boolean(),
    next_cursor: text,
    /** Present if the list ends early. */
    request_status: z.object({ type: z.string() }).nullish(),
  });
