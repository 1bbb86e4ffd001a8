import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LogService } from '../../platform/telemetry/log.service.js';
import { SlackInteractionsService } from '../slack-interactions.service.js';
import type { SlackSocketOrigin } from '../slack-requests.service.js';
import { errorInDialog, type SlackAnswer } from '../slack-replies.service.js';
import type { SlackSocketConnection } from './slack-socket-client.service.js';
import type { SlackEnvelope } from './slack-socket-message.js';

/** Slack waits three seconds. */
const acknowledgeMs = 2000;

/** Acknowledges envelopes and hands over what they contain. */
@Injectable()
export class SlackEnvelopesService {
  constructor(
    private readonly interactions: SlackInteractionsService,
    private readonly log: LogService,
  ) {}

  /** Never rejects. */
  async handle(
    origin: SlackSocketOrigin,
    connection: Pick<SlackSocketConnection, 'acknowledge'>,
    envelope: SlackEnvelope,
  ): Promise<void> {
    const { type, envelope_id: envelopeId, payload, accepts_response_payload: acceptsAnswer } = envelope;
    if (type !== 'interactive') return connection.acknowledge(envelopeId, null);
    const handling = this.interactions
      .receiveFromSocket(origin, envelopeId, payload)
      .catch((error: unknown): SlackAnswer => {
        this.log.error({ err: error, tenantId: origin.tenantId }, 'an interaction in Slack failed');
        return answerTo(payload, 'Something went wrong. Open the approval in Countersign.');
      });
    const late = answerTo(payload, 'This takes longer than usual. Open the approval in Countersign.');
    const answer = await Promise.race([handling, delay(acknowledgeMs, late, { ref: false })]);
    connection.acknowledge(envelopeId, acceptsAnswer ? answer : null);
    await handling;
  }
}

/** Without a text, a dialog would close as if the decision were made. */
const answerTo = (payload: unknown, text: string): SlackAnswer =>
  (payload as { type?: unknown } | null)?.type === 'view_submission' ? errorInDialog(text) : null;
