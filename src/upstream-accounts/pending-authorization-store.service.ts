import { Injectable } from '@nestjs/common';
import type { Connection } from '../connections/connection.entity.js';
import { sha256 } from '../platform/crypto/digest.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import { AccountSealingService, type PendingAuthorization } from './account-sealing.service.js';
import { consumePendingAuthorization, storePendingAuthorization } from './authorizations.sql.js';

const authorizationLifetimeSeconds = 10 * 60;

type SignedInPerson = Principal & { memberId: string; sessionId: string };

/** Sign-ins in progress: the person is at the authorization server and returns to the same session, once. */
@Injectable()
export class PendingAuthorizationStore {
  constructor(
    private readonly database: DatabaseService,
    private readonly accountSealing: AccountSealingService,
  ) {}

  /** Replaces an earlier one of the same person. */
  async store(
    person: SignedInPerson,
    { id }: Connection,
    state: string,
    authorization: PendingAuthorization,
  ): Promise<void> {
    const { tenantId, memberId, sessionId } = person;
    const sealed = this.accountSealing.authorizations.seal(authorization, `${id}/${memberId}`);
    await this.database.tenant(person, (tx) =>
      tx.execute(storePendingAuthorization, [
        tenantId,
        id,
        memberId,
        sessionId,
        sha256(state),
        sealed,
        authorizationLifetimeSeconds,
      ]),
    );
  }

  /** Null if there is none with this state, in this session and in time. */
  async consume(person: SignedInPerson, connectionId: string, state: string): Promise<PendingAuthorization | null> {
    const { tenantId, memberId, sessionId } = person;
    const row = await this.database.tenant(person, (tx) =>
      tx.one(consumePendingAuthorization, [tenantId, connectionId, memberId, sessionId, sha256(state)]),
    );
    return row ? this.accountSealing.authorizations.open(row.sealed, `${connectionId}/${memberId}`) : null;
  }
}
