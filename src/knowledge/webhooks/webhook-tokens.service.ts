import { Injectable } from '@nestjs/common';
import { Field, GraphQLISODateTime, ObjectType } from '@nestjs/graphql';
import { AuditService } from '../../audit/audit.service.js';
import { Connection } from '../../connections/connection.entity.js';
import { SealService } from '../../platform/crypto/seal.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { notFound } from '../../platform/errors/general.error.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import type { Principal } from '../../principal/principal.js';
import { findWebhookToken, storeWebhookToken } from './webhook-tokens.sql.js';

export const webhookTokenHours = 24;

@ObjectType({ description: 'A token that a source sent to the webhook address, to be confirmed in the source.' })
export class WebhookToken {
  @Field({
    description: 'Anyone can send one. Use it as a secret of the connection only after the source has accepted it.',
  })
  token: string;

  @Field(() => GraphQLISODateTime)
  receivedAt: Date;
}

/**
 * Some sources send the secret of their webhooks to the webhook address. Nobody has signed it, so it has no effect until an
 * administrator has compared it in the source and entered it in the connection.
 */
@Injectable()
export class WebhookTokensService {
  constructor(
    private readonly database: DatabaseService,
    private readonly seal: SealService,
    private readonly audit: AuditService,
    private readonly wakeupChannel: WakeupChannel,
  ) {}

  /** Returns false if the connection is not a source. */
  async store(tx: Tx, tenantId: string, connectionId: string, token: string): Promise<boolean> {
    const sealed = this.seal.seal(token, placeOf(connectionId));
    tx.afterCommit(() => this.wakeupChannel.publish('source', connectionId));
    return (await tx.execute(storeWebhookToken, [tenantId, connectionId, sealed])) > 0;
  }

  reveal(principal: Principal, connectionId: string): Promise<WebhookToken> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const connection = await tx.findOneBy(Connection, { tenantId, id: connectionId });
      const stored = await tx.one(findWebhookToken, [tenantId, connectionId, webhookTokenHours]);
      if (!connection || !stored?.token || !stored.at)
        throw notFound(`The source has sent no webhook token in the last ${webhookTokenHours} hours.`);
      const token = this.seal.open(stored.token, placeOf(connectionId)).toString();
      await this.audit.record(tx, principal, {
        kind: 'source.webhook_token_revealed',
        subject: { type: 'connection', id: connectionId, name: connection.name },
      });
      return { token, receivedAt: stored.at };
    });
  }
}

const placeOf = (connectionId: string) => ({ table: 'sources', column: 'webhook_token', row: connectionId });
