import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import type { FatalFailure } from '../../platform/isolation/isolation.error.js';
import { runInBatches } from '../../platform/isolation/repeated-runs.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { MetricsService } from '../../platform/telemetry/metrics.service.js';
import type { Principal } from '../../principal/principal.js';
import { FindingEvaluationService } from '../findings/evaluation/finding-evaluation.service.js';
import type { ParsedFile } from '../configuration-file.js';
import { maxFileBytes, parserVersion, quarantinedFile, tooLargeFile, unreadableFile } from '../parsing/parse.js';
import { FingerprintService, type Fingerprinter } from '../redaction/fingerprint.service.js';
import { emptyIntakeCounts, type CollectedFile, type IntakeCounts } from './collected-file.js';
import { selectStoredFiles, type StoredFile, lockStoredFiles, lockMissingFiles } from './intake.sql.js';
import { parseFilesJob } from './parse-files.js';
import type { FileParseResult } from './parse-files.isolated.js';
import { recognizeFile, type RecognizedFile } from './recognize-file.js';
import { type FileVersion, IntakeWriter } from './intake-writer.js';

interface SkippedFile {
  /** Position among the collected files. */
  index: number;
  reason: string;
}
export interface IntakeResult extends IntakeCounts {
  /** Row ids of all collected files, changed or not. */
  metIds: string[];
  skipped: SkippedFile[];
}
/** Files of a source. Only new and changed files are parsed. */
export interface ParsedFiles {
  sourceId: string;
  recognized: RecognizedFile[];
  parsed: Map<string, ParsedFile>;
  /** Files that this run quarantined. */
  quarantined: Set<string>;
  /** Files that were not parsed because other files of their source used too many resources. */
  postponed: Set<string>;
  skipped: SkippedFile[];
}

/** Stored files changed during parsing. */
class FilesChangedMeanwhile extends Error {}

const maxStoreAttempts = 5;
const batching = {
  maxInputs: 100,
  maxBytes: 2 * maxFileBytes,
  bytesOf: ({ bytes }: { bytes: Uint8Array }) => bytes.length,
  maxFailures: 5,
};

/**
 * Stores the files of a source, their entries and their versions. Worker processes parse and redact each file and try
 * all rules on it before anything is stored. A file that crashes two workers is quarantined.
 */
@Injectable()
export class IntakeService {
  /** Tests replace it with a parser that fails. */
  parseJob = parseFilesJob;

  constructor(
    private readonly database: DatabaseService,
    private readonly fingerprint: FingerprintService,
    private readonly findingEvaluation: FindingEvaluationService,
    private readonly audit: AuditService,
    private readonly log: LogService,
    private readonly metrics: MetricsService,
  ) {}

  /** Parses files, then stores them in the caller's transaction. Repeats both if stored files changed meanwhile. */
  async parseAndStore<Result>(
    principal: Principal,
    sourceId: string,
    files: readonly CollectedFile[],
    store: (files: ParsedFiles) => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++)
      try {
        return await store(await this.parse(principal, sourceId, files));
      } catch (error) {
        if (!(error instanceof FilesChangedMeanwhile) || attempt === maxStoreAttempts) throw error;
      }
  }

  /** Stores the files of a source. Unchanged files only update when they were last seen. */
  async storeFiles(tx: Tx, principal: Principal, files: ParsedFiles): Promise<IntakeResult> {
    const { sourceId, recognized, parsed, postponed } = files;
    const metIds = recognized.map(({ id }) => id);
    const known = await loadStoredFiles(tx, principal, lockStoredFiles, metIds);
    const matchesStored = (file: RecognizedFile) => isUnchanged(file, known.get(file.id));
    const write = new IntakeWriter(tx, principal.tenantId, sourceId);
    await write.touch(recognized.filter(matchesStored));
    const read = recognized
      .filter((file) => !matchesStored(file) && !postponed.has(file.id))
      .map((file) => toFileVersion(file, parsed.get(file.id), known.get(file.id)));
    await write.store(read);
    await this.requestEvaluation(
      tx,
      principal,
      read.map(({ id }) => id),
    );
    for (const file of read) if (files.quarantined.has(file.id)) await this.recordQuarantine(tx, principal, file);
    const added = read.filter(({ id }) => !known.has(id)).length;
    const changed = read.filter(({ isNewVersion }) => isNewVersion).length - added;
    const unchanged = recognized.length - added - changed - postponed.size;
    return { ...emptyIntakeCounts(), added, changed, unchanged, metIds, skipped: files.skipped };
  }

  private async parse(principal: Principal, sourceId: string, files: readonly CollectedFile[]): Promise<ParsedFiles> {
    const { fingerprinting, recognized, skipped, known } = await this.database.tenant(principal, async (tx) => {
      const fingerprinting = await this.fingerprint.forTenant(tx, principal);
      const all = recognizeAll(sourceId, files, fingerprinting);
      const ids = all.recognized.map(({ id }) => id);
      return { ...all, fingerprinting, known: await loadStoredFiles(tx, principal, selectStoredFiles, ids) };
    });
    const parsed = new Map<string, ParsedFile>();
    const toParse: { file: RecognizedFile; bytes: Uint8Array }[] = [];
    for (const file of recognized) {
      const before = known.get(file.id);
      if (isUnchanged(file, before)) continue;
      const { bytes, reason } = file.found;
      if (isSameContent(file, before) && before?.status === 'quarantined')
        parsed.set(file.id, quarantinedFile(file.known, before.problems));
      else if (!bytes) parsed.set(file.id, unreadableFile(file.known, reason ?? 'could not be read'));
      else if (bytes.length > maxFileBytes) parsed.set(file.id, tooLargeFile(file.known));
      else toParse.push({ file, bytes });
    }
    const inputs = toParse.map(({ file: { path, known, found }, bytes }) => ({
      ...{ path, known, bytes, isRedacted: found.isRedacted },
    }));
    const outcomes = await runInBatches(this.parseJob, inputs, principal.tenantId, batching);
    const postponed = new Set<string>();
    const dangerous = new Set<string>();
    outcomes.forEach((outcome, index) => {
      const { file } = toParse[index];
      if ('output' in outcome) parsed.set(file.id, this.withFingerprints(file, outcome.output, fingerprinting));
      else if ('isPostponed' in outcome) postponed.add(file.id);
      else {
        parsed.set(file.id, quarantinedFile(file.known, [{ place: '', reason: reasons[outcome.failure] }]));
        dangerous.add(file.id);
      }
    });
    for (const { id, index } of recognized)
      if (postponed.has(id))
        skipped.push({
          index,
          reason:
            'is postponed to the next upload or scan: the server is busy, or other files of this source used too many resources',
        });
    return { sourceId, recognized, parsed, quarantined: dangerous, postponed, skipped };
  }

  private withFingerprints(
    { id }: RecognizedFile,
    { parsed, secrets, error }: FileParseResult,
    fingerprinting: Fingerprinter,
  ): ParsedFile {
    if (error) this.log.error({ fileId: id, error }, 'parser failed on a configuration file');
    const fingerprints = secrets.map((secret) => fingerprinting.secret(secret));
    return {
      ...parsed,
      entries: parsed.entries.map((entry) => ({
        ...entry,
        secrets: entry.secrets.map((secret) => ({ ...secret, fingerprint: fingerprints[Number(secret.fingerprint)] })),
      })),
    };
  }

  private async recordQuarantine(
    tx: Tx,
    principal: Principal,
    { id, path, digest, parsed }: FileVersion,
  ): Promise<void> {
    const [{ reason }] = parsed.problems;
    this.metrics.quarantined.inc({ kind: 'estate_file' });
    this.log.warn({ tenantId: principal.tenantId, fileId: id, digest, reason }, 'quarantined a configuration file');
    await this.audit.record(tx, principal, {
      kind: 'estate.file_quarantined',
      subject: { type: 'estate_file', id, name: path },
      detail: { reason, digest },
    });
  }

  /** Marks files as gone that a complete intake did not contain, except below `unreadableFolders`. */
  async markMissing(
    tx: Tx,
    principal: Principal,
    sourceId: string,
    metIds: readonly string[],
    unreadableFolders: readonly string[] = [],
  ): Promise<number> {
    const missing = await tx.run(lockMissingFiles, [principal.tenantId, sourceId, metIds, unreadableFolders]);
    await new IntakeWriter(tx, principal.tenantId, sourceId).markMissing(missing);
    await this.requestEvaluation(
      tx,
      principal,
      missing.map(({ id }) => id),
    );
    return missing.length;
  }

  private async requestEvaluation(tx: Tx, principal: Principal, fileIds: readonly string[]): Promise<void> {
    if (fileIds.length) await this.findingEvaluation.requestEvaluation(tx, principal);
  }
}

/** Shown for a file that crashed two worker processes. */
const reasons: Record<FatalFailure, string> = {
  'cpu-time': 'is quarantined: it takes too much processor time to read',
  memory: 'is quarantined: it takes too much memory to read',
  crashed: 'is quarantined: reading it ends the process',
};

async function loadStoredFiles(
  tx: Tx,
  { tenantId }: Principal,
  statement: typeof selectStoredFiles,
  ids: readonly string[],
): Promise<Map<string, StoredFile>> {
  return new Map((await tx.run(statement, [tenantId, ids])).map((file) => [file.id, file]));
}

const isSameContent = ({ digest }: RecognizedFile, known: StoredFile | undefined): boolean => known?.digest === digest;

/**
 * A quarantined file stays quarantined until its content changes or an administrator retries it, even with a newer
 * parser.
 */
const isUnchanged = (file: RecognizedFile, known: StoredFile | undefined): boolean =>
  known !== undefined &&
  isSameContent(file, known) &&
  (known.parser === parserVersion || known.status === 'quarantined') &&
  !known.goneAt;

function recognizeAll(sourceId: string, files: readonly CollectedFile[], fingerprinting: Fingerprinter) {
  const byId = new Map<string, RecognizedFile>();
  const skipped: SkippedFile[] = [];
  files.forEach((file, index) => {
    const recognized = recognizeFile(sourceId, file, index, fingerprinting);
    if (typeof recognized === 'string') skipped.push({ index, reason: recognized });
    else if (byId.has(recognized.id)) skipped.push({ index, reason: 'is listed twice; only the first one is used' });
    else byId.set(recognized.id, recognized);
  });
  return { recognized: [...byId.values()], skipped };
}

const isQuarantineChanged = (known: StoredFile, parsed: ParsedFile): boolean =>
  (known.status === 'quarantined') !== (parsed.status === 'quarantined');

/** A newer parser that reads the same bytes does not create a new version. */
function toFileVersion(
  file: RecognizedFile,
  parsed: ParsedFile | undefined,
  known: StoredFile | undefined,
): FileVersion {
  if (!parsed) throw new FilesChangedMeanwhile();
  const isNewVersion =
    !known || known.digest !== file.digest || known.goneAt !== null || isQuarantineChanged(known, parsed);
  return { ...file, parsed, version: (known?.version ?? 0) + (isNewVersion ? 1 : 0), isNewVersion };
}
