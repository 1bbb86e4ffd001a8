import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';
import { requireSession } from '../sessions.service.js';
import { changeProposed } from './administration.error.js';
import { lockAdministration } from './administration.sql.js';
import type { AdministrationArea } from './administration-area.js';
import type { ChangeKind } from './administration-change.port.js';
import { ChangeKindRegistry } from './change-kind-registry.service.js';
import { ProposedChangeStore } from './proposed-change-store.service.js';
import type { ProposedChange } from './proposed-change.entity.js';
import { TwoPersonArea } from './two-person-area.entity.js';

type SubmitChange<Input, Result> = (principal: Principal, input: Input) => Promise<Result>;

/** Applies changes of administration, or stores them as proposed if a second administrator is required. */
@Injectable()
export class AdministrationService {
  constructor(
    private readonly database: DatabaseService,
    private readonly kinds: ChangeKindRegistry,
    private readonly store: ProposedChangeStore,
  ) {}

  /** Call it once for each kind. Returns the function that makes changes of this kind. */
  register<Input, Result, Prepared = void>(kind: ChangeKind<Input, Result, Prepared>): SubmitChange<Input, Result> {
    this.kinds.register(kind);
    return (principal, input) => this.submit(kind, principal, input);
  }

  async enabledAreas(tx: Tx, tenantId: string): Promise<Set<AdministrationArea>> {
    const rows = await tx.findBy(TwoPersonArea, { tenantId });
    return new Set(rows.map(({ area }) => area));
  }

  /** The product itself (the first start, the demo) has no second administrator and needs none. */
  private async submit<Input, Result, Prepared>(
    kind: ChangeKind<Input, Result, Prepared>,
    principal: Principal,
    input: Input,
  ): Promise<Result> {
    const author = principal.kind === 'system' ? null : requireSession(principal);
    const prepared = (await kind.prepare?.(principal, input)) as Prepared;
    const outcome = await this.database.tenant(principal, async (tx) => {
      await tx.execute(lockAdministration, [principal.tenantId]);
      const proposed = author && (await this.proposeIfRequired(tx, kind, author, input, prepared));
      return proposed
        ? { proposed, result: null }
        : { proposed: null, result: await kind.apply(tx, principal, input, prepared) };
    });
    if (outcome.proposed) throw proposedProblem(outcome.proposed);
    return kind.finish ? kind.finish(principal, outcome.result) : outcome.result;
  }

  private async proposeIfRequired<Input, Result, Prepared>(
    tx: Tx,
    kind: ChangeKind<Input, Result, Prepared>,
    author: Principal & { memberId: string },
    input: Input,
    prepared: Prepared,
  ): Promise<ProposedChange | null> {
    const enabled = await this.enabledAreas(tx, author.tenantId);
    if (!kind.isAlwaysProposed && !enabled.size) return null;
    const description = await kind.describe(tx, author, input, prepared);
    if (!description) return null;
    const areas = description.areas.filter((area) => enabled.has(area));
    if (!kind.isAlwaysProposed && !areas.length) return null;
    return this.store.insert(tx, author, kind.kind, input, { ...description, areas });
  }
}

const proposedProblem = ({ id, title }: ProposedChange) =>
  changeProposed(`"${title}" was proposed. It takes effect when a second administrator confirms it.`, {
    extra: { proposedChangeId: id, title },
  });
