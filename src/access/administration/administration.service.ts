import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';
import { requireMember, requireSession } from '../sessions.service.js';
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
    if (principal.kind !== 'system' && !kind.acceptsTokens) requireSession(principal);
    const checked = (await kind.prepare?.(principal, input)) as Prepared;
    if (kind.prepareToApply) {
      const proposed = await this.inTurn(principal, (tx) =>
        this.proposeIfRequired(tx, kind, principal, input, checked),
      );
      if (proposed) throw proposedProblem(proposed);
    }
    const prepared = kind.prepareToApply ? await kind.prepareToApply(principal, input) : checked;
    const outcome = await this.inTurn(principal, async (tx) => {
      const proposed = await this.proposeIfRequired(tx, kind, principal, input, prepared);
      return proposed
        ? { proposed, result: null }
        : { proposed: null, result: await kind.apply(tx, principal, input, prepared) };
    });
    if (outcome.proposed) throw proposedProblem(outcome.proposed);
    return kind.finish ? kind.finish(principal, outcome.result) : outcome.result;
  }

  /** No other change of administration is made in the meantime. */
  inTurn<T>(principal: Principal, run: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.tenant(principal, async (tx) => {
      await tx.execute(lockAdministration, [principal.tenantId]);
      return run(tx);
    });
  }

  private async proposeIfRequired<Input, Result, Prepared>(
    tx: Tx,
    kind: ChangeKind<Input, Result, Prepared>,
    principal: Principal,
    input: Input,
    prepared: Prepared,
  ): Promise<ProposedChange | null> {
    if (principal.kind === 'system') return null;
    const author = kind.acceptsTokens ? requireMember(principal) : requireSession(principal);
    const isAlwaysProposed = kind.isAlwaysProposed || !author.sessionId;
    const enabled = await this.enabledAreas(tx, author.tenantId);
    if (!isAlwaysProposed && !enabled.size) return null;
    const description = await kind.describe(tx, author, input, prepared);
    if (!description) return null;
    const areas = description.areas.filter((area) => enabled.has(area));
    if (!isAlwaysProposed && !areas.length) return null;
    return this.store.insert(tx, author, kind.kind, input, { ...description, areas });
  }
}

const proposedProblem = ({ id, title, isByToken, areas }: ProposedChange) =>
  changeProposed(
    `"${title}" was proposed. It takes effect when ${confirmerOf(isByToken && !areas.length)} confirms it.`,
    { extra: { proposedChangeId: id, title } },
  );

const confirmerOf = (isOneEnough: boolean) =>
  isOneEnough ? 'an administrator in a session' : 'a second administrator';
