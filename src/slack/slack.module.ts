import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { GateModule } from '../gate/gate.module.js';
import { SlackDecisionMessagesService } from './slack-decision-messages.service.js';
import { SlackDecisionRulesService } from './slack-decision-rules.service.js';
import { SlackIdentitiesService } from './slack-identities.service.js';
import { SlackInteractionsController } from './slack-interactions.controller.js';
import { SlackInteractionsService } from './slack-interactions.service.js';
import { SlackMessageClosingService } from './slack-message-closing.service.js';
import { SlackRefusalsService } from './slack-refusals.service.js';
import { SlackRepliesService } from './slack-replies.service.js';
import { SlackRequestsService } from './slack-requests.service.js';
import { SlackSettingsService } from './slack-settings.service.js';
import { SlackSocketsService } from './slack-sockets.service.js';
import { SlackEnvelopesService } from './socket-mode/slack-envelopes.service.js';
import { SlackSocketClient } from './socket-mode/slack-socket-client.service.js';
import { SlackSocketConnectionsService } from './socket-mode/slack-socket-connections.service.js';
import { SlackResolver } from './slack.resolver.js';

/** Decisions on approvals in Slack. */
@Module({
  imports: [AccessModule, ApprovalsModule, GateModule],
  controllers: [SlackInteractionsController],
  providers: [
    SlackDecisionMessagesService,
    SlackDecisionRulesService,
    SlackIdentitiesService,
    SlackInteractionsService,
    SlackMessageClosingService,
    SlackRefusalsService,
    SlackRepliesService,
    SlackRequestsService,
    SlackSettingsService,
    SlackSocketsService,
    SlackEnvelopesService,
    SlackSocketClient,
    SlackSocketConnectionsService,
    SlackResolver,
  ],
})
export class SlackModule {}
