import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/tx.js';
import type { Member } from '../member.entity.js';
import type { AdministrationArea } from './administration-area.js';

/** A right that a suspended member has again once they are reactivated. */
interface RestoredRight {
  area: AdministrationArea;
  /** "Override pending approvals". */
  text: string;
}
type RestoredRightCheck = (tx: Tx, member: Member) => Promise<RestoredRight | null>;

/** Tells which rights of other modules a member gets back when a suspension ends. */
@Injectable()
export class RestoredRightsRegistry {
  private readonly checks: RestoredRightCheck[] = [];

  /** Call in `onModuleInit`. */
  register(check: RestoredRightCheck): void {
    this.checks.push(check);
  }

  async list(tx: Tx, member: Member): Promise<RestoredRight[]> {
    const rights: RestoredRight[] = [];
    for (const check of this.checks) {
      const right = await check(tx, member);
      if (right) rights.push(right);
    }
    return rights;
  }
}
