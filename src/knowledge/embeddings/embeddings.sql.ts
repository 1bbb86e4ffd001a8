import { statement } from '../../platform/database/statement.js';

const thisMonth = `date_trunc('month', now() at time zone 'UTC')::date`;

export interface EmbeddingSpace {
  id: string;
  connectionId: string;
  model: string;
  passagePrefix: string;
  /** null until the first response */
  dimensions: number | null;
}
/** Longer than the pause, the wait and the two attempts of a request, so that no other process embeds the same passages. */
const lease = `interval '5 minutes'`;
const spaceColumns = `id, connection_id as "connectionId", model, passage_prefix as "passagePrefix", dimensions`;

/** Creates the space of a connection. Does nothing if it exists. */
export const insertSpace = statement<
  [tenantId: string, id: string, connectionId: string, model: string, passagePrefix: string]
>(`
  insert into embedding_spaces (tenant_id, id, connection_id, model, passage_prefix)
  values ($1, $2, $3, $4, $5) on conflict do nothing`);

/** Returns no row if another process has claimed the space, or if it is not due. */
export const claimSpace = statement<[tenantId: string, id: string], EmbeddingSpace>(`
  update embedding_spaces set running_until = now() + ${lease}
  where tenant_id = $1 and id = $2 and due_at <= now() and (running_until is null or running_until < now())
  returning ${spaceColumns}`);

export const renewSpace = statement<[tenantId: string, id: string]>(`
  update embedding_spaces set running_until = now() + ${lease} where tenant_id = $1 and id = $2`);

export const releaseSpace = statement<[tenantId: string, id: string]>(`
  update embedding_spaces set running_until = null, failure = null, failures = 0 where tenant_id = $1 and id = $2`);

/** Retries with exponential backoff: 30 s, 1 min, … 1 h, but not before `waitSeconds`. */
export const failSpace = statement<[tenantId: string, id: string, failure: string, waitSeconds: number]>(`
  update embedding_spaces
  set running_until = null, failure = $3, failures = failures + 1,
      due_at = now() + greatest($4, least(30 * 2 ^ least(failures, 7), 3600)) * interval '1 second'
  where tenant_id = $1 and id = $2`);

export const setDimensions = statement<[tenantId: string, id: string, dimensions: number]>(`
  update embedding_spaces set dimensions = $3 where tenant_id = $1 and id = $2 and dimensions is null`);

export const findSpace = statement<[tenantId: string, id: string], EmbeddingSpace>(
  `select ${spaceColumns} from embedding_spaces where tenant_id = $1 and id = $2 and dimensions is not null`,
  { name: 'knowledge.find-space' },
);

/** Documents with passages that may have no vectors in a space, in no particular order. */
export const findDocumentsToEmbed = statement<
  [tenantId: string, spaceId: string, limit: number],
  { id: string; title: string; indexedAt: Date }
>(`
  select id, title, indexed_at as "indexedAt" from (
    (select id, title, indexed_at from documents where tenant_id = $1 and embedded_space_id is null limit $3)
    union all (select id, title, indexed_at from documents where tenant_id = $1 and embedded_space_id < $2 limit $3)
    union all (select id, title, indexed_at from documents where tenant_id = $1 and embedded_space_id > $2 limit $3)
  ) outdated
  limit $3`);

export interface PassageToEmbed {
  id: string;
  documentId: string;
  heading: string[];
  text: string;
}
export const findPassagesToEmbed = statement<
  [tenantId: string, spaceId: string, documentIds: readonly string[], limit: number],
  PassageToEmbed
>(`
  select c.id, c.document_id as "documentId", c.heading, c.text
  from chunks c
  where c.tenant_id = $1 and c.document_id = any($3::uuid[])
    and not exists (select 1 from passage_vectors v where v.tenant_id = $1 and v.chunk_id = c.id and v.space_id = $2)
  limit $4`);

/**
 * Locks the documents, so that their passages are not replaced. Skips documents that another transaction is replacing:
 * waiting for them in no fixed order could cause a deadlock.
 */
export const lockDocuments = statement<[tenantId: string, ids: readonly string[]], { id: string }>(
  'select id from documents where tenant_id = $1 and id = any($2::uuid[]) for share skip locked',
);

/** `bits` is null if the model cannot embed the passage. Ignores passages that no longer exist. */
export const insertVectors = statement<
  [
    tenantId: string,
    spaceId: string,
    documentIds: readonly string[],
    chunkIds: readonly string[],
    bits: readonly (string | null)[],
    vectors: readonly Buffer[],
  ]
>(`
  insert into passage_vectors (tenant_id, partition_id, space_id, chunk_id, bits, vector)
  select $1, d.partition_id, $2, c.id, own.bits::bit varying, own.vector
  from unnest($4::uuid[], $5::text[], $6::bytea[]) own (chunk_id, bits, vector)
  join chunks c on c.tenant_id = $1 and c.id = own.chunk_id
  join documents d on d.tenant_id = $1 and d.id = c.document_id and d.id = any($3::uuid[])
  on conflict do nothing`);

/** Ignores documents that have been indexed again since `indexedAt`. */
export const markEmbedded = statement<
  [tenantId: string, spaceId: string, ids: readonly string[], indexedAt: readonly Date[]]
>(`
  update documents d set embedded_space_id = $2
  from unnest($3::uuid[], $4::timestamptz[]) own (id, indexed_at)
  where d.tenant_id = $1 and d.id = own.id and date_trunc('milliseconds', d.indexed_at) = own.indexed_at`);

/** Spaces of removed models, and spaces for earlier settings of the current model. Spaces of paused models are not listed. */
export const listUnusedSpaces = statement<[tenantId: string, usedId: string | null], { id: string }>(`
  select s.id from embedding_spaces s join connections c on c.tenant_id = s.tenant_id and c.id = s.connection_id
  where s.tenant_id = $1 and s.id is distinct from $2
    and (c.removed_at is not null or s.connection_id = (select connection_id from embedding_spaces where tenant_id = $1 and id = $2))`);
export const deleteSpaceVectors = statement<[tenantId: string, spaceId: string, limit: number]>(`
  delete from passage_vectors where tenant_id = $1 and (partition_id, space_id, chunk_id) in (
    select partition_id, space_id, chunk_id from passage_vectors where tenant_id = $1 and space_id = $2 limit $3)`);
export const deleteSpace = statement<[tenantId: string, id: string]>(
  'delete from embedding_spaces where tenant_id = $1 and id = $2',
);

export const addEmbeddingUsage = statement<[tenantId: string, connectionId: string, requests: number, tokens: number]>(`
  insert into embedding_usage as u (tenant_id, connection_id, month, requests, tokens)
  values ($1, $2, ${thisMonth}, $3, $4)
  on conflict (tenant_id, connection_id, month) do update set requests = u.requests + $3, tokens = u.tokens + $4`);

export const tokensThisMonth = statement<[tenantId: string, connectionId: string], { tokens: number }>(
  `select tokens::float8 as tokens from embedding_usage where tenant_id = $1 and connection_id = $2 and month = ${thisMonth}`,
  { name: 'knowledge.embedding-tokens' },
);

export interface EmbeddingProgress {
  dimensions: number | null;
  failure: string | null;
  embeddedDocuments: number;
  documents: number;
  tokensThisMonth: number;
}
/** Returns a row even if the space does not exist yet. */
export const readEmbeddingProgress = statement<
  [tenantId: string, spaceId: string, connectionId: string],
  EmbeddingProgress
>(
  `
  select (select dimensions from embedding_spaces where tenant_id = $1 and id = $2) as dimensions,
         (select failure from embedding_spaces where tenant_id = $1 and id = $2) as failure,
         (select count(*)::int from documents where tenant_id = $1 and embedded_space_id = $2) as "embeddedDocuments",
         (select count(*)::int from documents where tenant_id = $1) as documents,
         coalesce((select sum(tokens)::float8 from embedding_usage
                   where tenant_id = $1 and connection_id = $3 and month = ${thisMonth}), 0) as "tokensThisMonth"`,
  { neverNull: ['embeddedDocuments', 'documents', 'tokensThisMonth'] },
);
