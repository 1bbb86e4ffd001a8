/** Statements that write and delete documents. $1 is the tenant in all of them. */

/** $2 partition, $3 connection, $4 kind, $5 groups */
export const insertPartition = {
  name: 'knowledge.insert-shelf',
  text: `
    insert into shelves (tenant_id, id, connection_id, kind, group_ids, documents, chunks, terms)
    values ($1, $2, $3, $4, $5::uuid[], 0, 0, 0) on conflict do nothing`,
};

/**
 * $1 connection and external id. Serializes writers of one document, because a row that does not exist cannot be
 * locked.
 */
export const lockDocumentName = {
  name: 'knowledge.lock-name',
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
};

/** $2 connection, $3 external id */
export const findDocument = {
  name: 'knowledge.find-document',
  text: `
    select id, shelf_id, chunk_count, term_count
    from documents where tenant_id = $1 and connection_id = $2 and external_id = $3`,
};

export const upsertDocument = {
  name: 'knowledge.upsert-document',
  text: `
    insert into documents (tenant_id, id, connection_id, external_id, kind, title, author, url, media_type, shelf_id, fingerprint,
                           chunk_count, term_count, updated_at, indexed_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, now())
    on conflict (tenant_id, connection_id, external_id) do update
    set kind = $5, title = $6, author = $7, url = $8, media_type = $9, shelf_id = $10, fingerprint = $11,
        chunk_count = $12, term_count = $13, updated_at = $14, indexed_at = now()
    returning id`,
};

export const insertChunks = {
  name: 'knowledge.insert-chunks',
  text: `
    insert into chunks (tenant_id, id, document_id, number, heading, text, unit, starts, ends)
    select $1, id, $2, number - 1, array(select jsonb_array_elements_text(heading)), text, unit, starts, ends
    from unnest($3::uuid[], $4::jsonb[], $5::text[], $6::text[], $7::int[], $8::int[])
         with ordinality as chunk (id, heading, text, unit, starts, ends, number)`,
};

export const insertPostings = {
  name: 'knowledge.insert-postings',
  text: `
    insert into postings (tenant_id, shelf_id, term, chunk_id, weight, length)
    select $1, $2, term, chunk_id, weight, length
    from unnest($3::text[], $4::uuid[], $5::smallint[], $6::smallint[]) as posting (term, chunk_id, weight, length)`,
};

/** $2 document */
export const deletePostings = {
  name: 'knowledge.delete-postings',
  text: `
    delete from postings
    where tenant_id = $1 and chunk_id = any(array(select id from chunks where tenant_id = $1 and document_id = $2))`,
};
export const deleteChunks = {
  name: 'knowledge.delete-chunks',
  text: 'delete from chunks where tenant_id = $1 and document_id = $2',
};
export const deleteDocument = {
  name: 'knowledge.delete-document',
  text: 'delete from documents where tenant_id = $1 and id = $2',
};

/** $2 partition; $3 documents, $4 chunks and $5 terms to add, or to subtract if negative */
export const updatePartitionSize = {
  name: 'knowledge.resize-shelf',
  text: `
    update shelves set documents = documents + $3, chunks = chunks + $4, terms = terms + $5
    where tenant_id = $1 and id = $2`,
};
