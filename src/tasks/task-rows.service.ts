import { Injectable } from '@nestjs/common';
import type { TranscriptItem } from '../agent/agent-model.service.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import { Database } from '../platform/database/database.service.js';
import { Gather } from '../platform/database/gather.js';
import { LeaseLost, type TaskLease } from './task-lease.js';
import { type Advance, type Advanced, advanceTasks, readTranscripts, type TaskAdvance } from './tasks.sql.js';
import { fromRow } from './transcript.js';

export type RunConfiguration = { isPaused: boolean; modelConnectionId: string | null };
type Sought = { tenantId: string; id: string };

/** What runs read and write, those of one process together: a busy one has many tasks at the same step. */
@Injectable()
export class TaskRows {
  private readonly reading = new Gather<Sought, TranscriptItem[]>(async (tenantId, tasks) => {
    const transcripts = await readTranscripts(
      this.database.app,
      tenantId,
      tasks.map(({ id }) => id),
    );
    return transcripts.map((rows) => rows.map(fromRow));
  });
  private readonly writing = new Gather<TaskAdvance, Advanced | null>((tenantId, advances) =>
    advanceTasks(this.database.app, tenantId, advances),
  );
  private readonly looking = new Gather<Sought, RunConfiguration | null>((tenantId, sought) =>
    this.look(tenantId, sought),
  );

  constructor(
    private readonly database: Database,
    private readonly configurations: ConfigurationsService,
  ) {}

  transcript({ tenantId, id }: TaskLease): Promise<TranscriptItem[]> {
    return this.reading.ask({ tenantId, id });
  }

  /** Null: there is no such configuration any more. */
  configuration({ tenantId, configurationId: id }: TaskLease): Promise<RunConfiguration | null> {
    return this.looking.ask({ tenantId, id });
  }

  /** Throws LeaseLost, with nothing written, when the task is somebody else's by now. */
  async advance({ tenantId, id, leaseEpoch }: TaskLease, advance: Advance): Promise<Advanced> {
    const advanced = await this.writing.ask({ tenantId, id, leaseEpoch, advance });
    if (!advanced) throw new LeaseLost(id);
    return advanced;
  }

  private look(tenantId: string, sought: Sought[]): Promise<(RunConfiguration | null)[]> {
    const found = new Map<string, RunConfiguration | null>();
    return this.database.tenant({ tenantId }, async (tx) => {
      for (const id of new Set(sought.map((one) => one.id))) {
        const bundle = await this.configurations.bundle(tx, tenantId, id);
        const { pausedAt, modelConnectionId } = bundle?.configuration ?? {};
        found.set(id, bundle && { isPaused: Boolean(pausedAt), modelConnectionId: modelConnectionId ?? null });
      }
      return sought.map(({ id }) => found.get(id) ?? null);
    });
  }
}
