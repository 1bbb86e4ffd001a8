import { z } from 'zod';

/*
 * The documents that describe an organization. The one source of their validation, of the JSON Schema for editors and of
 * the types. The limits are those of the mutations that create the same objects.
 */

const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** One line of printable text without spaces around it. */
const line = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => text.trim() === text && !unprintable.test(text), 'must be one line of printable text');
const storable = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'has characters that cannot be stored');
const unique = (list: readonly unknown[]) => new Set(list).size === list.length;
const uniqueList = <T extends z.ZodType>(item: T, maxItems: number) =>
  z.array(item).max(maxItems).refine(unique, 'has the same entry twice');

const slug = z
  .string()
  .regex(
    /^(?!.*__)(?!.*_$)[a-z][a-z0-9_-]{0,23}$/,
    'must start with a letter and contain only a-z, 0-9, "-" and single "_" (not at the end), at most 24 characters',
  );
const stepName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,39}$/,
    'must start with a letter and contain only lowercase letters, digits and hyphens, at most 40 characters',
  );

/** With a prefix, so that no document can name a variable that was not meant for it, such as the key of the server. */
const environmentName = z
  .string()
  .regex(/^SECRET_[A-Z0-9_]{1,120}$/, 'must be the name of an environment variable that starts with SECRET_');

const secret = z
  .strictObject({ fromEnvironment: environmentName })
  .nullable()
  .describe(
    'Where the value comes from if none is stored; a stored value stays. null removes it. Never the value itself.',
  );

const resultAction = z.enum(['ignore', 'mark', 'redact', 'block']);

const group = z
  .strictObject({
    kind: z.literal('group'),
    name: line(80),
    members: uniqueList(z.email({ pattern: z.regexes.unicodeEmail }).max(254), 5000)
      .optional()
      .describe('Email addresses of members. Without this field, the members of the group are not managed by files.'),
  })
  .describe('Members who may use the same configurations, or decide the same approvals.');

const connection = z
  .strictObject({
    kind: z.literal('connection'),
    name: slug.describe('The prefix of its tool names. Never changes.'),
    displayName: line(80).optional().describe('The name that people see. Default: "name".'),
    connector: z.string().min(1).max(40).describe('The id of a connector, such as "mcp". Never changes.'),
    settings: z
      .record(z.string().max(80), z.json())
      .default({})
      .describe('The values of the connector’s fields that are not credentials.'),
    secrets: z.record(z.string().max(80), secret).default({}).describe('Its credentials, by reference.'),
    resultRules: z
      .strictObject({
        secrets: resultAction,
        personalData: resultAction,
        protectedFields: resultAction,
        size: resultAction,
        maxKilobytes: z.int().min(1).max(65_536),
      })
      .nullable()
      .optional()
      .describe('What happens to the results of its tools. null: they are passed on unchanged.'),
  })
  .describe('A configured instance of a connector, called an integration in the console.');

const configuration = z
  .strictObject({
    kind: z.literal('configuration'),
    name: line(80),
    description: storable(2000).default(''),
    connections: uniqueList(slug, 200).default([]).describe('Names of connections.'),
    groups: uniqueList(line(80), 200).default([]).describe('Names of the groups that may use it.'),
    model: slug.nullable().default(null).describe('The name of the connection that provides its model.'),
    unprefixed: z
      .boolean()
      .default(false)
      .describe('Over MCP, the names of tools have no prefix. Needs exactly one connection.'),
  })
  .describe('A bundle of connections and policies, and the groups that may use it.');

const policy = z
  .strictObject({
    kind: z.literal('policy'),
    configuration: line(80).describe('The name of the configuration.'),
    text: storable(128 * 1024).describe(
      'Cedar policies. Groups, agents and members are named: Group::"Support", Agent::"Triage", Member::"ada@example.com".',
    ),
  })
  .describe('The policies of a configuration.');

const approvalStep = z
  .strictObject({
    kind: z.literal('approval-step'),
    name: stepName.describe('The name that policies use in @approval.'),
    tier: z.enum(['confirm', 'review']),
    approvers: line(80).nullable().default(null).describe('The name of a group. null: the administrators.'),
    quorum: z.int().min(1).max(10).default(1),
    position: z.int().min(1).max(100).default(1),
    expiresAfterSeconds: z
      .int()
      .min(60)
      .max(30 * 86_400)
      .default(86_400),
    escalation: z
      .strictObject({
        afterSeconds: z
          .int()
          .min(60)
          .max(30 * 86_400),
        approvers: line(80).nullable().default(null).describe('The name of a group. null: the administrators.'),
      })
      .nullable()
      .default(null),
    decidableInSlack: z.boolean().default(false),
    requiresPasskey: z.boolean().default(false),
    allowsEdit: z.boolean().default(false),
    taskGrantMaxUses: z.int().min(1).max(100).nullable().default(null),
  })
  .describe('Who decides calls that policies send to approval.');

const client = z
  .strictObject({
    kind: z.literal('client'),
    name: line(80),
    description: storable(2000).nullable().default(null),
    logoUrl: z.string().max(2000).nullable().default(null),
    type: z.enum(['public', 'confidential']).describe('Never changes.'),
    isNative: z.boolean().default(false),
    redirectUris: uniqueList(z.string().max(2000), 20),
    target: z.enum(['api', 'mcp']),
    configuration: line(80).nullable().default(null).describe('The name of the configuration of target "mcp".'),
    scopes: uniqueList(z.enum(['api:read', 'api:write']), 2),
    authMethod: z
      .enum(['none', 'client_secret_basic', 'client_secret_post'])
      .optional()
      .describe('Default: "none" for a public client, otherwise "client_secret_basic".'),
    contacts: uniqueList(z.email({ pattern: z.regexes.unicodeEmail }).max(254), 10).default([]),
  })
  .describe('A product that acts for consenting members (OAuth). Its secret is created in the console.');

const amount = z
  .string()
  .regex(
    /^(?!0+(\.0+)?$)\d{1,15}(\.\d{1,6})?$/,
    'must be a decimal number above zero in quotes, such as "25000" or "12.5"',
  );

const budget = z
  .strictObject({
    kind: z.literal('budget'),
    scope: z.enum(['organization', 'group', 'cost_centre']),
    of: line(120)
      .nullable()
      .default(null)
      .describe('The name of the group or cost centre of spend reports. It is created if it does not exist.'),
    counts: z.enum(['all_usage', 'usage_based']).default('all_usage'),
    amountCents: amount.describe('Per calendar month (UTC), in cents.'),
    thresholds: uniqueList(z.int().min(1).max(1000), 10).min(1).default([50, 80, 100]),
  })
  .describe('A monthly spending limit with alerts. Budgets of people are not managed by files.');

export const documentSchemas = {
  group,
  connection,
  configuration,
  'approval-step': approvalStep,
  policy,
  client,
  budget,
} as const;

export const organizationDocumentSchema = z.discriminatedUnion('kind', [
  group,
  connection,
  configuration,
  approvalStep,
  policy,
  client,
  budget,
]);

export type ObjectKind = keyof typeof documentSchemas;
/** In the order in which they are created. */
export const objectKinds = Object.keys(documentSchemas) as ObjectKind[];

export type DocumentOf<Kind extends ObjectKind> = z.output<(typeof documentSchemas)[Kind]>;
export type OrganizationDocument = z.output<typeof organizationDocumentSchema>;

export const maxDocuments = 5000;

/** How people refer to the object: unique among the documents of its kind. */
export function documentName(document: OrganizationDocument): string {
  switch (document.kind) {
    case 'policy':
      return document.configuration;
    case 'budget':
      return [document.scope, document.of, document.counts].filter((part) => part !== null).join('/');
    default:
      return document.name;
  }
}

/** Names that differ only in case or in the Unicode form of a letter look the same, so they name the same object. */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase();

export const documentKey = (kind: ObjectKind, name: string): string => `${kind} ${nameKey(name)}`;

export const keyOf = (document: OrganizationDocument): string => documentKey(document.kind, documentName(document));

/** Fields with their default are left out, and the others come in the order of the schema. */
export function withoutDefaults(document: OrganizationDocument): Record<string, unknown> {
  const schema: { shape: Record<string, z.ZodType> } = documentSchemas[document.kind];
  const values = document as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(schema.shape).flatMap(([name, field]) => {
      const value = values[name];
      if (value === undefined) return [];
      const standard = field.safeParse(undefined);
      const isDefault = standard.success && JSON.stringify(standard.data) === JSON.stringify(value);
      return isDefault ? [] : [[name, value] as const];
    }),
  );
}

/** In files, a text can be in a file of its own. */
export const textReference = z.strictObject({
  fromFile: z
    .string()
    .regex(/^[^/\\\0]{1,200}\.cedar$/, 'must be the name of a .cedar file in the same folder')
    .describe('A file in the same folder.'),
});

/** The JSON Schema for editors, of one document of a file. */
export function documentJsonSchema(): Record<string, unknown> {
  const text = z.union([policy.shape.text, textReference]);
  const inFiles = { ...documentSchemas, policy: policy.extend({ text }) };
  const schema = z.toJSONSchema(z.discriminatedUnion('kind', Object.values(inFiles) as never), { io: 'input' });
  return { ...schema, title: 'Countersign: an object of an organization' };
}
