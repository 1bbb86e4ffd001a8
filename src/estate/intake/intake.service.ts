import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../principal/principal.js';
import { Judging } from '../findings/judging/judging.service.js';
import { parserVersion } from '../parsing/parse.js';
import { Fingerprints, type Fingerprinting } from '../redaction/fingerprints.service.js';
import { nothingTaken, type FoundFile, type Taken } from './found-file.js';
import { knownFiles, missingFiles } from './intake.sql.js';
import { readFile, recognize, type Recognized } from './read-file.js';
import { type MissingFile, type ReadFile, Writing } from './writing.js';

interface Known {
  id: string;
  digest: string;
  parser: number;
  version: number;
  goneAt: Date | null;
}
export interface TakenFiles extends Taken {
  /** Rows of the files that were met, changed or not. */
  metIds: string[];
  /** By their number among those that were found. */
  skipped: { index: number; reason: string }[];
}

/**
 * Takes over what sources show, in the transaction of its caller: files, what they declare, and how that changed. It is judged
 * as soon as that is committed.
 */
@Injectable()
export class Intake {
  constructor(
    private readonly fingerprints: Fingerprints,
    private readonly judging: Judging,
  ) {}

  /** Some files of a source. The same ones again change nothing but when they were seen. */
  async take(
    tx: EntityManager,
    principal: Principal,
    sourceId: string,
    files: readonly FoundFile[],
  ): Promise<TakenFiles> {
    const fingerprinting = await this.fingerprints.of(tx, principal);
    const { recognized, skipped } = recognizeAll(sourceId, files, fingerprinting);
    const metIds = recognized.map(({ id }) => id);
    const known = new Map(
      (await tx.query<Known[]>(knownFiles, [principal.tenantId, metIds])).map((file) => [file.id, file]),
    );
    const isAsItWas = ({ id, digest }: Recognized) => {
      const file = known.get(id);
      return file?.digest === digest && file.parser === parserVersion && !file.goneAt;
    };
    const write = new Writing(tx, principal.tenantId, sourceId);
    await write.touch(recognized.filter(isAsItWas));
    const read = recognized
      .filter((file) => !isAsItWas(file))
      .map((file) => readAgainst(file, known.get(file.id), fingerprinting));
    await write.write(read);
    await this.judge(
      tx,
      principal,
      read.map(({ id }) => id),
    );
    const added = read.filter(({ id }) => !known.has(id)).length;
    const changed = read.filter(({ isNews }) => isNews).length - added;
    return { ...nothingTaken(), added, changed, unchanged: recognized.length - added - changed, metIds, skipped };
  }

  /** What a source has no more, once it has shown everything. Of what lies below `closed` nothing is known. */
  async withdraw(
    tx: EntityManager,
    principal: Principal,
    sourceId: string,
    metIds: readonly string[],
    closed: readonly string[] = [],
  ): Promise<number> {
    const missing = await tx.query<MissingFile[]>(missingFiles, [principal.tenantId, sourceId, metIds, closed]);
    await new Writing(tx, principal.tenantId, sourceId).withdraw(missing);
    await this.judge(
      tx,
      principal,
      missing.map(({ id }) => id),
    );
    return missing.length;
  }

  private async judge(tx: EntityManager, principal: Principal, fileIds: readonly string[]): Promise<void> {
    if (fileIds.length) await this.judging.ask(tx, principal);
  }
}

function recognizeAll(sourceId: string, files: readonly FoundFile[], fingerprinting: Fingerprinting) {
  const byId = new Map<string, Recognized>();
  const skipped: { index: number; reason: string }[] = [];
  files.forEach((file, index) => {
    const recognized = recognize(sourceId, file, fingerprinting);
    if (typeof recognized === 'string') skipped.push({ index, reason: recognized });
    else if (byId.has(recognized.id)) skipped.push({ index, reason: 'stands there twice; the first one counts' });
    else byId.set(recognized.id, recognized);
  });
  return { recognized: [...byId.values()], skipped };
}

/** A newer parser that reads the same bytes makes no version. */
function readAgainst(file: Recognized, known: Known | undefined, fingerprinting: Fingerprinting): ReadFile {
  const isNews = !known || known.digest !== file.digest || known.goneAt !== null;
  return { ...file, parsed: readFile(file, fingerprinting), version: (known?.version ?? 0) + (isNews ? 1 : 0), isNews };
}
