import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { IsolationError } from '../platform/isolation/isolation.error.js';
import { runWithRetry } from '../platform/isolation/repeated-runs.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import { findOutdatedChunks, findOutdatedDocuments, type OutdatedDocument, setIndexVersion } from './documents.sql.js';
import { listTenantsWithOutdatedDocuments } from './documents.system.sql.js';
import { IndexService, indexVersion } from './index.service.js';
import { scheduleTenantJob } from './tenant-job.js';
import { formatOfMediaType } from './text/document-format.js';
import { languageOf } from './text/detect-language.js';
import type { IndexTerms } from './text/index-terms.js';
import { defaultLanguage } from './text/languages.js';
import { documentTermsJob } from './text/read-document.js';
import { chunksPerTermBatch } from './text/term-batch.js';

const documentsPerBatch = 50;
/** A job ends after this time, so that other jobs get the worker; the next tick continues. */
const maxJobMs = 60_000;

/**
 * After an update that changes the tokenizer, computes the terms of stored documents again from their passages, without
 * requests to the source. Until then, search uses their old terms.
 */
@Injectable()
export class ReindexService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly index: IndexService,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    scheduleTenantJob(this.queue, this.database, {
      name: 'knowledge.reindex',
      actor: 'Index update',
      tickSeconds: 10,
      listTenants: (tx) => tx.run(listTenantsWithOutdatedDocuments, [indexVersion]),
      run: (principal, signal) => this.reindexTenant(principal, signal),
    });
  }

  private async reindexTenant(principal: Principal, signal: AbortSignal): Promise<void> {
    const until = Date.now() + maxJobMs;
    while (Date.now() < until) {
      const documents = await this.database.tenant(principal, (tx) =>
        tx.run(findOutdatedDocuments, [principal.tenantId, indexVersion, documentsPerBatch]),
      );
      if (!documents.length) return;
      for (const document of documents) {
        if (signal.aborted) return;
        if (!(await this.reindex(principal, document))) return;
      }
    }
  }

  /** Returns false if the server is too busy. The next job retries. */
  private async reindex(principal: Principal, document: OutdatedDocument): Promise<boolean> {
    const { tenantId } = principal;
    const chunks = await this.database.tenant(principal, (tx) => tx.run(findOutdatedChunks, [tenantId, document.id]));
    const { title, externalId, mediaType } = document;
    const language = formatOfMediaType(mediaType) === 'code' ? defaultLanguage : languageOf(title, chunks);
    const terms: IndexTerms[] = [];
    try {
      while (terms.length < chunks.length) {
        const next = chunks.slice(terms.length, terms.length + chunksPerTermBatch);
        const outcome = await runWithRetry(documentTermsJob, { title, externalId, language, chunks: next }, tenantId);
        if ('failure' in outcome) return await this.keepOldTerms(principal, document, outcome.failure);
        terms.push(...outcome.output);
      }
    } catch (error) {
      if (error instanceof IsolationError) return false;
      throw error;
    }
    const replaced = chunks.map(({ id }, at) => ({ id, ...terms[at] }));
    await this.database.tenant(principal, (tx) => this.index.replaceTerms(tx, tenantId, document, language, replaced));
    return true;
  }

  /** A document that its worker process cannot tokenize stays searchable with its old terms. */
  private async keepOldTerms(principal: Principal, { id }: OutdatedDocument, failure: string): Promise<true> {
    this.log.warn({ documentId: id, failure }, 'document could not be indexed again and keeps its old terms');
    await this.database.tenant(principal, (tx) =>
      tx.execute(setIndexVersion, [principal.tenantId, id, indexVersion, null, null]),
    );
    return true;
  }
}
